import type { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { servedAt } from '../checks/ticketed.ts';
import { cancelOpenLoads } from '../jobs/cancel-jobs.ts';
import { moveJob, noteJobEvent } from '../jobs/job-effects.ts';
import { Job } from '../model/job.entity.ts';
import { NOT_STARTED } from '../model/states.ts';
import { lockRates } from '../pricing/rate-source.ts';
import { lockDrivers } from '../shifts/begin-state.ts';
import { type DrivenJob, hangFinished } from '../shifts/day-of-work.ts';
import { completeProven } from './proven-loads.ts';

const DRIVERS = `select distinct j.driver_id as id from job j
  where j.order_id = $1 and j.state = any($2::text[]) and j.driver_id is not null and j.driver_day_id is null
    and exists (select from ticket k where k.job_id = j.id and k.voided_at is null)
  order by 1`;

/** Locks the drivers of an order's unstarted jobs that have a ticket, for `completeUnstarted`; the order is locked after them, as everywhere. */
export async function lockDriversOfTicketed(tx: TxContext, orderId: string): Promise<ReadonlyMap<string, User>> {
  const ids = await queryIn<{ id: string }>(tx.em, DRIVERS, [orderId, NOT_STARTED]);
  const drivers = await lockDrivers(
    tx,
    ids.map(({ id }) => id),
  );
  return new Map(drivers.map((driver) => [driver.id, driver]));
}

/**
 * Completes locked jobs that nobody has begun, and that have a ticket: loads that tickets prove are completed, and looked at, and the others are canceled, as
 * when somebody completes the job by hand (D-PROOF-250). A job goes on the day of its driver. There may be hundreds in an order, so each step is one for all of them.
 * @param drivers those that were locked before the order; a job whose driver is another one by now goes on no day
 * @throws Conflict for a job that is under way
 */
export async function completeUnstarted(tx: TxContext, jobIds: readonly string[], drivers: ReadonlyMap<string, User>): Promise<void> {
  if (jobIds.length === 0) return;
  const jobs = await tx.em.find(
    Job,
    { id: { $in: [...jobIds] } },
    { orderBy: { number: 'asc' }, filters: { tenant: false }, refresh: true },
  );
  for (const job of jobs) moveJob(tx, job, 'complete', { ticketed: true });
  await completeProven(tx, jobs, tx.tx.now);
  await cancelOpenLoads(tx, jobs);
  const driven: DrivenJob[] = [];
  for (const job of jobs) {
    const driver = job.driver && drivers.get(job.driver.id);
    if (driver) driven.push({ driver, job });
  }
  await hangUnstarted(tx, driven);
  for (const job of jobs) noteJobEvent(tx, job, 'JobCompleted', { payload: { reason: 'ticketed' } });
  lockRates(tx, jobIds);
  await tx.em.flush();
}

/**
 * Hangs jobs that are completed although nobody reported a departure on the days of their drivers on which they were hauled (PROOF A3): by their tickets, or else by
 * when their end was reported, or else by their plan.
 * @param reportedAt when the driver reports that a job ended; undefined if somebody else does
 */
export async function hangUnstarted(tx: TxContext, driven: readonly DrivenJob[], reportedAt?: Date): Promise<void> {
  if (driven.length === 0) return;
  const { now } = tx.tx;
  const served = await servedAt(
    tx,
    driven.map(({ job }) => job.id),
  );
  await hangFinished(
    tx,
    driven.map(({ driver, job }) => {
      const planned = job.jobStartAt < now ? job.jobStartAt : now;
      return { driver, job, at: served.get(job.id) ?? reportedAt ?? planned };
    }),
  );
}
