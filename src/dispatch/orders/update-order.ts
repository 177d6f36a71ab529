import { LockMode, ref } from '@mikro-orm/core';
import { onlySeen } from '../../identity/access/money.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict, type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayEditOrder } from '../access/order.policy.ts';
import { assignToSharedDriver } from '../assignment/copy-crew.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { ticketedJobs } from '../checks/ticketed.ts';
import { changesUnits, collectUnitMismatches, unitsOfOrder } from '../checks/unit-mismatches.ts';
import { TRUCKS_OF_ORDER } from '../fields/limits.ts';
import { CONTACTS, dispatchNumberNamed, syncContacts, syncWaypoints } from '../fields/order-parts.ts';
import { watchParts } from '../fields/part-changes.ts';
import { syncPhases } from '../fields/sync-phases.ts';
import { cancelJobsWithin } from '../jobs/cancel-jobs.ts';
import { addTrucksTo, collectInactive } from '../jobs/order-work.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import type { Project } from '../model/project.entity.ts';
import type { JobState } from '../model/states.ts';
import { decidesRates, followingJobs, noteRates } from '../pricing/rate-source.ts';
import { followOrders, keepStopsOfPast } from './follow-orders.ts';
import { collectFullDays, departuresOf } from './moved-order.ts';
import type { UpdateOrderInput } from './order.inputs.ts';
import { attachWaiting, expectArrivals } from './order-arrival.ts';
import { applyOrderFields, resolveOrderReferences } from './order-fields.ts';
import { completeOrderIfDone } from './order-progress.ts';

/** Jobs that may be removed if fewer trucks are wanted, unless they have a ticket. */
const SPARE: readonly JobState[] = ['created', 'assigned', 'rejected'];
/** The fields that may bring a job to a day on which the order had none. */
const MOVES = ['loadAt', 'jobStartAt', 'truckDelay', 'trucksPerDelay', 'truckCount'] as const;
/** The parts of an order that are rows of their own. */
const PARTS = ['waypoints', 'phases', 'phase', ...CONTACTS] as const;

/**
 * Changes an order (PATCH): absent fields are kept, null clears. Jobs that have not left yet follow; a higher truck count adds jobs, a
 * lower one cancels the last ones that were neither sent nor accepted, and have no ticket.
 * @throws Conflict on a closed order or a stale `version`; Invalid with every wrong field at once
 */
