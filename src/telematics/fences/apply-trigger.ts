import type { EntityManager } from '@mikro-orm/postgresql';
import { loadsAreMeasured } from '../../dispatch/checks/measured-loads.ts';
import { noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { lockJob } from '../../dispatch/jobs/lock-job.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { JOB_FINISHED } from '../../dispatch/model/states.ts';
import { lockDriverOf } from '../../dispatch/shifts/day-of-work.ts';
import { automationFailed } from '../../events/webhooks/happened.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { type Crossing, type Decision, decide, REFUSALS, SHOWS, type Step } from './decide.ts';
import type { DriverFence } from './driver-fences.ts';
import { isRefused, waitingOf } from './earlier-triggers.ts';
import { workOf } from './fence-work.ts';
import type { Trigger } from './find-triggers.ts';
import { GeofenceTrigger, type GeofenceTriggerState } from './geofence-trigger.entity.ts';
import { isRefusal, pressSteps } from './press-steps.ts';
import { fillStamp, stampDay } from './stamps.ts';
import { APPLIED_FROM, CERTAIN_FROM } from './undoable.ts';

/** Somebody crossed a geofence, and for which job. */
export interface FoundCrossing {
  trigger: Trigger;
  fence: DriverFence;
  driverId: string;
  /** The company of the job; without one, the driver's. */
  companyId: string;
  jobId: string | null;
}

/**
 * Stores a crossing, and changes the job it belongs to as its driver would: all of it in one transaction, or nothing. What is stored already
 * is left as it is, so that a worker may come back to it.
 */
export async function applyCrossing(root: EntityManager, found: FoundCrossing): Promise<void> {
  await asCompanies([found.companyId], async () => {
    const ctx = () => systemContext(root, found.companyId);
    try {
      await store(ctx(), found);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The job does not allow it, for a reason that nobody foresaw: nothing of it was written.
      await store(ctx(), found, { skip: 'state' });
    }
  });
}

function store(ctx: Context, found: FoundCrossing, decided?: Decision): Promise<void> {
  return transact(ctx, async (tx) => {
    const { jobId } = found;
    const path = jobId && { id: jobId, companyId: null };
    // As everywhere: the driver first, then the order, then the job.
    if (path) await lockDriverOf(tx, path);
    const job = path && (await lockJob(tx, path, () => undefined));
    const stored = await insert(tx, found);
    if (!stored) return;
    const record = await tx.em.findOneOrFail(GeofenceTrigger, { id: stored }, { filters: { tenant: false } });
    if (job) {
      await judge(tx, record, job, found, decided);
      // Trucks leave the place after their work is done: what is paid by the time between the sites follows, whatever else the crossing changes.
      const isSeen = record.skipReason !== 'crossed';
      if (isSeen && JOB_FINISHED.includes(job.state) && record.loadId) await loadsAreMeasured(tx.em, [record.loadId]);
    } else if (found.trigger.crossed) settle(record, { skip: 'crossed' });
    else {
      settle(record, 'applied');
      await stampDay(tx, record);
    }
  });
}

async function judge(
  tx: TxContext,
  record: GeofenceTrigger,
  job: Job,
  { trigger, fence, driverId }: FoundCrossing,
  decided?: Decision,
): Promise<void> {
  const work = await workOf(tx, job, record.occurredAt);
  record.loadId = work.loadId;
  if (trigger.crossed) return settle(record, { skip: 'crossed' });
  noteJobEvent(tx, job, trigger.type === 'enter' ? 'GeofenceEntered' : 'GeofenceExited', {
    ...{ source: 'geofence', occurredAt: record.occurredAt, loadId: work.loadId ?? undefined },
    payload: { trigger_id: record.id, site_id: fence.siteId, tag: fence.tag, waypoint_type: fence.waypointType },
  });
  const crossing = crossingOf(trigger.type, fence);
  if (!crossing) return settle(record, { skip: 'not_the_site' });
  if (trigger.causedBy === 'fence') return settle(record, { skip: 'fence_moved' });
  if (job.driver?.id !== driverId) return settle(record, { skip: 'driver_changed' });
  if (await isRefused(tx, record)) return settle(record, { skip: 'undone' });
  const decision = decided ?? decide(crossing, record.occurredAt.getTime(), work);
  if ('steps' in decision && trigger.confidence < APPLIED_FROM) return settle(record, { skip: 'uncertain', proposed: true });
  if ('steps' in decision) await takeSteps(tx, record, job, decision, trigger.confidence < CERTAIN_FROM);
  // It may be of an earlier load than the one that is approved.
  else if (['late', 'state', 'approved'].includes(decision.skip)) await fillStamp(tx, job, SHOWS[crossing].stamp, record.occurredAt);
  settle(record, 'steps' in decision ? 'applied' : decision);
  if ('skip' in decision && (decided || REFUSALS.has(decision.skip)))
    tx.tx.events.push(
      automationFailed('Job', { id: job.id, companyId: job.company.id }, { automation: 'geofence', reason: decision.skip }),
    );
  if (crossing === 'exit pickup' && 'steps' in decision) await applyWaiting(tx, job);
}

/** Returns the meaning of a crossing for the job; undefined for the fences of scales and gates, and for a loading area that is left for the scale. */
export function crossingOf(type: Trigger['type'], { waypointType, tag }: Pick<DriverFence, 'waypointType' | 'tag'>): Crossing | undefined {
  if (waypointType !== 'pickup' && waypointType !== 'drop_off') return undefined;
  const area = waypointType === 'pickup' ? 'loading' : 'unloading';
  return (tag ?? 'site') === 'site' || (type === 'enter' && tag === area) ? `${type} ${waypointType}` : undefined;
}

/** Moves a locked job by a crossing, with the commands of its driver. The last event is the trigger's, and has what was before. */
export async function takeSteps(
  tx: TxContext,
  record: GeofenceTrigger,
  job: Job,
  { steps, at }: Extract<Decision, { steps: Step[] }>,
  uncertain: boolean,
): Promise<void> {
  const driven = await pressSteps(tx, job, { steps, at }, (isLast) => {
    const id = newId();
    if (isLast) record.jobEventId = id;
    return { id, source: 'geofence', payload: { trigger_id: record.id } };
  });
  record.loadId = driven?.id ?? null;
  if (uncertain && driven) driven.doubted = true;
}

/** Of two geofences that overlap, the drop-off has waited until the pickup was left: who is inside of it arrives now. */
export async function applyWaiting(tx: TxContext, job: Job): Promise<void> {
  await tx.em.flush();
  const waiting = await waitingOf(tx, job);
  if (!waiting) return;
  const decision = decide('enter drop_off', waiting.occurredAt.getTime(), await workOf(tx, job, waiting.occurredAt));
  if ('skip' in decision) return;
  await takeSteps(tx, waiting, job, decision, Number(waiting.confidence) < CERTAIN_FROM);
  settle(waiting, 'applied');
}

/** Notes what became of a trigger. */
export function settle(record: GeofenceTrigger, outcome: GeofenceTriggerState | Extract<Decision, { skip: string }>): void {
  const skipped = typeof outcome === 'object';
  record.state = skipped ? (outcome.proposed ? 'proposed' : 'skipped') : outcome;
  record.skipReason = skipped ? outcome.skip : null;
}

/** Inserts the trigger of a crossing. @returns undefined if it is there */
async function insert(tx: TxContext, { trigger, fence, driverId, companyId, jobId }: FoundCrossing): Promise<string | undefined> {
  const { position, type, confidence, confirmedAt, causedBy } = trigger;
  const [row] = await queryIn<{ id: string }>(
    tx.em,
    `insert into geofence_trigger (id, created_at, updated_at, company_id, asset_type, asset_id, fence_id, site_id, tag, waypoint_type,
       geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, job_id, state, confidence, caused_by)
     values ($1, $2, $2, $3, 'driver', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'skipped', $16, $17)
     on conflict (asset_id, fence_id, geofence_trigger_type, occurred_at) do nothing returning id`,
    [
      ...[newId(), tx.tx.now, companyId, driverId, fence.id, fence.siteId, fence.tag, fence.waypointType, type],
      ...[new Date(position.at), new Date(confirmedAt), position.id, position.lat, position.lon, jobId, confidence, causedBy],
    ],
  );
  return row?.id;
}
