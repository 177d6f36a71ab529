import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertWork, type NewWork } from '../fields/insert-work.ts';
import { importedDefaultsOf, ORDER_FIELDS } from '../fields/work-fields.ts';
import { writeColumns } from '../fields/write-columns.ts';
import { addTrucks, loadsPerTruckOf, type Trucks } from '../jobs/add-trucks.ts';
import type { InNameOf } from '../jobs/job-effects.ts';
import { orderMachine } from '../model/order.machine.ts';
import type { OrderState } from '../model/states.ts';
import { decidesRates, noteFollowing, ratesToNote } from '../pricing/rate-source.ts';
import { followOrders, type KeptOnJob } from './follow-orders.ts';

type Values = Readonly<Record<string, unknown>>;

const DEFAULTS = importedDefaultsOf(ORDER_FIELDS);

/** Returns the values of an imported order by column: those that were sent, and the defaults of imports for the others. */
export function importedValuesOf(given: Values): Record<string, unknown> {
  const values: Record<string, unknown> = { ...DEFAULTS, ...given };
  return { ...values, loads_per_truck: loadsPerTruckOf(sizeOf(values)) };
}

const sizeOf = (values: Values): Pick<Trucks, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'> => ({
  loadsPerTruck: values.loads_per_truck as number | null,
  jobUnitOfMeasure: values.job_unit_of_measure as string | null,
  jobQuantity: values.job_quantity as string | null,
});

/** States in which an import may create an order: an initial one, or canceled (DOMAIN section 5). */
export const IMPORTED_STATES: readonly OrderState[] = [...orderMachine.initial, 'canceled'];

/** Returns the friendly number of an order. */
export const orderIdOf = (number: number): string => String(number);

/**
 * Creates orders of a company with their contacts, stops and phases, in at most four statements. Permissions and values were checked before.
 * Jobs are added afterwards (addTrucksTo, sendTrucks), because the database makes them from the orders' rows. Imports create their orders with
 * it, and so do createOrder and copyOrder, one each (D-DISPATCH-55).
 */
export const createOrders = (tx: SetTx, companyId: string, orders: readonly NewWork[]): Promise<void> =>
  insertWork(tx, 'orders', companyId, orders);

/** A new order that gets jobs. */
export interface OrderToSend {
  id: string;
  by: InNameOf;
  truckCount: number;
  hasVendor: boolean;
  columns: Values;
}

/**
 * Adds the jobs and loads of imported orders, in a number of statements that does not grow with them. Jobs of an order with a vendor are
 * assigned to it. Usually there is one author; orders of several authors are written in one group for each.
 */
export async function sendTrucks(tx: SetTx, companyId: string, orders: readonly OrderToSend[]): Promise<void> {
  const rates = await ratesToNote(
    tx.query,
    orders.flatMap(({ id, hasVendor }) => (hasVendor ? [id] : [])),
  );
  const authored = orders.map((order) => ({ order, author: order.by.authorOf({ companyId }) }));
  for (const group of Map.groupBy(authored, ({ author }) => author.createdById).values()) {
    const { createdByType: type, createdById: id, createdByName: name, ...author } = group[0]!.author;
    const realActor = author.realActorId && { type: author.realActorType!, id: author.realActorId, name: author.realActorName! };
    const trucks = group.map(
      ({ order }): Trucks => ({
        orderId: order.id,
        firstNumber: 1,
        count: order.truckCount,
        hasVendor: order.hasVendor,
        ...sizeOf(order.columns),
      }),
    );
    await addTrucks(tx.query, trucks, { now: tx.now, by: { type, id, name, ...(realActor ? { realActor } : {}) } }, rates);
  }
}

/** The changes of a locked order: its columns, and its parts, which are already written (write-parts.ts). */
export interface OrderUpdate {
  id: string;
  by: InNameOf;
  /** Columns to set. */
  set: Readonly<Record<string, unknown>>;
  /** For the audit, with `waypoints` and other parts; empty if nothing changes. */
  changes: AuditRecord['changes'];
  /** True if the order has jobs on which rates are noted. */
  noted: boolean;
  /** True if it is canceled, too: `order.canceled` is then the only event. */
  isCanceled: boolean;
}

/**
 * Changes orders of a company, in a number of statements that does not depend on theirs. Jobs that have not left follow, and rates are
 * matched again where they may have changed. For a person's change see updateOrder, which uses the same rules (D-DISPATCH-55).
 * @returns the columns that stayed as somebody had set them on jobs
 */
export async function updateOrders(tx: SetTx, companyId: string, updates: readonly OrderUpdate[]): Promise<KeptOnJob[]> {
  await writeColumns(tx, 'orders', updates);
  const stayed = await followOrders(
    tx.query,
    updates.flatMap(({ id, set, changes }) => {
      const columns = [...Object.keys(set), ...(changes.waypoints ? ['route_id'] : [])];
      return columns.length > 0 ? [{ id, columns }] : [];
    }),
    tx.now,
  );
  await noteFollowing(
    tx.query,
    updates.flatMap(({ id, noted, changes }) => (noted && decidesRates(Object.keys(changes)) ? [id] : [])),
  );
  for (const { id, by, changes, isCanceled } of updates) {
    if (Object.keys(changes).length === 0) continue;
    by.records.audits.push({ event: 'update', type: 'Order', id, companyId, changes });
    if (!isCanceled) by.records.events.push({ name: 'order.updated', type: 'Order', id, companyId });
  }
  return stayed;
}
