import { ref } from '@mikro-orm/core';
import { SYSTEM } from '../platform/commands/records.ts';
import { type TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Job } from './job.entity.ts';
import { type JobFacts, jobMachine } from './job.machine.ts';
import { JobEvent } from './job-event.entity.ts';
import './job.messages.ts';
import { Load } from './load.entity.ts';
import { loadMachine } from './load.machine.ts';
import type { JobEventName, JobStateEvent } from './states.ts';

export interface JobEventMore {
  /** The telephone's own id of the event (DOMAIN 1.0). */
  id?: string;
  occurredAt?: Date;
  loadId?: string;
  payload?: Record<string, unknown>;
}

/** Notes what happened to a job; the state is the one after it. */
export function noteJobEvent(tx: TxContext, job: Job, eventName: JobEventName, more: JobEventMore = {}): void {
  const actor = tx.viewer ?? SYSTEM;
  const event = Object.assign(new JobEvent(), {
    companyId: job.company.id,
    job: ref(job),
    loadId: more.loadId ?? null,
    eventName,
    state: job.state,
    eventSource: tx.viewer ? 'web' : 'automation',
    occurredAt: more.occurredAt ?? tx.tx.now,
    createdAt: tx.tx.now,
    payload: more.payload ?? null,
    createdByType: actor.type,
    createdById: actor.type === 'System' ? null : actor.id,
    createdByName: actor.name,
  });
  if (more.id) event.id = more.id;
  tx.em.persist(event);
}

/** Fires a job event and stamps the change. @throws Conflict */
export function moveJob(tx: TxContext, job: Job, event: JobStateEvent, facts: Partial<JobFacts>): void {
  jobMachine.fire(tx, job, event, facts);
  job.stateChangedAt = tx.tx.now;
}

/** The loads of a job in driving order; locked with their job. */
export const loadsOf = (tx: TxContext, job: Job): Promise<Load[]> =>
  tx.em.find(Load, { job: job.id }, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } });

/** Cancels jobs and their open loads, as part of a larger act; approved work was checked by the caller. */
export async function cancelJobsWithin(tx: TxContext, jobs: readonly Job[], eventName: JobEventName): Promise<void> {
  if (jobs.length === 0) return;
  const loads = new Map<string, Load[]>(jobs.map((job) => [job.id, []]));
  // One statement for all of them: an order has up to 200 jobs.
  const all = { job: { $in: [...loads.keys()] } };
  for (const load of await tx.em.find(Load, all, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } }))
    loads.get(load.job.id)!.push(load);
  for (const job of jobs) {
    cancelOpen(tx, job, loads.get(job.id)!);
    moveJob(tx, job, 'cancel', {});
    job.pausedAt = null;
    noteJobEvent(tx, job, eventName);
  }
}

export async function cancelOpenLoads(tx: TxContext, job: Job): Promise<void> {
  cancelOpen(tx, job, await loadsOf(tx, job));
}

function cancelOpen(tx: TxContext, job: Job, loads: readonly Load[]): void {
  for (const load of loads) {
    if (loadMachine.isTerminal(load)) continue;
    loadMachine.fire(tx, load, 'cancel');
    noteJobEvent(tx, job, 'LoadCanceled', { loadId: load.id });
  }
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
    loadsApproved: !row!.unapproved,
    anyLoadApproved: row!.approved,
    // Payable invoices come with billing; until there is one it cannot be approved.
    payableApproved: false,
    byHand: false,
  };
}
