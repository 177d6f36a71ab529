import { ref } from '@mikro-orm/core';
import { type Records, SYSTEM } from '../../platform/commands/records.ts';
import { type SetTx, setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Viewer } from '../../platform/context.ts';
import { insertRows, queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { jobSettledSql } from '../access/held-work.ts';
import { isOfOwner } from '../access/job.policy.ts';
import { hauledOutsideSql, Job, payableApprovedSql } from '../model/job.entity.ts';
import { type JobFacts, jobMachine } from '../model/job.machine.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { loadMachine } from '../model/load.machine.ts';
import { ticketedSql } from '../model/load-figures.ts';
import type { JobEventName, JobEventSource, JobState, JobStateEvent } from '../model/states.ts';
import { addPause } from '../shifts/breaks-of-jobs.ts';

export interface JobEventMore {
  /** The telephone's id of the event (DOMAIN 1.0). */
  id?: string;
  occurredAt?: Date;
  loadId?: string;
  payload?: Record<string, unknown>;
  /** Unless given, it follows from who makes the request. */
  source?: JobEventSource;
}

/** Notes what happened to a job, with the state after it. */
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
    ...authorOf(tx, job.company.id),
    ...(more.source ? { eventSource: more.source } : {}),
  });
  if (more.id) event.id = more.id;
  tx.em.persist(event);
}

/** The author that the event of a job names. */
export interface JobEventAuthor {
  eventSource: JobEventSource;
  createdByType: string;
  createdById: string | null;
  createdByName: string | null;
  createdByCompanyId: string | null;
  /** The person who acted as the author. */
  realActorType?: string | null;
  realActorId?: string | null;
  realActorName?: string | null;
}

/** In whose name a command for many changes a record: where its rows are collected, and who is named on the events of its jobs. */
export interface InNameOf {
  records: Records;
  authorOf(job: { companyId: string }): JobEventAuthor;
}

/** Changes are made in the name of the viewer. */
export const inNameOfViewer = (tx: TxContext): InNameOf => ({ records: tx.tx, authorOf: ({ companyId }) => authorOf(tx, companyId) });

/** The author of what the product does by itself, in the background. */
export const BY_SYSTEM: JobEventAuthor = {
  eventSource: 'automation',
  createdByType: SYSTEM.type,
  createdById: null,
  createdByName: SYSTEM.name,
  createdByCompanyId: null,
};

/** An event of a job that is to be noted. */
export interface JobNote {
  job: { id: string; companyId: string };
  /** The state of the job after the event. */
  state: JobState;
  eventName: JobEventName;
  loadId?: string;
  author: JobEventAuthor;
}

/** Notes many events of one moment in one statement. */
export async function insertJobEvents({ em, now }: SetTx, notes: readonly JobNote[]): Promise<void> {
  const at = now.toISOString();
  await insertRows(
    em,
    'job_event',
    notes.map(({ job, state, eventName, loadId, author }) => ({
      id: newId(),
      created_at: at,
      updated_at: at,
      company_id: job.companyId,
      job_id: job.id,
      load_id: loadId ?? null,
      event_name: eventName,
      state,
      event_source: author.eventSource,
      occurred_at: at,
      created_by_type: author.createdByType,
      created_by_id: author.createdById,
      created_by_name: author.createdByName,
      created_by_company_id: author.createdByCompanyId,
      real_actor_type: author.realActorType ?? null,
      real_actor_id: author.realActorId ?? null,
      real_actor_name: author.realActorName ?? null,
    })),
  );
}

/** Notes many events of jobs in the name of the viewer. */
export async function noteJobEvents(
  tx: TxContext,
  notes: readonly { job: Job; state: JobState; eventName: JobEventName }[],
): Promise<void> {
  const named = notes.map(({ job, ...note }) => {
    const companyId = job.company.id;
    return { ...note, job: { id: job.id, companyId }, author: authorOf(tx, companyId) };
  });
  await insertJobEvents(setTxOf(tx), named);
}

