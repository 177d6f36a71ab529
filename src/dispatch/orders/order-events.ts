import type { User } from '../../directory/people/user.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { reread, setTxOf } from '../../platform/commands/set-tx.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { mayMoveOrder } from '../access/order.policy.ts';
import { acceptForVendors } from '../assignment/auto-accept.ts';
import { ticketedJobs } from '../checks/ticketed.ts';
import { cancelJobs, openJobsOf } from '../jobs/cancel-jobs.ts';
import { inNameOfViewer, insertJobEvents } from '../jobs/job-effects.ts';
import { jobFactsOf } from '../jobs/order-work.ts';
import { completeUnstarted, lockDriversOfTicketed } from '../loads/complete-unstarted.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import { NOT_STARTED, type OrderStateEvent } from '../model/states.ts';
import { cancelOrders } from './cancel-orders.ts';
import type { RejectOrderInput } from './order.inputs.ts';

/** Returns the locked order, if the caller may move it. @throws Missing, Denied */
async function lockToMove(tx: TxContext, path: RecordPath): Promise<Order> {
  const order = await find(tx, Order, path.id, { companyId: path.companyId, lock: true });
  mayMoveOrder(tx, order);
  return order;
}

/** Locks the order, checks the caller and runs the event, with its effects in the same transaction. @throws Missing, Denied, Conflict */
function move(
  ctx: Context,
  path: RecordPath,
  event: OrderStateEvent,
  effect: (tx: TxContext, order: Order) => void | Promise<void>,
): Promise<Order> {
  return transact(ctx, async (tx) => {
    const order = await lockToMove(tx, path);
    const before = order.state;
    orderMachine.fire(tx, order, event, await jobFactsOf(tx, order));
    if (before === 'hold' || before === 'weather_hold') {
      if (order.state !== 'hold' && order.state !== 'weather_hold') order.heldFrom = null;
    } else if (order.state === 'hold' || order.state === 'weather_hold') order.heldFrom = before;
    await effect(tx, order);
    return order;
  });
}

const nothing = () => {};
const clearRejection = (_tx: TxContext, order: Order) => {
  Object.assign(order, { rejectReason: null, rejectedBy: null, rejectedAt: null });
};
const opened = async (tx: TxContext, order: Order) => {
  clearRejection(tx, order);
  await acceptForVendors(tx, order);
};

/** Asks the company that is to haul an order whether it will. @throws Missing, Denied, Conflict, as the other events of orders do */
export const requestOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'request', clearRejection);

/** Accepts a requested order, and its jobs for vendors that accept by themselves. */
export const acceptOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'accept', opened);

/** Refuses a requested order, with the reason and who said so. */
export const rejectOrder = (ctx: Context, path: RecordPath, input: RejectOrderInput) =>
  move(ctx, path, 'reject', (tx, order) => {
    order.rejectReason = input.rejectReason ?? null;
    order.rejectedBy = tx.viewer?.name ?? null;
    order.rejectedAt = tx.tx.now;
  });

/** Interrupts an order until it is started again. */
export const holdOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'hold', nothing);

/** The same because of the weather. */
export const weatherHoldOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'weather_hold', nothing);

/** Starts an accepted order, or goes on with an interrupted one. */
export const startOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'start', opened);

/**
 * Completes an order; its unstarted jobs are canceled (DOMAIN 1.1), and those of them that have a ticket are completed (D-PROOF-250).
 * @throws Missing, Denied, Conflict
 */
export const completeOrder = (ctx: Context, path: RecordPath): Promise<Order> => {
  const complete = async (outer: TxContext): Promise<Order> => {
    const seen = await find(outer, Order, path.id, { companyId: path.companyId });
    mayMoveOrder(outer, seen);
    const drivers = await lockDriversOfTicketed(outer, seen.id);
    return move(outer, path, 'complete', (tx, order) => closeUnstarted(tx, order, drivers));
  };
  return transact(ctx, complete, [Order, path, 'see']);
};

/** Cancels all open jobs, too (DOMAIN 1.1). @throws Missing, Denied, Conflict */
export const cancelOrder = (ctx: Context, path: RecordPath): Promise<Order> =>
  transact(ctx, async (tx) => {
    const order = await lockToMove(tx, path);
    const { id, company, state, heldFrom } = order;
    const { billingApproved } = await jobFactsOf(tx, order);
    // The unit of work writes first, so that it does not overwrite what the statements write.
    await tx.em.flush();
    await cancelOrders(setTxOf(tx), [
      { id, companyId: company.id, state, heldFrom: heldFrom ?? null, facts: { billingApproved }, by: inNameOfViewer(tx) },
    ]);
    await reread(tx, Order, [id]);
    return order;
  });

/** Cancels the unstarted jobs of an order that is completed, but for those that have a ticket: these are completed with it, or nobody would bill what was weighed. */
async function closeUnstarted(tx: TxContext, order: Order, drivers: ReadonlyMap<string, User>): Promise<void> {
  await tx.em.flush();
  const [set, by] = [setTxOf(tx), inNameOfViewer(tx)];
  const jobs = await openJobsOf(set, [order.id]);
  const unstarted = jobs.filter((job) => NOT_STARTED.includes(job.state));
  const ids = unstarted.map(({ id }) => id);
  const ticketed = await ticketedJobs(tx, ids);
  await completeUnstarted(tx, [...ticketed], drivers);
  const canceled = unstarted.filter(({ id }) => !ticketed.has(id));
  await cancelJobs(set, canceled, 'JobCanceled', () => by);
  await reread(
    tx,
    Job,
    canceled.map(({ id }) => id),
  );
  await insertJobEvents(
    set,
    jobs.map((job) => {
      const state = ticketed.has(job.id) ? 'completed' : job.state;
      return { job, state, eventName: 'OrderCompleted', author: by.authorOf(job) };
    }),
  );
}
