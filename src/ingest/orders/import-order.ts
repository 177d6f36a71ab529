import { type Author, addTrucks, type Trucks } from '../../dispatch/add-trucks.ts';
import { lockArrivals } from '../../files/parked-files.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { addressesOf } from '../addresses.ts';
import { contactRows } from '../contacts.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome } from '../importer.ts';
import { keyOf, notAllowed } from '../key.ts';
import { regionOf } from '../region.ts';
import { askVendors, vendorOf } from './ask-vendors.ts';
import { attachWaiting } from './attach-waiting.ts';
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
    const renamed = read.filter(({ draft }) => existing.get(draft.externalId)?.state === 'canceled' && draft.state !== 'canceled');
    await renameCanceled(
      tx,
      renamed.map(({ record, draft }) => ({ record, existing: existing.get(draft.externalId)!, warnings: draft.warnings })),
    );
    for (const { draft } of renamed) existing.delete(draft.externalId);
    for (const { record, draft } of read) {
      const refusal = refusalOf(record, draft, existing.get(draft.externalId));
      if (refusal) outcomes.set(record.id, { ...refusal, warnings: draft.warnings });
    }
    const open = read.filter(({ record }) => !outcomes.has(record.id));
    for (const { record, draft } of open) {
      const order = existing.get(draft.externalId);
      if (order) tx.matched(record, { pointer: '', model: 'Order', id: order.id, by: 'external_id' });
    }
    const nested = open.map(({ record, draft }) => ({ record, draft: { ...draft, materials: draft.material ? [draft.material] : [] } }));
    const matches = await matchNested(tx, nested);
    const items = await itemsOf(tx, open, existing, matches);
    await askVendors(tx, items);
    await createOrders(
      tx,
      items.filter((item) => !item.existing),
      matches,
      outcomes,
    );
    await attachWaiting(
      tx,
      items.filter((item) => !item.existing),
      outcomes,
    );
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
  if (existing.locked) return { state: 'failed', code: 'order_locked', pointer: '/state', key: 'order_locked' };
  if (existing.state === 'completed')
    return { state: 'failed', code: 'order_locked', pointer: '/state', key: 'order_on_the_road', params: { state: existing.state } };
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

/** Columns an order has when a payload says nothing of them. */
const DEFAULTS = {
  truck_delay: 0,
  trucks_per_delay: 1,
  unit_of_measure: 'Ton',
  recurring_loads: false,
  chase_missing_tickets: false,
  default_digital_ticket_view: false,
  tax_freight: false,
  tax_material: false,
  tax_add_ons: false,
  material_rate_itemized: false,
};

async function createOrders(tx: BatchTx, items: Item[], matches: Matches, outcomes: Map<string, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const firstNumber = await tx.numbers('order', items.length);
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString() };
  const columns = new Set(items.flatMap((item) => Object.keys(item.draft.root)));
  const rows = { orders: [] as object[], contacts: [] as object[], waypoints: [] as object[], phases: [] as object[] };
  const trucks = new Map<string, { by: Author; all: Trucks[] }>();
  for (const [i, item] of items.entries()) {
    const { draft, record } = item;
    const number = firstNumber + i;
    const id = newId();
    const routeId = newId();
    const truckCount = draft.truckCount ?? 1;
    const state = draft.state ?? 'created';
    const contacts = contactRows(tx, draft, rows.contacts);
    const root = {
      ...DEFAULTS,
      ...Object.fromEntries([...columns].map((column) => [column, (DEFAULTS as Record<string, unknown>)[column] ?? null])),
      ...draft.root,
    };
    rows.orders.push({
      ...root,
      id,
      ...stamps,
      company_id: tx.company.id,
      number,
      order_id: String(number),
      external_id: draft.externalId,
      state,
      load_at: draft.loadAt.toISOString(),
      truck_count: truckCount,
      account_id: item.accountId,
      service_id: item.serviceId,
      material_id: item.materialId,
      equipment_type_id: item.equipmentTypeId,
      vendor_id: item.vendorId,
      dispatch_number_id: item.dispatchNumberId,
      foreman_ids: item.foremanIds,
      collaborator_ids: item.collaboratorIds,
      salesperson_ids: item.salespersonIds,
      sales_contact_id: contacts.sales ?? null,
      foreman_contact_id: contacts.foreman ?? null,
      supervisor_contact_id: contacts.supervisor ?? null,
      collaborator_contact_id: contacts.collaborator ?? null,
      route_id: routeId,
      version: 1,
    });
    for (const [ordinality, site] of draft.sites.entries()) {
      rows.waypoints.push({
        id: newId(),
        ...stamps,
        company_id: tx.company.id,
        route_id: routeId,
        type: site.waypoint,
        ordinality,
        site_id: matches.site(site),
      });
    }
    for (const phase of draft.phases ?? []) rows.phases.push({ id: newId(), ...stamps, company_id: tx.company.id, order_id: id, ...phase });
    if (state !== 'canceled') {
      const { type, id: by, name } = record.createdBy;
      const group = trucks.get(by) ?? { by: { type, id: by, name }, all: [] };
      trucks.set(by, group);
      const terms = root as Record<string, unknown>;
      group.all.push({
        orderId: id,
        firstNumber: 1,
        count: truckCount,
        loadsPerTruck: terms.loads_per_truck as number | null,
        jobUnitOfMeasure: terms.job_unit_of_measure as string | null,
        jobQuantity: terms.job_quantity as string | null,
      });
    }
    const at = { type: 'Order', id, companyId: tx.company.id };
    tx.event(record, { name: 'order.created', ...at, payload: { state } });
    const changes = { external_id: draft.externalId, state, load_at: draft.loadAt.toISOString(), truck_count: truckCount, ...draft.root };
    tx.audit(record, {
      event: 'create',
      ...at,
      changes: Object.fromEntries(Object.entries(changes).map(([column, after]) => [column, [null, after]])),
    });
    outcomes.set(record.id, { state: 'processed', resultId: id, warnings: draft.warnings });
  }
  await insertRows(tx.em, 'contact', rows.contacts);
  await insertRows(tx.em, 'orders', rows.orders);
  await insertRows(tx.em, 'waypoint', rows.waypoints);
  await insertRows(tx.em, 'phase', rows.phases);
  // One sender as a rule; a batch of several has their names on their own rows.
  for (const { by, all } of trucks.values()) await addTrucks((sql, parameters) => tx.query(sql, parameters), all, { now: tx.now, by });
}
