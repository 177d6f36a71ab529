import { ref } from '@mikro-orm/core';
import { User } from '../directory/people/user.entity.ts';
import { nextNumbers } from '../dispatch/fields/numbers.ts';
import { DriverDay } from '../dispatch/model/driver-day.entity.ts';
import { idOfDay, isOwnDay } from '../dispatch/shifts/driver-days.ts';
import { emitEvent, type TxContext } from '../platform/commands/transact.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';

/** The work of the driver who stayed on days that go back to the former driver. */
const WORKED = `select d.id, exists (select from driver_state_event e where e.driver_day_id = d.id and e.user_id = $2) as "hasShift",
    (exists (select from invoice i where i.driver_day_id = d.id and i.state not in ('created', 'in_progress', 'pending', 'voided')
        and i.billing_approved_at > $3)
      or exists (select from audit_entry a where a.company_id = d.company_id and a.subject_type = 'DriverDay' and a.subject_id = d.id and a.created_at > $3
        and a.object_changes ?| array['approved_totals', 'billing_approved_at', 'shift_adjustment_minutes', 'adjusted_started_shift_at',
          'adjusted_ended_shift_at'])) as "isDecided"
  from driver_day d where d.id = any($1::uuid[])
    and (exists (select from driver_state_event e where e.driver_day_id = d.id and e.user_id = $2)
      or exists (select from job j where j.driver_day_id = d.id and j.driver_id = $2)) order by d.id`;
const JOBS = 'select id, company_id from job where driver_day_id = $1 and driver_id = $2 order by id';
const TAKE_EVENTS =
  'update driver_state_event set driver_day_id = $3, updated_at = present_time() where driver_day_id = $1 and user_id = $2';
const TAKE_JOBS = `update job set driver_day_id = $2, version = version + 1, updated_at = present_time() where id = any($1::uuid[])`;
// A shift begins with the first time on duty, and ends when the driver goes off duty.
const TIMES = `update driver_day d set version = version + 1, updated_at = present_time(), started_shift_at = s.started, ended_shift_at = s.ended,
    end_reason = case when s.ended is not null then coalesce(d.end_reason, 'driver') end
  from (select min(e.started_at) as started, case when count(*) filter (where e.ended_at is null) = 0 then max(e.ended_at) end as ended
    from driver_state_event e where e.driver_day_id = $1 and e.state <> 'off_duty') s
  where d.id = $1`;

/**
 * Parts days that go back to a former driver from what the driver who stayed has done on them since the merge: their time is on a day of their own, and
 * so are their jobs. A job without any time of theirs belongs to no day, and is paid by itself.
 * @param since the moment of the merge
 * @returns the days that these times are on now, and all of these jobs; undefined if somebody has corrected or approved a day on which both have worked,
 *   which nobody can distinguish any more
 */
export async function partDays(
  tx: TxContext,
  dayIds: readonly string[],
  keptId: string,
  since: Date,
): Promise<{ days: string[]; jobs: string[] } | undefined> {
  const parted = { days: [] as string[], jobs: [] as string[] };
  if (dayIds.length === 0) return parted;
  const worked = await withPartnerVisibility(() =>
    queryIn<{ id: string; hasShift: boolean; isDecided: boolean }>(tx.em, WORKED, [dayIds, keptId, since]),
  );
  if (worked.some(({ isDecided }) => isDecided)) return undefined;
  for (const { id, hasShift } of worked) {
    const own = hasShift ? await dayLike(tx, id, keptId) : null;
    if (own === undefined) return undefined;
    if (own) {
      await queryIn(tx.em, TAKE_EVENTS, [id, keptId, own]);
      for (const day of [id, own]) await queryIn(tx.em, TIMES, [day]);
      parted.days.push(own);
    }
    const jobs = await withPartnerVisibility(() => queryIn<{ id: string; company_id: string }>(tx.em, JOBS, [id, keptId]));
    for (const job of jobs) actOnBehalfOf(job.company_id);
    await queryIn(tx.em, TAKE_JOBS, [jobs.map((job) => job.id), own]);
    parted.jobs.push(...jobs.map((job) => job.id));
  }
  return parted;
}

/** The day of the same date that another driver has, or a new one. @returns undefined if somebody has corrected or approved it: nothing is added to it then */
async function dayLike(tx: TxContext, dayId: string, driverId: string): Promise<string | undefined> {
  const anybodys = { filters: { tenant: false }, refresh: true };
  const of = await tx.em.findOneOrFail(DriverDay, { id: dayId }, anybodys);
  const { company, driverDayDate, startsAt, endsAt, timesEditable } = of;
  const there = await tx.em.findOne(DriverDay, isOwnDay(driverId, driverDayDate), anybodys);
  if (there) {
    const isDecided =
      there.billingApprovedAt ||
      there.approvedTotals ||
      there.shiftAdjustmentMinutes !== 0 ||
      there.adjustedStartedShiftAt ||
      there.adjustedEndedShiftAt;
    return isDecided ? undefined : there.id;
  }
  const number = await nextNumbers(tx.em, company.id, 'driver_day', 1);
  const day = Object.assign(new DriverDay(), {
    ...{ id: idOfDay(driverId, driverDayDate), company, driver: ref(User, driverId), driverDayDate, driverDayId: `D-${number}` },
    ...{ startsAt, endsAt, timesEditable },
  });
  tx.em.persist(day);
  await tx.em.flush();
  emitEvent(tx, 'driver_day.created', day);
  return day.id;
}
