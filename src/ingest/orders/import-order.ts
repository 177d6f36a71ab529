import { lockArrivals } from '../../files/parked-files.ts';
import { addressesOf } from '../addresses.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome } from '../importer.ts';
import { keyOf, notAllowed } from '../key.ts';
import { mayMake } from '../may-make.ts';
import { openSites } from '../open-sites.ts';
import { regionOf } from '../region.ts';
import { seenBy } from '../seen.ts';
import { askVendors, vendorOf } from './ask-vendors.ts';
import { attachWaiting } from './attach-waiting.ts';
import { createOrders } from './create-orders.ts';
import { type ExistingOrder, findExisting, renameCanceled } from './existing-orders.ts';
import { matchNested } from './match.ts';
import type { Matches } from './nested.ts';
import type { OrderDraft } from './order-draft.ts';
import { dispatchNumbers, servicesOf } from './order-references.ts';
import { parseOrder } from './parse-order.ts';
import { updateOrders } from './update-orders.ts';

/** A record that will be written: its draft, the order it matched (if any), and what its nested records resolved to. */
export interface Item {
  record: ClaimedRecord;
  draft: OrderDraft;
  existing?: ExistingOrder;
  accountId: string;
  serviceId: string;
  materialId: string | null;
  equipmentTypeId: string | null;
  vendorId: string | null;
  dispatchNumberId: string | null;
  foremanIds: string[];
  collaboratorIds: string[];
  salespersonIds: string[];
}

/** `POST /ingest/orders`: creates and updates orders, a batch at a time, in a number of statements that does not grow with the batch. */
export const orderImporter: Importer = {
  kind: 'order',
  supersedes: true,
  importedFor(element) {
    const id = element.external_id;
    return keyOf(id);
  },
  addresses: addressesOf,
  gone: {
    code: 'order_canceled',
    sql: `select id from orders where id = any($1::uuid[]) and state = 'canceled'`,
    wanted: ({ state }) => state === 'canceled',
  },
  limited: { table: 'orders', failure: notAllowed('edit_order') },
  async apply(tx, records) {
    const outcomes = new Map<string, Outcome>();
    const region = regionOf(tx.company.timeZone);
    const parsed = records.map((record) => ({ record, ...parseOrder(record.payload, tx.company.timeZone, region) }));
    for (const { record, failure } of parsed) if (failure) outcomes.set(record.id, failure);
    const read = parsed.flatMap(({ record, draft }) => (draft ? [{ record, draft }] : []));
    // Before the orders' own locks.
    if (!tx.dry) await lockArrivals((sql, parameters) => tx.query(sql, parameters), tx.company.id, 'record');
    const existing = await findExisting(
      tx,
      read.map(({ draft }) => draft.externalId),
    );
    const seen = await seenBy(
      tx,
      'orders',
      records,
      [...existing.values()].map(({ id }) => id),
    );
    const isHidden = ({ record, draft }: (typeof read)[number]): boolean => {
      const order = existing.get(draft.externalId);
      return order !== undefined && !seen(record, order.id);
    };
    // Nor is a second one made under its external id, or the two could not be told apart.
    for (const one of read.filter(isHidden)) outcomes.set(one.record.id, { ...notAllowed('edit_order'), warnings: one.draft.warnings });
    const beyond = await openSites(
      tx,
      read
        .filter(({ record }) => !outcomes.has(record.id))
        .map(({ record, draft }) => ({ record, draft, routeId: existing.get(draft.externalId)?.routeId })),
    );
    for (const [record, failure] of beyond) outcomes.set(record.id, failure);
    const unmade = await mayMake(
      tx,
      read.filter(({ record }) => !outcomes.has(record.id)),
    );
    for (const [record, failure] of unmade) outcomes.set(record.id, failure);
    const visible = read.filter(({ record }) => !outcomes.has(record.id));
    const renamed = visible.filter(({ draft }) => existing.get(draft.externalId)?.state === 'canceled' && draft.state !== 'canceled');
    await renameCanceled(
      tx,
      renamed.map(({ record, draft }) => ({ record, existing: existing.get(draft.externalId)!, warnings: draft.warnings })),
    );
    for (const { draft } of renamed) existing.delete(draft.externalId);
    for (const { record, draft } of visible) {
      const refusal = refusalOf(record, draft, existing.get(draft.externalId));
      if (refusal) outcomes.set(record.id, { ...refusal, warnings: draft.warnings });
    }
    const open = visible.filter(({ record }) => !outcomes.has(record.id));
    for (const { record, draft } of open) {
      const order = existing.get(draft.externalId);
      if (order) tx.matched(record, { pointer: '', model: 'Order', id: order.id, by: 'external_id' });
    }
    const nested = open.map(({ record, draft }) => ({ record, draft: { ...draft, materials: draft.material ? [draft.material] : [] } }));
    const matches = await matchNested(tx, nested);
    const items = await itemsOf(tx, open, existing, matches);
    const fresh = items.filter((item) => !item.existing);
    // People who make orders hold the counter until they are done.
    const firstNumber = fresh.length > 0 ? await tx.numbers('order', fresh.length) : 0;
    await askVendors(tx, items);
    await createOrders(tx, fresh, firstNumber, matches, outcomes);
    await attachWaiting(tx, fresh, outcomes);
    await updateOrders(
      tx,
      items.filter((item) => item.existing),
      matches,
      outcomes,
    );
    return records.map((record) => outcomes.get(record.id)!);
  },
};

/** Rules that stop a record before anything is written (DOMAIN section 5). */
function refusalOf(record: ClaimedRecord, draft: OrderDraft, existing: ExistingOrder | undefined): Failure | undefined {
  if (!existing) return undefined;
  if (!record.mayEdit) return notAllowed('edit_order');
  if (draft.state !== 'canceled' || existing.state === 'canceled') return undefined;
  if (existing.state === 'completed')
    return { state: 'failed', code: 'order_locked', pointer: '/state', key: 'order_on_the_road', params: { state: existing.state } };
  if (existing.locked) return { state: 'failed', code: 'order_locked', pointer: '/state', key: 'order_locked' };
  return undefined;
}

async function itemsOf(
  tx: BatchTx,
  read: { record: ClaimedRecord; draft: OrderDraft }[],
  existing: Map<string, ExistingOrder>,
  matches: Matches,
): Promise<Item[]> {
  const services = await servicesOf(
    tx,
    read.map(({ draft }) => draft),
  );
  const numbers = await dispatchNumbers(
    tx,
    read.flatMap(({ draft }) => draft.dispatchNumber ?? []),
  );
  const ids = (people: OrderDraft['foremen']) => [...new Set(people.flatMap((person) => matches.person(person) ?? []))];
  return read.map(({ record, draft }) => ({
    record,
    draft,
    existing: existing.get(draft.externalId),
    accountId: matches.account(draft.customer)!,
    serviceId: services(draft),
    materialId: draft.material ? matches.material(draft.material)! : null,
    equipmentTypeId: draft.equipmentType ? matches.equipmentType(draft.equipmentType)! : null,
    vendorId: vendorOf(draft, existing.get(draft.externalId), matches),
    dispatchNumberId: draft.dispatchNumber ? numbers.get(draft.dispatchNumber)! : null,
    foremanIds: ids(draft.foremen),
    collaboratorIds: ids(draft.collaborators),
    salespersonIds: ids(draft.salespeople),
  }));
}