export async function updateOrder(ctx: Context, path: RecordPath, sent: UpdateOrderInput): Promise<Order> {
  const input = onlySeen(viewerOf(ctx), sent);
  const mayArrive = Boolean(input.externalId || input.dispatchNumber?.name) || MOVES.some((field) => input[field] !== undefined);
  const update = async (tx: TxContext) => {
    // This lock comes before that of the order, as everywhere.
    if (mayArrive) await expectArrivals(setTxOf(tx), (await find(tx, Order, path.id, { companyId: path.companyId })).company.id);
    const order = await find(tx, Order, path.id, { companyId: path.companyId, lock: true });
    mayEditOrder(tx, order);
    if (orderMachine.isTerminal(order)) throw conflict('Order', order, 'update', 'order_closed');
    if (typeof input.version === 'number' && input.version !== order.version) {
      throw new Conflict([{ model: 'Order', field: 'version', key: 'stale_version' }]);
    }
    const comparator = tx.em.getComparator();
    const before = comparator.prepareEntity(order);
    const unitsBefore = unitsOfOrder(order);
    const departed = departuresOf(order);
    const companyId = order.company.id;
    const noteParts = PARTS.some((part) => input[part] !== undefined) ? await watchParts(tx, 'Order', order) : null;
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Order', items };
    // Waypoints and phases are changed by id, and their sites are resolved there.
    const { waypoints, phases, phase, ...fields } = input;
    const referred = await resolveOrderReferences(tx, Object.assign(Object.create(Object.getPrototypeOf(input)), fields), companyId, to);
    const project = referred.projectId as Project | null | undefined;
    if (project && project.account.id !== order.account.id) items.push({ model: 'Order', field: 'projectId', key: 'other_account' });
    if (input.serviceId === null) items.push({ model: 'Order', field: 'serviceId', key: 'required' });
    applyOrderFields(order, input, referred, to);
    if (input.loadAt) order.loadAt = input.loadAt;
    if (typeof input.truckDelay === 'number') order.truckDelay = input.truckDelay;
    for (const name of ['loadAt', 'truckDelay', 'truckCount', 'waypoints', 'phases'] as const) {
      if (input[name] === null) items.push({ model: 'Order', field: name, key: 'required' });
    }
    const stops = waypoints ? await syncWaypoints(tx, { routeId: order.routeId, companyId }, waypoints, to) : undefined;
    if (stops?.isMoved) await keepStopsOfPast(setTxOf(tx), [order.id]);
    await syncContacts(tx, order, companyId, input, to);
    if (phases) await syncPhases(tx, { orderId: order.id, companyId }, phases, to);
    else if (phase) await syncPhases(tx, { orderId: order.id, companyId }, [{ ...phase, primary: true }], to, 'phase');
    if (input.dispatchNumber === null || input.dispatchNumber?._destroy) order.dispatchNumber = null;
    else if (input.dispatchNumber?.name) order.dispatchNumber = ref(await dispatchNumberNamed(tx, companyId, input.dispatchNumber.name));
    if (changesUnits(input)) await collectUnitMismatches(tx, unitsOfOrder(order), { model: 'Order', input, before: unitsBefore }, items);
    if (items.length === 0) await collectFullDays(tx, order, departed, input, items);
    // A count that equals the stored one changes nothing, although trucks may have been canceled meanwhile.
    const trucks = input.truckCount === order.truckCount ? undefined : input.truckCount;
    if (trucks === 0) items.push({ model: 'Order', field: 'truckCount', key: 'out_of_range', params: { min: 1, max: TRUCKS_OF_ORDER } });
    const fewer = typeof trucks === 'number' && items.length === 0 && (await changeTruckCount(tx, order, trucks, to));
    if (items.length > 0) throw new Invalid(items);
    const { properties } = tx.em.getMetadata().get(Order);
    const changed = Object.keys(comparator.diffEntities(Order, before, comparator.prepareEntity(order)));
    const columns = changed.flatMap((name) => properties[name as keyof typeof properties].fieldNames);
    // The unit of work writes first, so that the statement below sees the changes.
    await tx.em.flush();
    await noteParts?.();
    await followOrders(setTxOf(tx).query, [{ id: order.id, columns: stops?.isChanged ? [...columns, 'route_id'] : columns }], tx.tx.now);
    if (stops?.isChanged || decidesRates(columns)) noteRates(tx, await followingJobs(tx, order.id));
    if (order.externalId && input.externalId)
      await attachWaiting(setTxOf(tx), companyId, [{ id: order.id, externalId: order.externalId }], () => tx.tx);
    // The removed trucks may have been the last open ones.
    if (fewer) await completeOrderIfDone(tx, order);
    emitEvent(tx, 'order.updated', order);
    return order;
  };
  return transact(ctx, update, mayArrive ? undefined : [Order, path, 'lock']);
}

/** @returns whether trucks were removed */
async function changeTruckCount(tx: TxContext, order: Order, wanted: number, to: ErrorCollector): Promise<boolean> {
  const jobs = await tx.em.find(Job, { order: order.id }, { orderBy: { number: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
  const live = jobs.filter((job) => job.state !== 'canceled');
  const surplus = live.length - wanted;
  if (surplus > 0) {
    const removable = live.filter((job) => SPARE.includes(job.state)).reverse();
    // What was weighed for a job would be canceled with it.
    const ticketed = await ticketedJobs(
      tx,
      removable.map(({ id }) => id),
    );
    const spare = removable.filter(({ id }) => !ticketed.has(id));
    if (spare.length < surplus) {
      to.items.push({ model: 'Order', field: 'truckCount', key: 'trucks_started', params: { started: live.length - spare.length } });
      return false;
    }
    await cancelJobsWithin(tx, spare.slice(0, surplus), 'JobCanceled');
  }
  order.truckCount = wanted;
  if (surplus >= 0) return surplus > 0;
  const first = (jobs.at(-1)?.number ?? 0) + 1;
  // The edit may have named other sites.
  await tx.em.flush();
  await collectInactive(tx, order, to.items);
  await validateAssignee(tx, order, { first, count: -surplus, later: true }, to.items, 'truckCount');
  if (to.items.length > 0) return false;
  await assignToSharedDriver(tx, order, await addTrucksTo(tx, order, first, -surplus), 'truckCount');
  return false;
}
