import { attachWaiting, expectArrivals } from '../../dispatch/orders/order-arrival.ts';
import { addressesOf } from '../apply/addresses.ts';
import { mayMake } from '../apply/create-permissions.ts';
import { openSites } from '../apply/open-sites.ts';
import { seenBy } from '../apply/visible-to-sender.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome } from '../importer.ts';
import { matchNested } from '../nested/match.ts';
import type { Matches } from '../nested/nested.ts';
import { notAllowed } from '../payload/key.ts';
import type { OrderDraft } from '../payload/order-draft.ts';
import { regionOf } from '../payload/region.ts';
import { checkVendors, supplierOf, vendorOf } from './check-vendors.ts';
import { createOrders } from './create-orders.ts';
import { type ExistingOrder, findExisting, renameCanceled } from './existing-orders.ts';
import type { Item } from './order-item.ts';
import { dispatchNumbers, servicesOf } from './order-references.ts';
import { parseOrder } from './parse-order.ts';
import { updateOrders } from './update-orders.ts';

/** A payload that could be read. */
interface Sent {
  record: ClaimedRecord;
  draft: OrderDraft;
}

/** `POST /ingest/orders`: creates and updates orders, a batch at a time, in a number of statements that does not grow with the batch. */
export const orderImporter: Importer = {
  kind: 'order',
  supersedes: true,
  keyField: 'external_id',
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
    // This lock comes before those of the orders.
    if (!tx.dry) await expectArrivals(tx, tx.company.id);
    const existing = await findExisting(
      tx,
      read.map(({ draft }) => draft.externalId),
    );
    await refuse(tx, read, existing, outcomes);
    const open = read.filter(({ record }) => !outcomes.has(record.id));
    // A person's new order holds the counter until its end, and waits for external ids that are taken or given up from here on.
    const making = open.filter(({ draft }) => isNew(existing.get(draft.externalId), draft)).length;
    const firstNumber = making > 0 ? await tx.numbers('order', making) : 0;
    await freeExternalIds(tx, open, existing);
    for (const { record, draft } of open) {
      const order = existing.get(draft.externalId);
      if (order) tx.matched(record, { pointer: '', model: 'Order', id: order.id, by: 'external_id' });
    }
    const nested = open.map(({ record, draft }) => ({
      record,
      draft: {
        ...draft,
        materials: draft.material ? [draft.material] : [],
        // The supplier of the material is a vendor, too.
        vendors: draft.supplier ? [...draft.vendors, draft.supplier] : draft.vendors,
      },
      closed: existing.get(draft.externalId)?.locked,
    }));
    const matches = await matchNested(tx, nested);
    const items = await itemsOf(tx, open, existing, matches);
    const fresh = items.filter((item) => !item.existing);
    await checkVendors(tx, items);
    await createOrders(tx, fresh, firstNumber, matches, outcomes);
    const made = fresh.flatMap(({ record, draft: { externalId } }) => {
      const outcome = outcomes.get(record.id);
      return outcome?.state === 'processed' && outcome.resultId ? [{ id: outcome.resultId, externalId, record }] : [];
    });
    await attachWaiting(tx, tx.company.id, made, ({ record }) => tx.recordsOf(record));
    await updateOrders(
      tx,
      items.filter((item) => item.existing),
      matches,
      outcomes,
    );
    return records.map((record) => outcomes.get(record.id)!);
  },
};

/** SPEC "Order cancellation rule": a canceled order gives its external id up to a payload in any other state. */
const givesUpId = (order: ExistingOrder | undefined, draft: OrderDraft): boolean =>
  order?.state === 'canceled' && draft.state !== 'canceled';

const isNew = (order: ExistingOrder | undefined, draft: OrderDraft): boolean => !order || givesUpId(order, draft);

/** Removes the external ids of canceled orders that give them up, and these orders from the existing ones. */
async function freeExternalIds(tx: BatchTx, open: readonly Sent[], existing: Map<string, ExistingOrder>): Promise<void> {
  const renamed = open.filter(({ draft }) => givesUpId(existing.get(draft.externalId), draft));
  await renameCanceled(
    tx,
    renamed.map(({ record, draft }) => ({ record, existing: existing.get(draft.externalId)!, warnings: draft.warnings })),
  );
  for (const { draft } of renamed) existing.delete(draft.externalId);
}

/**
 * Notes why payloads are not applied: their senders may not see, change, name or create something. It is called before anything is written.
 */
async function refuse(
  tx: BatchTx,
  read: readonly Sent[],
  existing: ReadonlyMap<string, ExistingOrder>,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const seen = await seenBy(
    tx,
    'orders',
    read.map(({ record }) => record),
    [...existing.values()].map(({ id }) => id),
  );
  for (const { record, draft } of read) {
    const order = existing.get(draft.externalId);
    // No second order is created under its external id, because the two could not be distinguished.
    const refusal = order && !seen(record, order.id) ? notAllowed('edit_order') : refusalOf(record, draft, order);
    if (refusal) outcomes.set(record.id, { ...refusal, warnings: draft.warnings });
  }
  const isOpen = ({ record }: Sent) => !outcomes.has(record.id);
  const routed = read.filter(isOpen).map((one) => ({ ...one, routeId: existing.get(one.draft.externalId)?.routeId }));
  for (const [record, failure] of await openSites(tx, routed)) outcomes.set(record.id, failure);
  const making = read.filter(isOpen).filter(({ draft }) => {
    const order = existing.get(draft.externalId);
    return !order?.locked || givesUpId(order, draft);
  });
  for (const [record, failure] of await mayMake(tx, making)) outcomes.set(record.id, failure);
}

/** Returns the rule that stops a record before anything is written (DOMAIN section 5). */
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
  read: readonly Sent[],
  existing: ReadonlyMap<string, ExistingOrder>,
  matches: Matches,
): Promise<Item[]> {
  const services = await servicesOf(
    tx,
    read.map(({ draft }) => draft),
  );
  const isClosed = ({ draft }: Sent) => existing.get(draft.externalId)?.locked === true;
  const numbersOf = (some: readonly Sent[]) => some.flatMap(({ draft }) => draft.dispatchNumber ?? []);
  const numbers = await dispatchNumbers(tx, numbersOf(read.filter((one) => !isClosed(one))), numbersOf(read.filter(isClosed)));
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
    supplierId: supplierOf(draft, existing.get(draft.externalId), matches),
    dispatchNumberId: draft.dispatchNumber ? numbers.get(draft.dispatchNumber)! : null,
    foremanIds: ids(draft.foremen),
    collaboratorIds: ids(draft.collaborators),
    salespersonIds: ids(draft.salespeople),
    lacks: lacks(draft, matches) || (draft.dispatchNumber !== undefined && !numbers.has(draft.dispatchNumber)),
  }));
}

/** Returns whether a draft names records that were neither found nor created. */
function lacks(draft: OrderDraft, matches: Matches): boolean {
  const { customer, material, supplier, equipmentType, sites, foremen, collaborators, salespeople, vendors } = draft;
  return (
    !matches.account(customer) ||
    (material !== undefined && !matches.material(material)) ||
    (supplier !== undefined && !matches.vendor(supplier)) ||
    (equipmentType !== undefined && !matches.equipmentType(equipmentType)) ||
    sites.some((site) => !matches.site(site)) ||
    [...foremen, ...collaborators, ...salespeople].some((person) => !matches.person(person)) ||
    vendors.some((vendor) => !matches.vendor(vendor))
  );
}
