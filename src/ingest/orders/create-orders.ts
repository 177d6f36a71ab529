import { createOrders as create, type NewOrder, valuesOfNew } from '../../dispatch/orders/write-orders.ts';
import { newId } from '../../platform/ids.ts';
import { contactRows, describeContacts } from '../apply/contacts.ts';
import { inNameOf } from '../apply/in-name-of.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { type Matches, warnOfInactive } from './nested.ts';
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
  const orders = items.map((item): NewOrder => {
    const { draft, record } = item;
    for (const site of draft.sites) warnOfInactive(draft.warnings, 'site', site, matches);
    if (draft.material) warnOfInactive(draft.warnings, 'material', draft.material, matches);
    const order: NewOrder = {
      id: newId(),
      by: inNameOf(tx, record),
      externalId: draft.externalId,
      state: draft.state ?? 'created',
      loadAt: draft.loadAt,
      truckCount: draft.truckCount ?? 1,
      values: draft.root,
      references: { ...namedBy(item), dispatch_number_id: item.dispatchNumberId },
      contacts: contactRows(draft),
      stops: draft.sites.map((site) => ({ type: site.waypoint, site_id: matches.site(site)! })),
      phases: draft.phases ?? [],
    };
    tx.made(order.id, () => describe(item, order));
    outcomes.set(record.id, { state: 'processed', resultId: order.id, warnings: draft.warnings });
    return order;
  });
  await create(tx, tx.company.id, orders, firstNumber);
}

/** Returns the values of a new order, for a dry run. */
const describe = (item: Item, { values, stops, phases }: NewOrder): Record<string, unknown> => ({
  ...valuesOfNew(values),
  ...namedBy(item),
  dispatch_number: item.draft.dispatchNumber ?? null,
  ...describeContacts(item.draft),
  waypoints: stops,
  phases,
});

/** Returns the ids of what a new order refers to, and of its people. */
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
