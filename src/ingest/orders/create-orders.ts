import { type Author, addTrucks, loadsPerTruckOf, type Trucks } from '../../dispatch/add-trucks.ts';
import { ratesToNote } from '../../dispatch/pricing/rate-source.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { contactRows, contactsTold } from '../contacts.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import type { Item } from './import-order.ts';
import { type Matches, warnOfInactive } from './nested.ts';

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
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString() };
  const columns = new Set(items.flatMap((item) => Object.keys(item.draft.root)));
  const rows = { orders: [] as object[], contacts: [] as object[], waypoints: [] as object[], phases: [] as object[] };
  const trucks = new Map<string, { by: Author; all: (Trucks & { hired: boolean })[] }>();
  for (const [i, item] of items.entries()) {
    const { draft, record } = item;
    const number = firstNumber + i;
    const id = newId();
    const routeId = newId();
    const truckCount = draft.truckCount ?? 1;
    const state = draft.state ?? 'created';
    const contacts = contactRows(tx, item, rows.contacts);
    const root = {
      ...DEFAULTS,
      ...Object.fromEntries([...columns].map((column) => [column, (DEFAULTS as Record<string, unknown>)[column] ?? null])),
      ...draft.root,
    };
    const terms = root as Record<string, unknown>;
    const size = {
      loadsPerTruck: terms.loads_per_truck as number | null,
      jobUnitOfMeasure: terms.job_unit_of_measure as string | null,
      jobQuantity: terms.job_quantity as string | null,
    };
    const loadsPerTruck = loadsPerTruckOf(size);
    rows.orders.push({
      ...root,
      loads_per_truck: loadsPerTruck,
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
    for (const site of draft.sites) warnOfInactive(draft.warnings, 'site', site, matches);
    if (draft.material) warnOfInactive(draft.warnings, 'material', draft.material, matches);
    for (const phase of draft.phases ?? []) rows.phases.push({ id: newId(), ...stamps, company_id: tx.company.id, order_id: id, ...phase });
    if (state !== 'canceled') {
      const { type, id: by, name } = record.createdBy;
      const group = trucks.get(by) ?? { by: { type, id: by, name }, all: [] };
      trucks.set(by, group);
      group.all.push({
        orderId: id,
        hired: item.vendorId !== null,
        firstNumber: 1,
        count: truckCount,
        ...size,
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
    tx.made(id, () => ({
      ...DEFAULTS,
      ...draft.root,
      loads_per_truck: loadsPerTruck,
      ...told(item),
      waypoints: draft.sites.map((site) => ({ type: site.waypoint, site_id: matches.site(site) })),
      phases: draft.phases ?? [],
    }));
    outcomes.set(record.id, { state: 'processed', resultId: id, warnings: draft.warnings });
  }
  await insertRows(tx.em, 'contact', rows.contacts);
  await insertRows(tx.em, 'orders', rows.orders);
  await insertRows(tx.em, 'waypoint', rows.waypoints);
  await insertRows(tx.em, 'phase', rows.phases);
  const { query } = tx;
  const rates = await ratesToNote(
    query,
    [...trucks.values()].flatMap(({ all }) => all.flatMap(({ hired, orderId }) => (hired ? [orderId] : []))),
  );
  // One sender as a rule; a batch of several has their names on their own rows.
  for (const { by, all } of trucks.values()) await addTrucks(query, all, { now: tx.now, by }, rates);
}

/** What a new order refers to, and its people. */
const told = ({
  draft,
  accountId,
  serviceId,
  materialId,
  equipmentTypeId,
  vendorId,
  foremanIds,
  collaboratorIds,
  salespersonIds,
}: Item) => ({
  account_id: accountId,
  service_id: serviceId,
  material_id: materialId,
  equipment_type_id: equipmentTypeId,
  vendor_id: vendorId,
  dispatch_number: draft.dispatchNumber ?? null,
  foreman_ids: foremanIds,
  collaborator_ids: collaboratorIds,
  salesperson_ids: salespersonIds,
  ...contactsTold(draft),
});