function authorOf({ viewer }: TxContext, companyId: string): JobEventAuthor {
  const actor = viewer ?? SYSTEM;
  return {
    eventSource: viewer && viewer.type !== 'System' ? 'web' : 'automation',
    createdByType: actor.type,
    createdById: actor.type === 'System' ? null : actor.id,
    createdByName: actor.name,
    createdByCompanyId: viewer && !isOfOwner(viewer, companyId) ? viewer.companyId : null,
    ...realActorOf(viewer),
  };
}

const realActorOf = (viewer: Viewer | undefined): Pick<JobEventAuthor, 'realActorType' | 'realActorId' | 'realActorName'> =>
  viewer?.realActor ? { realActorType: viewer.realActor.type, realActorId: viewer.realActor.id, realActorName: viewer.realActor.name } : {};

/** Moves a job by an event and notes the change. @throws Conflict */
export function moveJob(tx: TxContext, job: Job, event: JobStateEvent, facts: Partial<JobFacts>): void {
  jobMachine.fire(tx, job, event, facts);
  job.stateChangedAt = tx.tx.now;
}

/** Returns the loads of a job in driving order; they are locked with their job. */
export const loadsOf = (tx: TxContext, job: Job): Promise<Load[]> =>
  tx.em.find(Load, { job: job.id }, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } });

/** Resumes the paused load, and counts how long it and its job were paused. */
export async function resumeLoad(tx: TxContext, job: Job): Promise<Load | undefined> {
  const load = (await loadsOf(tx, job)).find((one) => one.state === 'paused');
  if (!load) return undefined;
  loadMachine.fire(tx, load, 'resume');
  if (load.pausedAt) await addPause(tx, job.id, load.pausedAt, tx.tx.now);
  load.pausedSeconds += Math.max(0, Math.round((tx.tx.now.getTime() - (load.pausedAt ?? tx.tx.now).getTime()) / 1000));
  return Object.assign(load, { pausedAt: null, pausedFrom: null });
}

/** Goes on with a paused job. */
export async function resumeWithin(tx: TxContext, job: Job): Promise<void> {
  job.pausedAt = null;
  const load = await resumeLoad(tx, job);
  noteJobEvent(tx, job, 'JobResumed', { loadId: load?.id });
}

/** Returns the facts that the job machine's conditions read; call with the job locked. */
export async function factsOfJob(tx: TxContext, job: Job): Promise<JobFacts> {
  const [row] = await queryIn<{
    order_open: boolean;
    vendor: boolean;
    outside: boolean;
    next_load: boolean;
    started: boolean;
    unapproved: boolean;
    approved: boolean;
    payable: boolean;
    settled: boolean;
  }>(
    tx.em,
    `select o.state in ('accepted', 'in_progress') as order_open,
            exists (select 1 from job_assignment a where a.job_id = $1) as vendor,
            (select ${hauledOutsideSql('j')} from job j where j.id = $1) as outside,
            exists (select 1 from load l where l.job_id = $1 and l.state = 'created') as next_load,
            exists (select 1 from load l where l.job_id = $1 and l.state not in ('created', 'canceled')) as started,
            exists (select 1 from load l where l.job_id = $1 and l.state <> 'canceled' and l.approved_at is null
              and (l.state <> 'created' or ${ticketedSql('l')})) as unapproved,
            exists (select 1 from load l where l.job_id = $1 and l.approved_at is not null) as approved,
            (select ${payableApprovedSql('j')} from job j where j.id = $1) as payable,
            (select ${jobSettledSql('j')} from job j where j.id = $1) as settled
     from orders o where o.id = $2`,
    [job.id, job.order.id],
  );
  return {
    orderOpen: row!.order_open,
    hasDriver: Boolean(job.driver) || row!.outside,
    hasAssignee: Boolean(job.driver) || row!.vendor,
    hasNextLoad: row!.next_load || job.recurringLoads,
    loadStarted: row!.started,
    staysWithVendor: false,
    loadsApproved: !row!.unapproved,
    anyLoadApproved: row!.approved,
    payableApproved: row!.payable,
    settled: row!.settled,
    byHand: false,
    hauled: false,
    ticketed: false,
  };
}
