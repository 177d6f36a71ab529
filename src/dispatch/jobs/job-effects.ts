import { ref } from '@mikro-orm/core';
import { SYSTEM } from '../../platform/commands/records.ts';
import { type TxContext } from '../../platform/commands/transact.ts';
import { insertRows, queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { type CanceledLoad, cancelLoadsOf } from '../loads/cancel-loads.ts';
import { Job } from '../model/job.entity.ts';
import { type JobFacts, jobMachine } from '../model/job.machine.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import './job.messages.ts';
import { isOwnersSide } from '../access/job.policy.ts';
import { Load } from '../model/load.entity.ts';
import { loadMachine } from '../model/load.machine.ts';
import type { JobEventName, JobState, JobStateEvent } from '../model/states.ts';

export interface JobEventMore {
  /** The telephone's own id of the event (DOMAIN 1.0). */
  id?: string;
  occurredAt?: Date;
  loadId?: string;
  payload?: Record<string, unknown>;
}

/** Notes what happened to a job; the state is the one after it. */
export function noteJobEvent(tx: TxContext, job: Job, eventName: JobEventName, more: JobEventMore = {}): void {
  const event = Object.assign(new JobEvent(), {
    companyId: job.company.id,
    job: ref(job),
    loadId: more.loadId ?? null,
    eventName,
    state: job.state,
    occurredAt: more.occurredAt ?? tx.tx.now,
    createdAt: tx.tx.now,
    payload: more.payload ?? null,
    ...authorOf(tx, job),
  });
  if (more.id) event.id = more.id;
  tx.em.persist(event);
}

interface JobNote {
  job: Job;
  state: JobState;
  eventName: JobEventName;
  loadId?: string;
}

/** Notes many events of one moment in one statement. */
export async function noteJobEvents(tx: TxContext, notes: readonly JobNote[]): Promise<void> {
  const now = tx.tx.now.toISOString();
  await insertRows(
    tx.em,
    'job_event',
    notes.map(({ job, state, eventName, loadId }) => {
      const { eventSource, createdByType, createdById, createdByName, createdByCompanyId } = authorOf(tx, job);
      return {
        id: newId(),
        created_at: now,
        updated_at: now,
        company_id: job.company.id,
        job_id: job.id,
        load_id: loadId ?? null,
        event_name: eventName,
        state,
        event_source: eventSource,
        occurred_at: now,
        created_by_type: createdByType,
        created_by_id: createdById,
        created_by_name: createdByName,
        created_by_company_id: createdByCompanyId,
      };
    }),
  );
}

function authorOf(tx: TxContext, job: Job) {
  const actor = tx.viewer ?? SYSTEM;
  return {
    eventSource: tx.viewer ? ('web' as const) : ('automation' as const),
    createdByType: actor.type,
    createdById: actor.type === 'System' ? null : actor.id,
    createdByName: actor.name,
    createdByCompanyId: tx.viewer && !isOwnersSide(tx.viewer, job) ? tx.viewer.companyId : null,
  };
}

/** Fires a job event and stamps the change. @throws Conflict */
export function moveJob(tx: TxContext, job: Job, event: JobStateEvent, facts: Partial<JobFacts>): void {
  jobMachine.fire(tx, job, event, facts);
  job.stateChangedAt = tx.tx.now;
}

/** The loads of a job in driving order; locked with their job. */
export const loadsOf = (tx: TxContext, job: Job): Promise<Load[]> =>
  tx.em.find(Load, { job: job.id }, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } });

/** Has the load that waits go on, and counts how long it did. */
export async function resumeLoad(tx: TxContext, job: Job): Promise<Load | undefined> {
  const load = (await loadsOf(tx, job)).find((one) => one.state === 'paused');
  if (!load) return undefined;
  loadMachine.fire(tx, load, 'resume');
  load.pausedSeconds += Math.max(0, Math.round((tx.tx.now.getTime() - (load.pausedAt ?? tx.tx.now).getTime()) / 1000));
  return Object.assign(load, { pausedAt: null, pausedFrom: null });
}

/** Cancels jobs and their open loads, as part of a larger act; approved work was checked by the caller. */
export async function cancelJobsWithin(tx: TxContext, jobs: readonly Job[], eventName: JobEventName): Promise<void> {
  const notes: JobNote[] = [];
  const loads = await closeLoads(tx, jobs);
  for (const job of jobs) {
    for (const load of loads.get(job.id) ?? []) notes.push(cancelLoad(tx, job, load));
    moveJob(tx, job, 'cancel', {});
    job.pausedAt = null;
    notes.push({ job, state: job.state, eventName });
  }
  await noteJobEvents(tx, notes);
}

export async function cancelOpenLoads(tx: TxContext, job: Job): Promise<void> {
  const loads = await closeLoads(tx, [job]);
  const notes = (loads.get(job.id) ?? []).map((load) => cancelLoad(tx, job, load));
  await noteJobEvents(tx, notes);
}

async function closeLoads(tx: TxContext, jobs: readonly Job[]): Promise<Map<string, CanceledLoad[]>> {
  // The unit of work writes first: what it changed on a load must neither be overlooked nor written over.
  if (jobs.length > 0) await tx.em.flush();
  const ids = jobs.map((job) => job.id);
  return cancelLoadsOf((sql, parameters) => queryIn(tx.em, sql, parameters), ids, tx.tx.now);
}

/** Records what `cancelLoadsOf` did to a load. @throws Conflict when its state forbids it, which takes the statement back */
function cancelLoad(tx: TxContext, job: Job, load: CanceledLoad): JobNote {
  const { id, companyId } = load;
  const before = loadMachine.fire(tx, load, 'cancel');
  tx.tx.audits.push({ event: 'update', type: 'Load', id, companyId, changes: { state: [before, load.state] } });
  return { job, state: job.state, eventName: 'LoadCanceled', loadId: id };
}

/** What the job machine's guards ask; call with the job locked. */
export async function factsOfJob(tx: TxContext, job: Job): Promise<JobFacts> {
  const [row] = await queryIn<{
    order_open: boolean;
    vendor: boolean;
    next_load: boolean;
    started: boolean;
    unapproved: boolean;
    approved: boolean;
  }>(
    tx.em,
    `select o.state in ('accepted', 'in_progress') as order_open,
            exists (select 1 from job_assignment a where a.job_id = $1) as vendor,
            exists (select 1 from load l where l.job_id = $1 and l.state = 'created') as next_load,
            exists (select 1 from load l where l.job_id = $1 and l.state not in ('created', 'canceled')) as started,
            exists (select 1 from load l where l.job_id = $1 and l.state <> 'canceled' and l.approved_at is null) as unapproved,
            exists (select 1 from load l where l.job_id = $1 and l.approved_at is not null) as approved
     from orders o where o.id = $2`,
    [job.id, job.order.id],
  );
  return {
    orderOpen: row!.order_open,
    hasDriver: Boolean(job.driver),
    hasAssignee: Boolean(job.driver) || row!.vendor,
    hasNextLoad: row!.next_load || job.recurringLoads,
    loadStarted: row!.started,
    staysWithVendor: false,
    loadsApproved: !row!.unapproved,
    anyLoadApproved: row!.approved,
    // Payable invoices come with billing; until there is one it cannot be approved.
    payableApproved: false,
    byHand: false,
  };
}
