import { findsTruck } from '../../directory/equipment/external-truck.entity.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';
import type { LinkTx, Sender } from './link-tx.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** A truck that a ticket may mean; with `accountId` if the name is a vendor's. */
export interface Truck {
  equipmentId: string;
  accountId?: string;
}
export type Trucks = (record: Sender) => readonly Truck[];

/**
 * `truck_id` is a truck's external id, or that of one that was merged into it; only if no truck has it, a vendor's name for one. All are compared
 * exactly.
 */
export async function findTrucks<D extends Pick<TicketDraft, 'truckId'>>(
  tx: LinkTx,
  read: readonly { record: Sender; draft: D }[],
  vendorOf: (draft: D) => string | undefined,
): Promise<Trucks> {
  const names = [...new Set(read.map(({ draft }) => draft.truckId))];
  if (names.length === 0) return () => [];
  const rows = await tx.query<{ name: string; equipment_id: string; account_id: string | null }>(
    namedStatement(`select e.external_id as name, e.id as equipment_id, null::uuid as account_id, false as former, e.created_at
       from equipment e where e.company_id = $1 and e.external_id = any($2::text[]) and e.discarded_at is null
     union all
     select f.external_id, e.id, null::uuid, true, e.created_at
       from equipment f join merged_record m on m.remains_id = f.id join equipment e on e.id = m.kept_id
       where f.company_id = $1 and f.external_id = any($2::text[]) and f.discarded_at is not null and e.discarded_at is null
     union all
     select x.external_truck_id, x.equipment_id, x.account_id, false, x.created_at
       from account_external_truck_identifier x
       where x.company_id = $1 and x.external_truck_id = any($2::text[]) and ${findsTruck('x')}
     order by former, created_at, equipment_id`),
    [tx.company.id, names],
  );
  const byName = Map.groupBy(rows, (row) => row.name);
  const found = new Map<Sender, Truck[]>();
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

/**
 * Notes vendors' names for trucks, and when a ticket last used each, so that people can assign them to trucks. A name that one of the
 * company's own trucks has is left out.
 */
export async function noteVendorNames(
  tx: BatchTx,
  read: { record: ClaimedRecord; draft: TicketDraft }[],
  trucks: Trucks,
  vendorOf: (draft: TicketDraft) => string | undefined,
): Promise<void> {
  const named = new Map<string, { record: ClaimedRecord; vendor: string; name: string }>();
  for (const { record, draft } of read) {
    const vendor = vendorOf(draft);
    const own = trucks(record).some(({ accountId }) => accountId === undefined);
    if (vendor && !own) named.set(JSON.stringify([vendor, draft.truckId]), { record, vendor, name: draft.truckId });
  }
  if (named.size === 0) return;
  const all = [...named.values()];
  const made = await tx.query<{ id: string; account_id: string; external_truck_id: string }>(
    `with given as (
       select g.* from unnest($2::uuid[], $3::uuid[], $4::text[]) g (id, account_id, name)
       join account a on a.id = g.account_id and 'vendor' = any(a.account_types)),
     kept as (
       insert into account_external_truck_identifier (id, company_id, account_id, external_truck_id, last_ticket_received_at, created_at, updated_at)
       select id, $1, account_id, name, $5, $5, $5 from given order by name, account_id
       on conflict (company_id, external_truck_id, account_id) do update set last_ticket_received_at = excluded.last_ticket_received_at
       returning id, account_id, external_truck_id)
     select k.* from kept k join given g using (id)`,
    [tx.company.id, all.map(() => newId()), all.map(({ vendor }) => vendor), all.map(({ name }) => name), tx.now.toISOString()],
  );
  for (const { id, account_id, external_truck_id } of made) {
    const { record } = named.get(JSON.stringify([account_id, external_truck_id]))!;
    const at = { type: 'AccountExternalTruckIdentifier', id, companyId: tx.company.id };
    tx.recordsOf(record).audits.push({
      event: 'create',
      ...at,
      changes: { account_id: [null, account_id], external_truck_id: [null, external_truck_id] },
    });
  }
}
