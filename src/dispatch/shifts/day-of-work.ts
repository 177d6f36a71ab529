import type { User } from '../../directory/people/user.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { mayDriveJob } from '../access/job.policy.ts';
import type { DriverDay } from '../model/driver-day.entity.ts';
import type { DriverStateEvent } from '../model/driver-state.entity.ts';
import { Job } from '../model/job.entity.ts';
import type { JobState } from '../model/states.ts';
import { beginState, LATEST_REPORT, lockDriver, presentState } from './begin-state.ts';
import { addBreaksOfDay } from './breaks-of-jobs.ts';
import { dateFor, dayOfDate, daysAfterwards, lockDay, lockDays, openShift, RESUMED_WITHIN } from './driver-days.ts';

/**
 * Locks the driver of a job that belongs to no day yet, for `hangOnDay`; the order and the job are locked after them.
 * @param state of the job, in which alone it is hung
 * @throws Missing, Denied
 */
export async function lockDriverOf(tx: TxContext, path: RecordPath, state?: JobState): Promise<User | undefined> {
  const seen = await find(tx, Job, path.id, { companyId: path.companyId });
  if (!seen.driver || seen.driverDayId || (state && seen.state !== state)) return undefined;
  mayDriveJob(tx, seen);
  return lockDriver(tx, seen.driver.id);
}

/**
 * Hangs a job on the driver's day when they first leave for it (PROOF A3). Who is off duty then is put on duty, so that every driven job
 * belongs to a day; if their day is approved already, the day is marked instead. A departure of before their present state, or of more than a day ago, changes nothing
 * of their shift.
 * @param driver locked, and the job's
 */
export async function hangOnDay(tx: TxContext, driver: User, job: Job, at: Date): Promise<void> {
  // Somebody else may have been assigned before the lock.
  if (job.driver?.id !== driver.id) return;
  if (job.driverDayId) return;
  job.driverDayId = await dayAt(tx, driver, at);
  // A telephone that was offline may send the departure after a break that followed it.
  if (at < tx.tx.now) await addBreaksOfDay(tx, job.id, job.driverDayId);
}

/** A job, and its driver, who is locked. */
export interface DrivenJob {
  driver: User;
  job: Job;
}

// The shift at a moment, or the one that began soonest after it, or ended latest before it.
const NEAREST = `select w.n::int as n, near.id from unnest($1::uuid[], $2::timestamptz[]) with ordinality w (driver_id, at, n), lateral (
  select driver_day_id as id from driver_state_event where user_id = w.driver_id and state <> 'off_duty' and driver_day_id is not null
    and started_at <= w.at + $3 * interval '1 millisecond' and (ended_at is null or ended_at >= w.at - $3 * interval '1 millisecond')
  order by greatest(started_at - w.at, case when ended_at is not null then w.at - ended_at end, interval '0'), started_at desc limit 1) near`;

/**
 * Hangs jobs that are completed, and of which nobody reported a departure, on the days on which their drivers hauled them: those of the shift at a moment, or next to
 * it, or else that of the date. The work is over, so nobody is put on duty by it. If there was no shift, the day is made as that of work which is reported afterwards;
 * if the day is approved, it is marked.
 */
export async function hangFinished(tx: TxContext, finished: readonly (DrivenJob & { at: Date })[]): Promise<void> {
  // Somebody else may have been assigned before the lock.
  const open = finished.filter(({ driver, job }) => job.driver?.id === driver.id && !job.driverDayId);
  if (open.length === 0) return;
  const near = await queryIn<{ n: number; id: string }>(tx.em, NEAREST, [
    open.map(({ driver }) => driver.id),
    open.map(({ at }) => at),
    RESUMED_WITHIN,
  ]);
  const dayOf = new Map(near.map(({ n, id }) => [open[n - 1]!, id]));
  const days = await lockDays(tx, [...new Set(dayOf.values())]);
  const byId = new Map(days.map((day) => [day.id, day]));
  const outside = open.filter((one) => !byId.has(dayOf.get(one) ?? ''));
  const found = await daysAfterwards(tx, outside);
  for (const [i, one] of outside.entries()) {
    dayOf.set(one, found[i]!.id);
    byId.set(found[i]!.id, found[i]!);
  }
  for (const one of open) {
    const day = byId.get(dayOf.get(one)!)!;
    if (day.billingApprovedAt) day.workedAfterApproval = true;
    one.job.driverDayId = day.id;
  }
}

async function dayAt(tx: TxContext, driver: User, at: Date): Promise<string> {
  const [covering] = await queryIn<{ id: string }>(
    tx.em,
    `select driver_day_id as id from driver_state_event where user_id = $1 and state <> 'off_duty' and driver_day_id is not null
       and started_at <= $2 and (ended_at is null or ended_at > $2) order by started_at desc limit 1`,
    [driver.id, at],
  );
  if (covering) return covering.id;
  const present = await presentState(tx, driver.id);
  const past = at < tx.tx.now ? await pastDayAt(tx, driver, present, at) : null;
  if (past) {
    if (past.billingApprovedAt) past.workedAfterApproval = true;
    return past.id;
  }
  if (present && present.state !== 'off_duty' && present.driverDayId) return present.driverDayId;
  const since = present && present.startedAt > at ? present.startedAt : at;
  const approved = await dayOfDate(tx, driver, await dateFor(tx, driver, since));
  if (approved?.billingApprovedAt) {
    approved.workedAfterApproval = true;
    return approved.id;
  }
  // On duty already, by a state of before days were kept.
  if (present && present.state !== 'off_duty') return (await openShift(tx, driver, since, null)).id;
  const { day } = await beginState(tx, driver, { state: 'on_duty', source: 'automation', seenAt: since });
  return day!.id;
}

const NEXT_SHIFT = `select driver_day_id as id from driver_state_event where user_id = $1 and state <> 'off_duty' and driver_day_id is not null
  and started_at > $2 and started_at <= $3 order by started_at limit 1`;

/**
 * Returns the day of a departure outside of all shifts, of before the driver's present state began or so long ago that no state can be reported of then: that of
 * the shift which began soon after it, or else of its date. If that has none, it is made: what the driver does since is of another one, and stays.
 * @returns null if it is of none
 */
async function pastDayAt(tx: TxContext, driver: User, present: DriverStateEvent | null, at: Date): Promise<DriverDay | null> {
  const isLate = at.getTime() < tx.tx.now.getTime() - LATEST_REPORT;
  if (!isLate && !(present && at < present.startedAt)) return null;
  const [next] = await queryIn<{ id: string }>(tx.em, NEXT_SHIFT, [driver.id, at, new Date(at.getTime() + RESUMED_WITHIN)]);
  const date = await dateFor(tx, driver, at);
  const known = next ? await lockDay(tx, next.id) : await dayOfDate(tx, driver, date);
  if (known) return known;
  const shift = !isLate && present?.driverDayId ? await lockDay(tx, present.driverDayId) : null;
  // A shift of another date would share its hours with this work, and no state can be reported of before it.
  if (isLate || (shift && shift.driverDayDate !== date)) return (await daysAfterwards(tx, [{ driver, at }]))[0]!;
  return shift;
}
