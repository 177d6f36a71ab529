import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';

/**
 * The breaks of a job are the union of its pauses and of the breaks of its driver's day (PROOF A6). They are kept with the job, because everybody who
 * sees it must find the same minutes, and the states of a driver are for their company and its direct customers only.
 */

/** Adds a pause to a job. The row is locked by the caller. */
export async function addPause(tx: TxContext, jobId: string, from: Date, to: Date): Promise<void> {
  await widen(tx, `update job set updated_at = present_time(), breaks = breaks + ${range('$2', '$3')} where id = $1`, [jobId, from, to]);
}

/** Adds a break of a driver to the jobs of their day, whosever they are. The driver is locked by the caller. */
export async function addBreak(tx: TxContext, driverDayId: string, from: Date, to: Date): Promise<void> {
  const owners = await queryIn<{ id: string }>(tx.em, 'select distinct company_id as id from job where driver_day_id = $1', [driverDayId]);
  if (owners.length === 0) return;
  for (const { id } of owners) actOnBehalfOf(id);
  await widen(tx, `update job set updated_at = present_time(), breaks = breaks + ${range('$2', '$3')} where driver_day_id = $1`, [
    driverDayId,
    from,
    to,
  ]);
}

/** Adds the breaks that a driver has taken on a day to a job that is put on it. The row is locked by the caller. */
export async function addBreaksOfDay(tx: TxContext, jobId: string, driverDayId: string): Promise<void> {
  await widen(
    tx,
    `update job set updated_at = present_time(), breaks = job.breaks + d.breaks from (
       select range_agg(tstzrange(started_at, ended_at)) as breaks from driver_state_event
       where driver_day_id = $2 and state = 'break' and ended_at is not null) d
     where job.id = $1 and d.breaks is not null`,
    [jobId, driverDayId],
  );
}

/** Writes breaks of jobs, and notes that these have changed: the unit of work knows nothing of it. */
async function widen(tx: TxContext, update: string, values: unknown[]): Promise<void> {
  const jobs = await queryIn<{ id: string; companyId: string }>(tx.em, `${update} returning job.id, job.company_id as "companyId"`, values);
  tx.tx.events.push(...jobs.map((job) => ({ name: 'job.breaks_changed', type: 'Job', ...job })));
}

/** A telephone's clock may be ahead, so that a pause ends before it began. */
const range = (from: string, to: string): string =>
  `tstzmultirange(tstzrange(${from}::timestamptz, greatest(${from}::timestamptz, ${to}::timestamptz)))`;
