import type { AuditRecord } from '../../platform/commands/records.ts';
import { reread, type SetTx, setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { closeLoads, recordCanceled } from '../loads/cancel-loads.ts';
import { Job } from '../model/job.entity.ts';
import { jobMachine } from '../model/job.machine.ts';
import type { JobEventName, JobState } from '../model/states.ts';
import { JOB_TERMINAL } from '../model/states.ts';
import { type InNameOf, inNameOfViewer, insertJobEvents, type JobNote } from './job-effects.ts';

/** A locked job, with the columns that canceling changes. */
export interface JobToCancel {
  id: string;
  companyId: string;
  orderId: string;
  state: JobState;
  stateChangedAt: Date | null;
  pausedAt: Date | null;
}

/** Returns the open jobs of orders, locked, in the order of their numbers. */
export async function openJobsOf({ query }: SetTx, orderIds: readonly string[]): Promise<JobToCancel[]> {
  const jobs = await query<JobToCancel>(OPEN_JOBS, [orderIds, JOB_TERMINAL]);
  const instant = (at: Date | string | null) => (at === null ? null : new Date(at));
  return jobs.map((job) => ({ ...job, stateChangedAt: instant(job.stateChangedAt), pausedAt: instant(job.pausedAt) }));
}

// They are locked by id, as in all statements that lock jobs of several orders, so that there is no deadlock.
const OPEN_JOBS = `with open as (
    select id, company_id, order_id, number, state, state_changed_at, paused_at from job
    where order_id = any($1::uuid[]) and state <> all($2::text[]) order by id for update)
  select id, company_id as "companyId", order_id as "orderId", state, state_changed_at as "stateChangedAt", paused_at as "pausedAt"
  from open order by order_id, number`;

/**
 * Cancels jobs and their open loads within a larger command, in three statements for any number of them. Transitions, outbox, audit and job
 * events are written for every job and load. Approved loads are no obstacle here: the caller decides what approved work forbids.
 * @param eventName the event that is noted on each job
 * @param inNameOf the person or company that cancels a job
 * @throws Conflict if the state of one forbids it
 */
export async function cancelJobs(
  tx: SetTx,
  jobs: readonly JobToCancel[],
  eventName: JobEventName,
  inNameOf: (job: JobToCancel) => InNameOf,
): Promise<void> {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ id }) => id);
  const loads = await closeLoads(tx, ids);
  const notes: JobNote[] = [];
  // Subscribers expect the events of a job's loads before that of the job.
  for (const job of jobs) {
    const { records, authorOf } = inNameOf(job);
    const [author, before] = [authorOf(job), job.state];
    const ofJob = loads.get(job.id) ?? [];
    recordCanceled(records, ofJob);
    for (const { id } of ofJob) notes.push({ job, state: before, eventName: 'LoadCanceled', loadId: id, author });
    jobMachine.fireMany(() => records, [job], 'cancel');
    const { id, companyId, state, stateChangedAt, pausedAt } = job;
    const changes: AuditRecord['changes'] = { state: [before, state], state_changed_at: [stateChangedAt, tx.now] };
    if (pausedAt) changes.paused_at = [pausedAt, null];
    records.audits.push({ event: 'update', type: 'Job', id, companyId, changes });
    notes.push({ job, state, eventName, author });
  }
  await tx.query(CANCEL_JOBS, [ids, jobs.map(({ state }) => state), tx.now]);
  await insertJobEvents(tx, notes);
}

const CANCEL_JOBS = `update job j set state = c.state, state_changed_at = $3::timestamptz, paused_at = null, updated_at = $3::timestamptz, version = j.version + 1
  from unnest($1::uuid[], $2::text[]) c(id, state) where j.id = c.id`;

/** The same for jobs of the unit of work, in the name of the viewer. */
export async function cancelJobsWithin(tx: TxContext, jobs: readonly Job[], eventName: JobEventName): Promise<void> {
  // The unit of work writes first, so that its changes are neither overlooked nor overwritten.
  await tx.em.flush();
  const rows = jobs.map(({ id, company, order, state, stateChangedAt, pausedAt }) => ({
    ...{ id, companyId: company.id, orderId: order.id, state },
    ...{ stateChangedAt: stateChangedAt ?? null, pausedAt: pausedAt ?? null },
  }));
  const by = inNameOfViewer(tx);
  await cancelJobs(setTxOf(tx), rows, eventName, () => by);
  const ids = jobs.map(({ id }) => id);
  await reread(tx, Job, ids);
}

/** Cancels the open loads of jobs in the name of the viewer; the jobs keep their state. */
export async function cancelOpenLoads(tx: TxContext, jobs: readonly Job[]): Promise<void> {
  await tx.em.flush();
  const ids = jobs.map(({ id }) => id);
  const { records, authorOf } = inNameOfViewer(tx);
  const loads = await closeLoads(setTxOf(tx), ids);
  const notes: JobNote[] = [];
  for (const { id, company, state } of jobs) {
    const ofJob = loads.get(id) ?? [];
    recordCanceled(records, ofJob);
    const job = { id, companyId: company.id };
    for (const load of ofJob) notes.push({ job, state, eventName: 'LoadCanceled', loadId: load.id, author: authorOf(job) });
  }
  await insertJobEvents(setTxOf(tx), notes);
}
