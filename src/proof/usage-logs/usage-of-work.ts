import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { computedTotals } from '../../dispatch/drivers/driver-day-figures.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { type JobSummary, jobSummarySql } from '../../dispatch/model/job-summary.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Denied, type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import type { ResourceUsageLoggableType } from './resource-usage-log.entity.ts';

/** The record of a path. */
export interface Work {
  type: ResourceUsageLoggableType;
  id: string;
}

/** A day or a job whose time is divided, with what its logs have in common. */
export interface Used {
  companyId: string;
  driverId: string | undefined;
  driverDayId: string | null;
  jobId: string | null;
}

/** The record if the viewer sees it: for lists. A customer sees the days of whom it hired. @throws Missing */
export async function seenWork(ctx: Context, { type, id }: Work): Promise<Work> {
  const entity = { DriverDay, Job, Load }[type] as typeof Job;
  return { type, id: (await find(ctx, entity, id, { shared: type === 'DriverDay' })).id };
}

/** Locks the day, or the job, whose logs are changed. @throws Missing, Denied without one of the permissions on the side of its owner */
export async function lockWork(tx: TxContext, { type, id }: Work, permissions: readonly string[]): Promise<Used> {
  const [first, ...rest] = permissions as [string, ...string[]];
  if (type === 'DriverDay') {
    const day = await find(tx, DriverDay, id, { lock: true });
    const viewer = viewerOf(tx);
    const lacking = permissions.find((permission) => !viewer.can(permission));
    if (lacking) throw new Denied(lacking);
    return { companyId: day.company.id, driverId: day.driver.id, driverDayId: day.id, jobId: null };
  }
  const job = await find(tx, Job, type === 'Load' ? (await find(tx, Load, id)).job.id : id, { lock: true });
  mayWithJob(tx, job, first, ...rest);
  return { companyId: job.company.id, driverId: job.driver?.id, driverDayId: job.driverDayId ?? null, jobId: job.id };
}

/** A job or load of a day or job that a log names. @throws Invalid on the field if it is none of the work */
export async function placeOf(tx: TxContext, used: Used, named: Work, field: string): Promise<{ used: Used; loadId: string | null }> {
  const wrong = new Invalid([{ model: 'ResourceUsageLog', field, key: 'not_of_work' }]);
  if (named.type === 'DriverDay') {
    if (used.jobId || named.id !== used.driverDayId) throw wrong;
    return { used, loadId: null };
  }
  try {
    const load = named.type === 'Load' ? await find(tx, Load, named.id) : undefined;
    const job = await find(tx, Job, load?.job.id ?? named.id);
    if (used.jobId ? job.id !== used.jobId : job.driverDayId !== used.driverDayId || job.company.id !== used.companyId) throw wrong;
    return { used: { ...used, jobId: job.id, driverDayId: job.driverDayId ?? null, driverId: job.driver?.id }, loadId: load?.id ?? null };
  } catch (error) {
    throw error instanceof Missing ? wrong : error;
  }
}

/** The dates on which a day was worked: that of the day, and the next one if the shift lasts over midnight. */
export async function datesOf(tx: TxContext, { driverDayId, jobId }: Used): Promise<readonly string[]> {
  const [row] = await queryIn<{ dates: string[] }>(
    tx.em,
    driverDayId
      ? `select array[d.driver_day_date::text] || case when coalesce(d.adjusted_ended_shift_at, d.ended_shift_at, present_time()) > d.ends_at
           then array[(d.driver_day_date + 1)::text] else '{}' end as dates from driver_day d where d.id = $1`
      : `select array[(j.job_start_at at time zone c.time_zone)::date::text, ((j.job_start_at at time zone c.time_zone)::date + 1)::text] as dates
         from job j join company c on c.id = j.company_id where j.id = $1`,
    [driverDayId ?? jobId],
  );
  return row?.dates ?? [];
}

/** Whether a phase belongs to an order of the work. */
export async function isPhaseOf(tx: TxContext, phaseId: string, { driverDayId, jobId }: Used): Promise<boolean> {
  const [row] = await queryIn<object>(
    tx.em,
    `select from phase p join job j on j.order_id = p.order_id where p.id = $1 and case when $2::uuid is null then j.driver_day_id = $3 else j.id = $2 end limit 1`,
    [phaseId, jobId, driverDayId],
  );
  return row !== undefined;
}

/**
 * Says what is left if the logs of a day are more than its shift, or those of a job more than its work (PROOF A3). A shift or job that lasts has
 * no sum yet. Call with everything flushed.
 * @param given minutes of the logs of the day and of the job that are being written: what is left is left for them
 */
export async function tooMuch(tx: TxContext, { driverDayId, jobId }: Used, given: { day: number; job: number }): Promise<ErrorItem[]> {
  const sums = await queryIn<{ day: number; job: number }>(
    tx.em,
    `select coalesce(sum(u.usage_minutes) filter (where u.driver_day_id = $1), 0)::int as day,
       coalesce(sum(u.usage_minutes) filter (where u.job_id = $2), 0)::int as job from resource_usage_log u where u.driver_day_id = $1 or u.job_id = $2`,
    [driverDayId, jobId],
  );
  const { day = 0, job = 0 } = sums[0] ?? {};
  const worked = driverDayId ? (await computedTotals(tx.em, driverDayId)).shift : null;
  const hauled = jobId ? await workedMinutes(tx, jobId) : null;
  const limits = [
    { worked, used: day, given: given.day },
    { worked: hauled, used: job, given: given.job },
  ].flatMap((one) => (one.worked === null ? [] : [{ over: one.used - one.worked, left: one.worked - one.used + one.given }]));
  const over = Math.max(0, ...limits.map((one) => one.over));
  if (over === 0) return [];
  // A shift that was shortened has less than its logs already.
  const left = Math.max(0, Math.min(...limits.map((one) => one.left)));
  return [{ model: 'ResourceUsageLog', field: 'usageMinutes', key: 'more_than_worked', params: { over, left } }];
}

async function workedMinutes(tx: TxContext, jobId: string): Promise<number | null> {
  const [row] = await queryIn<{ summary: JobSummary | null }>(tx.em, `select ${jobSummarySql('j')} as summary from job j where j.id = $1`, [
    jobId,
  ]);
  return row?.summary?.workTimeMinutes ?? null;
}
