import { newRowOf } from '../../platform/commands/audit.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { assignToSharedDriver, type Hand, handOut } from '../assignment/copy-crew.ts';
import type { NewParts } from '../fields/new-parts.ts';
import { nextNumbers } from '../fields/numbers.ts';
import { addTrucksTo } from '../jobs/order-work.ts';
import { Order } from '../model/order.entity.ts';
import { attachWaiting } from './order-arrival.ts';
import { createOrders, orderIdOf } from './write-orders.ts';

/**
 * Writes a person's new order under the next number of its company, with the command that also writes imported orders. Afterwards the unit
 * of work holds the order as one that is in the database.
 * @param payload of the event `order.created`
 */
export async function writeOrder(tx: TxContext, order: Order, parts: NewParts, payload: Record<string, unknown>): Promise<void> {
  const companyId = order.company.id;
  order.number = await nextNumbers(tx.em, companyId, 'order', 1);
  order.orderId = orderIdOf(order.number);
  order.createdAt = order.updatedAt = tx.tx.now;
  const row = newRowOf(tx.em, order);
  await createOrders(setTxOf(tx), companyId, [{ id: order.id, records: tx.tx, ...row, payload, ...parts }]);
  tx.em.merge(Order, order, { cascade: false });
}

/**
 * Adds the jobs and loads of a written order, assigns them, and attaches the files that waited for the order.
 * @param hands who gets the trucks of the same places instead of the order's own driver or vendor
 * @param isNew the order is no copy: a shared driver who may not be assigned is refused instead of left out
 * @throws Denied without `assign_job`, Invalid naming the trucks
 */
export async function sendTrucksOf(tx: TxContext, order: Order, hands: readonly (Hand | undefined)[], isNew = false): Promise<void> {
  const trucks = await addTrucksTo(tx, order, 1, order.truckCount ?? 1);
  await handOut(tx, trucks, hands);
  const others = trucks.filter((_, place) => !hands[place]);
  await assignToSharedDriver(tx, order, others, 'driverId', isNew);
  const { id, externalId } = order;
  if (externalId) await attachWaiting(setTxOf(tx), order.company.id, [{ id, externalId }], () => tx.tx);
}
