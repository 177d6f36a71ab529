import { setOfNew } from '../../platform/commands/audit.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { importedDefaultsOf, ORDER_FIELDS } from '../fields/work-fields.ts';
import { writeColumns } from '../fields/write-columns.ts';
import {
  type ContactKind,
  type ContactRow,
  contactColumnsOf,
  type PhaseValues,
  recordContact,
  type StopRow,
  writeContacts,
  writePhases,
  writeStops,
} from '../fields/write-parts.ts';
import { addTrucks, loadsPerTruckOf, type Trucks } from '../jobs/add-trucks.ts';
import type { InNameOf } from '../jobs/job-effects.ts';
import { orderMachine } from '../model/order.machine.ts';
import type { OrderState } from '../model/states.ts';
import { decidesRates, noteFollowing, ratesToNote } from '../pricing/rate-source.ts';

import { followOrders, type KeptOnJob } from './follow-orders.ts';

/** An order that is to be created: it is checked, and its references are resolved. */
export interface NewOrder {
  id: string;
  by: InNameOf;
  externalId: string;
  state: OrderState;
  loadAt: Date;
  truckCount: number;
  /** The values that were sent, by column; for the others, the table of fields has the defaults of imports. */
  values: Readonly<Record<string, unknown>>;
  /** Ids of what it refers to, and of its people, by column; all orders have the same columns. */
  references: Readonly<Record<string, unknown>> & { vendor_id: string | null };
  contacts: Partial<Record<ContactKind, ContactRow>>;
  stops: readonly Pick<StopRow, 'type' | 'site_id'>[];
  phases: readonly PhaseValues[];
}

const DEFAULTS = importedDefaultsOf(ORDER_FIELDS);

/** Returns the columns of a new order's values: those that were sent, and those derived from them. */
export function valuesOfNew(given: NewOrder['values']): Record<string, unknown> {
  const values: Record<string, unknown> = { ...DEFAULTS, ...given };
  return { ...values, loads_per_truck: loadsPerTruckOf(sizeOf(values)) };
}

const sizeOf = (values: NewOrder['values']): Pick<Trucks, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'> => ({
  loadsPerTruck: values.loads_per_truck as number | null,
  jobUnitOfMeasure: values.job_unit_of_measure as string | null,
  jobQuantity: values.job_quantity as string | null,
});

/** States in which an import may create an order: an initial one, or canceled (DOMAIN section 5). */
export const IMPORTED_STATES: readonly OrderState[] = [...orderMachine.initial, 'canceled'];

/** Returns the friendly number of an order. */
export const orderIdOf = (number: number): string => String(number);

/**
 * Creates orders of a company with their contacts, stops, phases, jobs and loads, in a number of statements that does not depend on theirs.
 * The jobs of an order with a vendor are assigned to it, and a canceled order has no jobs. The caller has checked permissions, and whether
 * the vendors may get the work. For an order that a person creates see createOrder, which uses the same rules (D-DISPATCH-55).
 * @param firstNumber of the running numbers that were reserved for them
 */
export async function createOrders(tx: SetTx, companyId: string, orders: readonly NewOrder[], firstNumber: number): Promise<void> {
  if (orders.length === 0) return;
  for (const order of orders) recordCreated(companyId, order);
  const made = orders.map((order) => ({ order, routeId: newId(), values: valuesOfNew(order.values) }));
  const none = Object.fromEntries(
    made
      .flatMap(({ values, order }) => [...Object.keys(values), ...Object.keys(contactColumnsOf(order.contacts))])
      .map((column) => [column, null]),
  );
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: companyId };
  const rows = made.map(({ order, routeId, values }, at) => ({
    ...none,
    ...values,
    ...stamps,
    id: order.id,
    number: firstNumber + at,
    order_id: orderIdOf(firstNumber + at),
    external_id: order.externalId,
    state: order.state,
    load_at: order.loadAt.toISOString(),
    truck_count: order.truckCount,
    ...order.references,
    ...contactColumnsOf(order.contacts),
    route_id: routeId,
    version: 1,
  }));
  await writeContacts(tx, companyId, { added: orders.flatMap(({ contacts }) => Object.values(contacts)), changed: [] });
  await insertRows(tx.em, 'orders', rows);
  const stops = made.flatMap(({ order, routeId }) =>
    order.stops.map((stop, ordinality) => ({ ...stop, id: newId(), route_id: routeId, ordinality, contact_id: null })),
  );
  await writeStops(tx, companyId, { added: stops, changed: [] });
  const phases = orders.flatMap(({ id, phases: of }) => of.map((phase) => ({ ...phase, id: newId(), order_id: id })));
  await writePhases(tx, companyId, 'order_id', { added: phases, changed: [] });
  await sendTrucks(
    tx,
    companyId,
    made.filter(({ order }) => order.state !== 'canceled'),
  );
}

function recordCreated(companyId: string, { id, by, externalId, state, loadAt, truckCount, values, contacts }: NewOrder): void {
  for (const contact of Object.values(contacts)) recordContact(by.records, companyId, contact);
  const at = { type: 'Order', id, companyId };
  by.records.events.push({ name: 'order.created', ...at, payload: { state } });
  const set = { external_id: externalId, state, load_at: loadAt.toISOString(), truck_count: truckCount, ...values };
  by.records.audits.push({ event: 'create', ...at, changes: setOfNew(set) });
}

/** Adds the jobs and loads of new orders. If the orders have several authors, the rows name those of their order. */
async function sendTrucks(tx: SetTx, companyId: string, made: readonly { order: NewOrder; values: NewOrder['values'] }[]): Promise<void> {
  const hiring = made.flatMap(({ order }) => (order.references.vendor_id === null ? [] : [order.id]));
  const rates = await ratesToNote(tx.query, hiring);
  const authored = made.map((one) => ({ ...one, author: one.order.by.authorOf({ companyId }) }));
  for (const group of Map.groupBy(authored, ({ author }) => author.createdById).values()) {
    const { createdByType: type, createdById: id, createdByName: name } = group[0]!.author;
    const trucks = group.map(
      ({ order, values }): Trucks => ({ orderId: order.id, firstNumber: 1, count: order.truckCount, ...sizeOf(values) }),
    );
    await addTrucks(tx.query, trucks, { now: tx.now, by: { type, id, name } }, rates);
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
