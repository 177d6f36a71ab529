import { LockMode } from '@mikro-orm/core';
import { isOfOwner } from '../../dispatch/access/job.policy.ts';
import { refuseHeldDay } from '../../dispatch/checks/refuse-held.ts';
import { ticketedLoads } from '../../dispatch/checks/ticketed.ts';
import { hoursToApprove, totalsToApprove } from '../../dispatch/drivers/driver-day-figures.ts';
import { noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { lockOrder } from '../../dispatch/orders/order-progress.ts';
import { lockDriver } from '../../dispatch/shifts/begin-state.ts';
import { lockDay } from '../../dispatch/shifts/driver-days.ts';
import { denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { requireExpected } from '../../platform/authz/expected.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Missing } from '../../platform/errors.ts';
import type { ApprovalType } from './approval-assignment.entity.ts';
import type { ApprovalState } from './approval-state.entity.ts';
import { APPROVABLE_JOB, isClosed, NOTHING_TO_APPROVE } from './approve.ts';
import {
  type Approvable,
  type ApprovalWish,
  approve,
  approvedAs,
  asWhat,
  CATEGORY,
  isApproved,
  refusal,
  refuseName,
  toTakeBack,
  unapprove,
} from './flags.ts';
import { booksOf, holdersOf } from './holders.ts';

/**
 * Approves a day whose shift is over, and with it its finished jobs and their completed loads, as far as the caller's company sees them (PROOF A2).
 * Unfinished work is left, and the day is approved all the same; a driver approves the day alone. The totals are frozen when the driver's company
 * approves for billing, and the hours that a customer approves are kept with its approval.
 * @throws Missing, Denied; Invalid while the shift lasts, or when the category is approved already
 */
export function approveDriverDay(ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<DriverDay> {
  return withDay(ctx, path, async (tx, { day, held, jobs, loads, books }) => {
    const as = asWhat(viewerOf(tx), wish);
    refuseName('DriverDay', wish, as);
    if (!day.endedShiftAt) throw refusal('DriverDay', 'shift_lasts');
    if (isApproved(held, as)) throw refusal('DriverDay', 'approved_already');
    approve(tx, 'DriverDay', held, as, wish);
    if (CATEGORY[as] === 'billing' && held !== day) (held as ApprovalState).approvedTotals = await hoursToApprove(tx.em, day.id);
    if (held === day && CATEGORY[as] === 'billing') {
      day.approvedTotals = await totalsToApprove(tx.em, day.id);
      // Whoever approves it anew has seen what was reported after the approval of before.
      day.workedAfterApproval = false;
      day.measuredAfterApproval = false;
    }
    emitEvent(tx, 'driver_day.approved', day, { approval_type: as, company_id: held.company.id });
    // A driver answers for the day alone.
    if (as === 'driver') return;
    const finished = new Map(jobs.filter(({ state }) => APPROVABLE_JOB.includes(state)).map((job) => [job.id, job]));
    for (const [job, flags] of await holdersOf(tx, 'Job', jobs, books))
      if (finished.has(job.id) && !isApproved(flags, as)) approve(tx, 'Job', flags, as, wish);
    const open = (await openOf(tx, loads)).flatMap((load) =>
      finished.has(load.job.id) ? [{ job: finished.get(load.job.id)!, load }] : [],
    );
    const left: Left[] = [...jobs.filter((job) => !finished.has(job.id)).map((job) => ({ job })), ...open];
    await noteLeft(tx, { day, left, as, approver: held.company.id });
    for (const [load, flags] of await holdersOf(tx, 'Load', loads, books))
      if (load.state === 'completed' && finished.has(load.job.id) && !isApproved(flags, as)) approve(tx, 'Load', flags, as, wish);
  });
}

/** Returns the loads that were begun, or that a ticket proves, and were not brought to their end. One that nobody began otherwise has nothing to be approved. */
async function openOf(tx: TxContext, loads: readonly Load[]): Promise<Load[]> {
  const proven = await ticketedLoads(
    tx,
    loads.filter(({ state }) => state === 'created').map(({ id }) => id),
  );
  return loads.filter(({ id, state }) => proven.has(id) || (!NOTHING_TO_APPROVE.includes(state) && state !== 'completed'));
}

/** A job of a day that is not finished, or a load of one that is. */
interface Left {
  job: Job;
  load?: Load;
}

interface Partly {
  day: DriverDay;
  left: readonly Left[];
  as: ApprovalType;
  /** The company that approves. */
  approver: string;
}

/**
 * Notes in the timelines of jobs that a day was approved without them, or without a load of theirs (PROOF A2), also in those of a customer who passed
 * its job to the company that approves. Approvals are nobody's business two links away, and neither is whose day it is to a customer who may not see
 * it.
 */
async function noteLeft(tx: TxContext, { day, left, as, approver }: Partly): Promise<void> {
  const open = left.filter(({ job }) => job.state !== 'canceled' && !isClosed(job));
  const isOwn = (job: Job) => isOfOwner(viewerOf(tx), job.company.id);
  const others = open.filter(({ job }) => !isOwn(job)).map(({ job }) => job.id);
  const received = new Set(
    others.length === 0 ? [] : (await queryIn<{ id: string }>(tx.em, RECEIVED, [others, approver])).map(({ id }) => id),
  );
  const payload = { approval_partial: CATEGORY[as] };
  for (const { job, load } of open) {
    const of = load ? { loadId: load.id } : {};
    if (isOwn(job)) noteJobEvent(tx, job, 'JobUpdated', { ...of, payload: { ...payload, driver_day_id: day.id } });
    else if (received.has(job.id)) noteJobEvent(tx, job, 'JobUpdated', { ...of, payload });
  }
}

/** The jobs of $1 that company $2 has from their owner. */
const RECEIVED = `select a.job_id as id from job_assignment a join job j on j.id = a.job_id
  where a.job_id = any($1::uuid[]) and a.vendor_company_id = $2 and a.customer_company_id = j.company_id`;

/**
 * Withdraws the approvals of the caller's category on a day, its jobs and their loads, or only one type of approval when it is named. Jobs that
 * were signed off keep theirs. A driver takes back that of the day alone.
 * @throws Missing, Denied; Invalid when there is none
 */
export function unapproveDriverDay(ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<DriverDay> {
  return withDay(ctx, path, async (tx, { day, held, jobs, loads, books }) => {
    const types = toTakeBack(viewerOf(tx), wish);
    if (approvedAs(held, types).length === 0) throw refusal('DriverDay', 'not_unapprovable');
    await refuseHeldDay(tx, { dayId: day.id, companyId: held.company.id });
    await unapprove(tx, 'DriverDay', held, types, wish);
    if (!held.billingApprovedAt) (held as DriverDay | ApprovalState).approvedTotals = null;
    emitEvent(tx, 'driver_day.unapproved', day, { company_id: held.company.id });
    // A driver answered for the day alone, and what they approved of jobs and loads they approved by itself.
    if (types.every((type) => type === 'driver')) return;
    const open = new Set(jobs.filter((job) => !isClosed(job)).map(({ id }) => id));
    for (const [job, flags] of await holdersOf(tx, 'Job', jobs, books))
      if (open.has(job.id) && approvedAs(flags, types).length > 0) await unapprove(tx, 'Job', flags, types, wish);
    for (const [load, flags] of await holdersOf(tx, 'Load', loads, books))
      if (open.has(load.job.id) && approvedAs(flags, types).length > 0) await unapprove(tx, 'Load', flags, types, wish);
  });
}

interface Locked {
  day: DriverDay;
  /** Where the approvals of the day are kept for the caller's company. */
  held: Approvable;
  /** The day's jobs and loads that the caller sees, locked. */
  jobs: Job[];
  loads: Load[];
  books: (record: Approvable) => string;
}

/** Days that a transaction has locked for many, with all that hangs on them. */
const locked = new WeakMap<object, ReadonlySet<string>>();
/** Notes that drivers, days, orders, jobs and loads of days are locked in the running transaction, before any of them was read. */
export const noteLocked = (tx: TxContext, dayIds: readonly string[]): void => void locked.set(tx.em, new Set(dayIds));

/** True if nothing of a day needs to be locked anew. Rows of other companies cannot be locked before it is known for whom one acts. */
function isLocked(tx: TxContext, day: DriverDay, jobs: readonly Job[]): boolean {
  const { companyIds } = viewerOf(tx);
  return Boolean(locked.get(tx.em)?.has(day.id)) && [day, ...jobs].every(({ company }) => companyIds.includes(company.id));
}

/** Locks the driver, the day, the orders, the jobs and the loads, in this order as everywhere. @throws Missing, Denied */
function withDay(ctx: Context, path: RecordPath, act: (tx: TxContext, locked: Locked) => Promise<void>): Promise<DriverDay> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, DriverDay, path.id, { companyId: path.companyId, shared: true });
    const visible = await tx.em.find(Job, { driverDayId: seen.id }, { orderBy: { order: 'asc', number: 'asc' } });
    mayApprove(tx, seen, visible);
    const linked = await linkedCompany(tx, seen, path.companyId);
    const books = (record: Approvable) => booksOf(viewerOf(tx), record.company.id, linked);
    const fresh = isLocked(tx, seen, visible);
    if (!fresh) await lockDriver(tx, seen.driver.id);
    const day = fresh ? seen : (await lockDay(tx, seen.id))!;
    // A customer's approval is kept apart from the day, which is not written: nothing else would compare it under its lock.
    requireExpected(tx, day, true);
    const orders = fresh ? [] : [...new Set(visible.map(({ order }) => order.id))].sort();
    for (const orderId of orders) await lockOrder(tx, orderId);
    const options = { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false }, refresh: true } as const;
    const ids = visible.map(({ id }) => id);
    const now = fresh || ids.length === 0 ? visible : await tx.em.find(Job, { id: { $in: ids } }, { ...options, orderBy: { id: 'asc' } });
    const jobs = now.filter(({ driverDayId }) => driverDayId === day.id);
    const loads =
      ids.length === 0 ? [] : await tx.em.find(Load, { job: { $in: jobs.map(({ id }) => id) } }, { ...options, orderBy: { id: 'asc' } });
    const [held] = (await holdersOf(tx, 'DriverDay', [day], books)).values();
    await act(tx, { day, held: held!, jobs, loads, books });
    return day;
  });
}

