import { importedDefaultsOf, ORDER_FIELDS } from '../../dispatch/fields/work-fields.ts';
import { addTrucks, loadsPerTruckOf, type Trucks } from '../../dispatch/jobs/add-trucks.ts';
import { ratesToNote } from '../../dispatch/pricing/rate-source.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { contactRows, describeContacts } from '../apply/contacts.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { type Matches, warnOfInactive } from './nested.ts';
import type { Item } from './order-item.ts';

/** Columns an order has when a payload says nothing of them. */
const DEFAULTS = importedDefaultsOf(ORDER_FIELDS);

/** Rows of a batch, by table. */
interface Rows {
  orders: object[];
  contacts: object[];
  waypoints: object[];
  phases: object[];
}
/** An order that is to be made. */
interface New {
  id: string;
  routeId: string;
  number: number;
  /** Its root columns, those its payload leaves out as well. */
  root: Record<string, unknown>;
  size: Pick<Trucks, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'>;
  state: string;
  truckCount: number;
}

/**
 * Makes orders with their contacts, stops, phases, jobs and loads; jobs of an order with a vendor are assigned to it.
 * @param firstNumber of the numbers that were taken for them
 */
export async function createOrders(
  tx: BatchTx,
  items: Item[],
  firstNumber: number,
  matches: Matches,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  if (items.length === 0) return;
  const columns = new Set(items.flatMap((item) => Object.keys(item.draft.root)));
  const blank = Object.fromEntries([...columns].map((column) => [column, DEFAULTS[column] ?? null]));
  const rows: Rows = { orders: [], contacts: [], waypoints: [], phases: [] };
  const made = items.map((item, i) => ({ item, order: newOrder(item, firstNumber + i, blank) }));
  for (const { item, order } of made) {
    addRows(tx, item, order, rows, matches);
    const { draft, record } = item;
    for (const site of draft.sites) warnOfInactive(draft.warnings, 'site', site, matches);
    if (draft.material) warnOfInactive(draft.warnings, 'material', draft.material, matches);
    recordCreated(tx, item, order, matches);
    outcomes.set(record.id, { state: 'processed', resultId: order.id, warnings: draft.warnings });
  }
  await insertRows(tx.em, 'contact', rows.contacts);
  await insertRows(tx.em, 'orders', rows.orders);
  await insertRows(tx.em, 'waypoint', rows.waypoints);
  await insertRows(tx.em, 'phase', rows.phases);
  await sendTrucks(
    tx,
    made.filter(({ order }) => order.state !== 'canceled'),
  );
}

function newOrder({ draft }: Item, number: number, blank: object): New {
  const root: Record<string, unknown> = { ...DEFAULTS, ...blank, ...draft.root };
  const size = {
    loadsPerTruck: root.loads_per_truck as number | null,
    jobUnitOfMeasure: root.job_unit_of_measure as string | null,
    jobQuantity: root.job_quantity as string | null,
  };
  root.loads_per_truck = loadsPerTruckOf(size);
  const [state, truckCount] = [draft.state ?? 'created', draft.truckCount ?? 1];
  return { id: newId(), routeId: newId(), number, root, size, state, truckCount };
}

/** The rows of an order and of what belongs to it. */
function addRows(tx: BatchTx, item: Item, { id, routeId, number, root, state, truckCount }: New, rows: Rows, matches: Matches): void {
  const { draft } = item;
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: tx.company.id };
  const contacts = contactRows(tx, item, rows.contacts);
  rows.orders.push({
    ...root,
    id,
    ...stamps,
    number,
    order_id: String(number),
    external_id: draft.externalId,
    state,
    load_at: draft.loadAt.toISOString(),
    truck_count: truckCount,
    ...namedBy(item),
    dispatch_number_id: item.dispatchNumberId,
    sales_contact_id: contacts.sales ?? null,
    foreman_contact_id: contacts.foreman ?? null,
    supervisor_contact_id: contacts.supervisor ?? null,
    collaborator_contact_id: contacts.collaborator ?? null,
    route_id: routeId,
    version: 1,
  });
  for (const [ordinality, site] of draft.sites.entries())
    rows.waypoints.push({ id: newId(), ...stamps, route_id: routeId, type: site.waypoint, ordinality, site_id: matches.site(site) });
  for (const phase of draft.phases ?? []) rows.phases.push({ id: newId(), ...stamps, order_id: id, ...phase });
}

/** Event and audit row of a new order, and for a dry run what it is made of. */
function recordCreated(tx: BatchTx, item: Item, { id, root, state, truckCount }: New, matches: Matches): void {
  const { draft, record } = item;
  const at = { type: 'Order', id, companyId: tx.company.id };
  tx.event(record, { name: 'order.created', ...at, payload: { state } });
  const changes = { external_id: draft.externalId, state, load_at: draft.loadAt.toISOString(), truck_count: truckCount, ...draft.root };
  tx.audit(record, {
    event: 'create',
    ...at,
    changes: Object.fromEntries(Object.entries(changes).map(([column, after]) => [column, [null, after]])),
  });
  tx.made(id, () => ({
    ...DEFAULTS,
    ...draft.root,
    loads_per_truck: root.loads_per_truck,
    ...namedBy(item),
    dispatch_number: draft.dispatchNumber ?? null,
    ...describeContacts(draft),
    waypoints: draft.sites.map((site) => ({ type: site.waypoint, site_id: matches.site(site) })),
    phases: draft.phases ?? [],
  }));
}

/** Jobs and loads of new orders. One sender as a rule; a batch of several has their names on their own rows. */
async function sendTrucks(tx: BatchTx, made: readonly { item: Item; order: New }[]): Promise<void> {
  const { query } = tx;
  const hiring = made.flatMap(({ item, order }) => (item.vendorId === null ? [] : [order.id]));
  const rates = await ratesToNote(query, hiring);
  for (const group of Map.groupBy(made, ({ item }) => item.record.createdBy.id).values()) {
    const { type, id, name } = group[0]!.item.record.createdBy;
    const trucks = group.map(({ order }): Trucks => ({ orderId: order.id, firstNumber: 1, count: order.truckCount, ...order.size }));
    await addTrucks(query, trucks, { now: tx.now, by: { type, id, name } }, rates);
  }
}

/** What a new order refers to, and its people. */
const namedBy = ({ accountId, serviceId, materialId, equipmentTypeId, vendorId, foremanIds, collaboratorIds, salespersonIds }: Item) => ({
  account_id: accountId,
  service_id: serviceId,
  material_id: materialId,
  equipment_type_id: equipmentTypeId,
  vendor_id: vendorId,
  foreman_ids: foremanIds,
  collaborator_ids: collaboratorIds,
  salesperson_ids: salespersonIds,
});
