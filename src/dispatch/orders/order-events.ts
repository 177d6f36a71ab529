import { LockMode } from '@mikro-orm/core';
import { find } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { mayMoveOrder } from '../access/order.policy.ts';
import { acceptForVendors } from '../assignment/auto-accept.ts';
import { cancelJobsWithin, noteJobEvents } from '../jobs/job-effects.ts';
import { jobFactsOf } from '../jobs/order-work.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { JOB_TERMINAL, NOT_STARTED, orderMachine } from '../model/order.machine.ts';
import type { OrderStateEvent } from '../model/states.ts';
import type { RejectOrderInput } from './order.inputs.ts';

/** Locks the order, checks the caller and fires the event; effects follow in the same transaction. @throws Missing, Denied, Conflict */
function move(
  ctx: Context,
  path: RecordPath,
  event: OrderStateEvent,
  effect: (tx: TxContext, order: Order) => void | Promise<void>,
): Promise<Order> {
  return transact(ctx, async (tx) => {
    const order = await find(tx, Order, path.id, { companyId: path.companyId, lock: true });
    mayMoveOrder(tx, order);
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

export const requestOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'request', clearRejection);

export const acceptOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'accept', opened);

export const rejectOrder = (ctx: Context, path: RecordPath, input: RejectOrderInput) =>
  move(ctx, path, 'reject', (tx, order) => {
    order.rejectReason = input.rejectReason ?? null;
    order.rejectedBy = tx.viewer?.name ?? null;
    order.rejectedAt = tx.tx.now;
  });

export const holdOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'hold', nothing);

export const weatherHoldOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'weather_hold', nothing);

export const startOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'start', opened);

/** Unstarted jobs are canceled (DOMAIN 1.1). */
export const completeOrder = (ctx: Context, path: RecordPath) => move(ctx, path, 'complete', closeUnstarted);

/** All jobs that are not terminal are canceled (DOMAIN 1.1). */
export const cancelOrder = (ctx: Context, path: RecordPath) =>
  move(ctx, path, 'cancel', async (tx, order) => {
    await cancelJobsWithin(tx, await openJobs(tx, order), 'OrderCanceled');
  });

/** What completing an order does to its jobs, also when it completes by itself. */
export async function closeUnstarted(tx: TxContext, order: Order): Promise<void> {
  const jobs = await openJobs(tx, order);
  const unstarted = jobs.filter((job) => NOT_STARTED.includes(job.state));
  await cancelJobsWithin(tx, unstarted, 'JobCanceled');
  await noteJobEvents(
    tx,
    jobs.map((job) => ({ job, state: job.state, eventName: 'OrderCompleted' })),
  );
}

const openJobs = (tx: TxContext, order: Order): Promise<Job[]> =>
  tx.em.find(
    Job,
    { order: order.id, state: { $nin: [...JOB_TERMINAL] } },
    { orderBy: { number: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } },
  );
