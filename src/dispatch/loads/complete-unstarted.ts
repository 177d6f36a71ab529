import type { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { servedAt } from '../checks/ticketed.ts';
import { cancelOpenLoads } from '../jobs/cancel-jobs.ts';
import { moveJob, noteJobEvent } from '../jobs/job-effects.ts';
import { Job } from '../model/job.entity.ts';
import { NOT_STARTED } from '../model/states.ts';
import { lockRates } from '../pricing/rate-source.ts';
import { lockDriver } from '../shifts/begin-state.ts';
import { hangFinished } from '../shifts/day-of-work.ts';
import { completeProven } from './proven-loads.ts';

const DRIVERS = `select distinct j.driver_id as id from job j
  where j.order_id = $1 and j.state = any($2::text[]) and j.driver_id is not null and j.driver_day_id is null
    and exists (select from ticket k where k.job_id = j.id and k.voided_at is null)
  order by 1`;

/** Locks the drivers of an order's unstarted jobs that have a ticket, for `completeUnstarted`; the order is locked after them, as everywhere. */
export async function lockDriversOfTicketed(tx: TxContext, orderId: string): Promise<ReadonlyMap<string, User>> {
  const drivers = new Map<string, User>();
  for (const { id } of await queryIn<{ id: string }>(tx.em, DRIVERS, [orderId, NOT_STARTED])) drivers.set(id, await lockDriver(tx, id));
  return drivers;
}

/**
 * Completes locked jobs that nobody has begun, and that have a ticket: loads that tickets prove are completed, and looked at, and the others are canceled, as
 * when somebody completes the job by hand (D-PROOF-250). A job goes on the day of its driver.
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
  for (const job of jobs) {
    moveJob(tx, job, 'complete', { ticketed: true });
    await completeProven(tx, job, tx.tx.now);
    await cancelOpenLoads(tx, job);
    const driver = job.driver && drivers.get(job.driver.id);
    if (driver) await hangUnstarted(tx, driver, job);
    noteJobEvent(tx, job, 'JobCompleted', { payload: { reason: 'ticketed' } });
    lockRates(tx, job.id);
  }
  await tx.em.flush();
}

/**
 * Hangs a job that is completed although nobody reported a departure on the day of its driver on which it was hauled (PROOF A3): by its tickets, or else by when
 * its end was reported, or else by its plan.
 * @param reportedAt when its driver reports that it ended; undefined if somebody else does
 */
export async function hangUnstarted(tx: TxContext, driver: User, job: Job, reportedAt?: Date): Promise<void> {
  const planned = job.jobStartAt < tx.tx.now ? job.jobStartAt : tx.tx.now;
  await hangFinished(tx, driver, job, (await servedAt(tx, job)) ?? reportedAt ?? planned);
}
