import type { NewWork } from '../../dispatch/fields/insert-work.ts';
import { contactColumnsOf } from '../../dispatch/fields/write-parts.ts';
import { createOrders as create, importedValuesOf, type OrderToSend, orderIdOf, sendTrucks } from '../../dispatch/orders/write-orders.ts';
import { setOfNew } from '../../platform/commands/audit.ts';
import { newId } from '../../platform/ids.ts';
import { contactRows, describeContacts } from '../apply/contacts.ts';
import { inNameOf } from '../apply/in-name-of.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { type Matches, warnOfInactive } from '../nested/nested.ts';
import type { Item } from './order-item.ts';

/**
 * Creates the orders of payloads that matched none.
 * @param firstNumber of the numbers that were reserved for them
 */
export async function createOrders(
  tx: BatchTx,
  items: Item[],
  firstNumber: number,
  matches: Matches,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const orders = items.map((item, at) => {
    const { draft, record } = item;
    for (const site of draft.sites) warnOfInactive(draft.warnings, 'site', site, matches);
    if (draft.material) warnOfInactive(draft.warnings, 'material', draft.material, matches);
    const order = newOrderOf(tx, item, firstNumber + at, matches);
    tx.made(order.id, () => describe(item, order));
    outcomes.set(record.id, { state: 'processed', resultId: order.id, warnings: draft.warnings });
    return order;
  });
  await create(tx, tx.company.id, orders);
  await sendTrucks(
    tx,
    tx.company.id,
    orders.filter(({ columns }) => columns.state !== 'canceled'),
  );
}

type NewOrder = NewWork & OrderToSend;

function newOrderOf(tx: BatchTx, item: Item, number: number, matches: Matches): NewOrder {
  const { draft, record } = item;
  const [id, routeId, by, contacts] = [newId(), newId(), inNameOf(tx, record), contactRows(draft)];
  const { state = 'created', truckCount = 1 } = draft;
  const root = { external_id: draft.externalId, state, load_at: draft.loadAt.toISOString(), truck_count: truckCount };
  return {
    ...{ id, by, records: by.records, truckCount, hasVendor: item.vendorId !== null },
    columns: {
      ...importedValuesOf(draft.root),
      ...root,
      ...{ number, order_id: orderIdOf(number) },
      ...namedBy(item),
      ...{ dispatch_number_id: item.dispatchNumberId, ...contactColumnsOf(contacts), route_id: routeId },
    },
    changes: setOfNew({ ...root, ...draft.root }),
    payload: { state },
    contacts: Object.values(contacts),
    stops: draft.sites.map((site, ordinality) => ({
      ...{ id: newId(), route_id: routeId, type: site.waypoint, ordinality },
      ...{ site_id: matches.site(site)!, contact_id: null },
    })),
    phases: (draft.phases ?? []).map((phase) => ({ id: newId(), ...phase })),
  };
}

/** Returns the values of a new order, for a dry run. */
const describe = (item: Item, { stops, phases }: NewOrder): Record<string, unknown> => ({
  ...importedValuesOf(item.draft.root),
  ...namedBy(item),
  dispatch_number: item.draft.dispatchNumber ?? null,
  ...describeContacts(item.draft),
  waypoints: stops.map(({ type, site_id }) => ({ type, site_id })),
  phases: phases.map(({ id: _id, ...phase }) => phase),
});

/** Returns the ids of what a new order refers to, and of its people. */
const namedBy = (item: Item) => ({
  account_id: item.accountId,
  service_id: item.serviceId,
  material_id: item.materialId,
  material_rate_supplier_account_id: item.supplierId,
  equipment_type_id: item.equipmentTypeId,
  vendor_id: item.vendorId,
  foreman_ids: item.foremanIds,
  collaborator_ids: item.collaboratorIds,
  salesperson_ids: item.salespersonIds,
});