/** A foreman approves days with a job of theirs, a driver their own. @throws Denied; Missing for a driver, to whom days of others are nobody's business */
function mayApprove(tx: TxContext, day: DriverDay, jobs: readonly Job[]): void {
  const viewer = viewerOf(tx);
  if (viewer.can('approve_driver_day')) return;
  const own = day.driver.id === viewer.id || jobs.some(({ foremanIds }) => foremanIds.includes(viewer.id));
  if (!own && viewer.roles.length > 0 && viewer.roles.every((role) => role === 'driver')) throw new Missing();
  if (!own || !viewer.can('approve_driver_day:own')) throw denial(viewer, 'approve_driver_day');
}

/** The caller's company that has the link to the driver's company; the caller's own if it is the driver's. */
async function linkedCompany(tx: TxContext, day: DriverDay, companyId: string | null | undefined): Promise<string> {
  const { companyIds, companyId: own } = viewerOf(tx);
  if (companyIds.includes(day.company.id)) return day.company.id;
  const [row] = await queryIn<{ id: string }>(
    tx.em,
    `select a.customer_company_id as id from job_assignment a join job j on j.id = a.job_id
     where j.driver_day_id = $1 and a.vendor_company_id = $2 and a.customer_company_id = any($3) order by a.customer_company_id <> $4, 1 limit 1`,
    [day.id, day.company.id, companyId ? [companyId] : companyIds, own],
  );
  return row?.id ?? own;
}
