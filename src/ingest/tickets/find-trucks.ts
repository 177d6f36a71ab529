import type { BatchTx, ClaimedRecord } from '../importer.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** A truck a ticket may mean; `accountId` when it is a vendor's name for it. */
export interface Truck {
  equipmentId: string;
  accountId?: string;
}
export type Trucks = (record: ClaimedRecord) => readonly Truck[];

/** `truck_id` is a truck's own external id; only when no truck has it, a name some vendor gives to one. Both to the letter. */
export async function findTrucks(
  tx: BatchTx,
  read: { record: ClaimedRecord; draft: TicketDraft }[],
  vendorOf: (draft: TicketDraft) => string | undefined,
): Promise<Trucks> {
  const names = [...new Set(read.map(({ draft }) => draft.truckId))];
  if (names.length === 0) return () => [];
  const rows = await tx.query<{ name: string; equipment_id: string; account_id: string | null }>(
    `select e.external_id as name, e.id as equipment_id, null::uuid as account_id, e.created_at
       from equipment e where e.company_id = $1 and e.external_id = any($2::text[]) and e.discarded_at is null
     union all
     select x.external_truck_id, x.equipment_id, x.account_id, x.created_at
       from account_external_truck_identifier x join equipment e on e.id = x.equipment_id and e.company_id = $1 and e.discarded_at is null
       where x.company_id = $1 and x.external_truck_id = any($2::text[])
     order by created_at, equipment_id`,
    [tx.company.id, names],
  );
  const byName = Map.groupBy(rows, (row) => row.name);
  const found = new Map<ClaimedRecord, Truck[]>();
  for (const { record, draft } of read) {
    const all = byName.get(draft.truckId) ?? [];
    const own = all.find((row) => row.account_id === null);
    const vendor = vendorOf(draft);
    const theirs = all.filter((row) => vendor === undefined || row.account_id === vendor);
    const trucks = own
      ? [{ equipmentId: own.equipment_id }]
      : theirs.map((row) => ({ equipmentId: row.equipment_id, accountId: row.account_id! }));
    found.set(record, trucks);
    if (own) tx.matched(record, { pointer: '/truck_id', model: 'Equipment', id: own.equipment_id, by: 'external_id' });
    else if (trucks.length === 1) tx.matched(record, { pointer: '/truck_id', model: 'Equipment', id: trucks[0]!.equipmentId, by: 'name' });
  }
  return (record) => found.get(record) ?? [];
}
