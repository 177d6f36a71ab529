import { User } from '../../directory/people/user.entity.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import { Missing } from '../../platform/errors.ts';
import { isWorkApproved } from '../checks/approved-work.ts';
import { isBilled } from '../checks/refuse-held.ts';
import { endOf, lastOnTheRoad, moveEnd } from '../jobs/drive.ts';
import { noteJobEvent } from '../jobs/job-effects.ts';
import { endJobWithin } from '../jobs/job-events.ts';
import { type DriverState, DriverStateEvent } from '../model/driver-state.entity.ts';
import { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { UNDER_WAY } from '../model/states.ts';
import { completeOrderIfDone, lockOrder } from '../orders/order-progress.ts';
import { type Begun, beginState, type DriverStateInput, presentState, type StateWish } from '../shifts/begin-state.ts';

/**
 * Puts the caller on duty, on a break or off duty; nothing changes if that is their state already.
 * @throws Missing if the caller is no driver, Conflict for a break of somebody who is off duty
 */
export function setOwnState(ctx: Context, state: DriverState, input: DriverStateInput = {}): Promise<DriverStateEvent> {
  return transact(ctx, async (tx) => (await changeState(tx, ownId(tx), { ...input, state, source: 'phone' })).event);
}

/** Puts a driver off duty who forgot to do so. @throws Missing, also if they were never on duty; Denied */
export function setOffDuty(ctx: Context, driverId: string): Promise<DriverStateEvent> {
  return transact(ctx, async (tx) => {
    await find(tx, User, driverId);
    allow(tx, 'edit_user');
    if (!(await presentState(tx, driverId))) throw new Missing();
    return (await changeState(tx, driverId, { state: 'off_duty', source: 'web', by: 'office' })).event;
  });
}

/** Returns the id of the caller's present state; undefined before the first time on duty. @throws Missing for those who do not drive */
export async function ownStateId(ctx: Context): Promise<string | undefined> {
  const now = await ctx.em.findOne(DriverStateEvent, { userId: ownId(ctx), endedAt: null });
  if (!now && !viewerOf(ctx).roles.includes('driver')) throw new Missing();
  return now?.id;
}

/**
 * Returns the minutes for which the caller was on duty since midnight of their time zone, rounded down for each stretch as those of a day are (PROOF A1).
 * @throws Missing for machine clients
 */
export async function ownTimeLogged(ctx: Context): Promise<number> {
  const { rows } = await (await poolOf(ctx.em)).query<{ minutes: number }>({
    name: 'time-logged',
    text: `select coalesce(sum(greatest(0, floor(extract(epoch from coalesce(e.ended_at, present_time()) - greatest(e.started_at, day.start)) / 60))), 0)::int as minutes
      from app_user u join company c on c.id = u.company_id,
        lateral (select coalesce(u.time_zone, c.time_zone) as name) z,
        lateral (select ${dayStartSql('(present_time() at time zone z.name)::date', 'z.name')} as start) day,
        driver_state_event e
      where u.id = $1 and e.user_id = u.id and e.state = 'on_duty' and coalesce(e.ended_at, present_time()) > day.start`,
    values: [ownId(ctx)],
  });
  return rows[0]?.minutes ?? 0;
}

/** The id of the person who asks. @throws Missing for machine clients */
export function ownId(ctx: Context): string {
  const viewer = viewerOf(ctx);
  if (viewer.type !== 'User' && viewer.type !== 'Impersonation') throw new Missing();
  return viewer.id;
}

/**
 * Puts a locked driver into a state, and ends the jobs under way when they go off duty (DOMAIN 1.6). Who was deactivated, or is no driver any more, while
 * on duty can still be put off it, and nothing else. @throws Missing, Conflict, Invalid
 */
export async function changeState(tx: TxContext, driverId: string, wish: StateWish): Promise<Begun> {
  const driver = await find(tx, User, driverId, { lock: true });
  const drives = driver.roles.includes('driver') && !driver.discardedAt;
  if (!drives && !(wish.state === 'off_duty' && (await isOnShift(tx, driverId)))) throw new Missing();
  const begun = await beginState(tx, driver, wish);
  if (begun.changed && wish.state === 'off_duty') await endJobs(tx, begun);
  return begun;
}

/** A shift outlasts the role and the account of its driver: somebody has to end it, or its hours are never approved. */
const isOnShift = async (tx: TxContext, driverId: string): Promise<boolean> => {
  const now = await presentState(tx, driverId);
  return now !== null && now.state !== 'off_duty';
};

/**
 * Ends the jobs that a driver who is off duty now has under way; those that have not begun are kept for another day. Jobs that ended with a shift which ended
 * by itself end with it when that turns out to have lasted longer, unless they are approved, or an approved invoice holds them.
 */
async function endJobs(tx: TxContext, { event, day }: Begun): Promise<void> {
  const { userId: driverId, startedAt: at } = event;
  await tx.em.flush();
  const open = await tx.em.find(Job, { driver: driverId, state: { $in: [...UNDER_WAY] } });
  const over = day ? await queryIn<Ending>(tx.em, ENDED_BY_ITSELF, [day.id, driverId, at]) : [];
  const jobs: Ending[] = [...open.map(({ id, order }) => ({ id, orderId: order.id })), ...over];
  const isOver = new Set(over.map(({ id }) => id));
  // All of them by their orders, as everywhere that several are locked.
  for (const { id, orderId } of jobs.sort((one, other) => (one.orderId < other.orderId ? -1 : 1))) {
    const locked = await lockOrder(tx, orderId);
    const job = await find(tx, Job, id, { lock: true });
    if (isOver.has(id)) await endLater(tx, job, at);
    else if (UNDER_WAY.includes(job.state)) await endWithShift(tx, job, locked, at);
  }
}

interface Ending {
  id: string;
  orderId: string;
}

// Who is off duty at that moment has gone on since, or ended the shift then.
const ENDED_BY_ITSELF = `select j.id, j.order_id as "orderId" from job j
  cross join lateral (select e.occurred_at as at, e.event_source as source from job_event e
    where e.job_id = j.id and e.event_name = 'JobEnded' and e.undone_at is null order by e.occurred_at desc limit 1) e
  where j.driver_day_id = $1 and j.state = 'ended' and e.source = 'automation' and e.at < $3 and not exists (select from driver_state_event f
    where f.user_id = $2 and f.state = 'off_duty' and f.started_at <= e.at and (f.ended_at is null or f.ended_at > e.at))`;

async function endLater(tx: TxContext, job: Job, at: Date): Promise<void> {
  if (job.state !== 'ended' || (await isWorkApproved(tx, job)) || (await isBilled(tx, job))) return;
  moveEnd(tx, job, await endOf(tx, job), at);
}

async function endWithShift(tx: TxContext, job: Job, order: Order, at: Date): Promise<void> {
  noteJobEvent(tx, job, 'ShiftEnded', { occurredAt: at });
  // Whoever reports late that they left may have been seen at work after it: that is a part of the job.
  const last = await lastOnTheRoad(tx, job);
  await endJobWithin(tx, job, last && last > at ? last : at);
  await tx.em.flush();
  await completeOrderIfDone(tx, order);
}
