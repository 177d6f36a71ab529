import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayDriveJob, mayHaulJob, mayWithJob } from '../access/job.policy.ts';
import { acceptForVendors } from '../assignment/auto-accept.ts';
import { mustBeThere } from '../checks/still-there.ts';
import { appendLoad, appendRecurring } from '../loads/append-load.ts';
import { hangUnstarted } from '../loads/complete-unstarted.ts';
import { completeProven } from '../loads/proven-loads.ts';
import { Job } from '../model/job.entity.ts';
import { jobMachine, PAUSABLE } from '../model/job.machine.ts';
import { Load } from '../model/load.entity.ts';
import { loadMachine } from '../model/load.machine.ts';
import type { JobEventName, JobStateEvent } from '../model/states.ts';
import { completeOrderIfDone, lockOrder, startOrderIfAccepted } from '../orders/order-progress.ts';
import { lockRates } from '../pricing/rate-source.ts';
import { hangOnDay, lockDriverOf } from '../shifts/day-of-work.ts';
import { cancelJobsWithin, cancelOpenLoads } from './cancel-jobs.ts';
import { type Drive, drive, type RoadEvent } from './drive.ts';
import type { RejectJobInput } from './job.inputs.ts';
import { factsOfJob, moveJob, noteJobEvent, resumeLoad, resumeWithin } from './job-effects.ts';
import { withJob } from './lock-job.ts';

const editing = (tx: TxContext, job: Job) => void mayWithJob(tx, job, 'edit_job');
const sending = (tx: TxContext, job: Job) => void mayHaulJob(tx, job, 'edit_job');
const driving = (tx: TxContext, job: Job) => void mayDriveJob(tx, job);

/** Sends the job to its driver or vendor, or sends it again. */
export const sendJob = (ctx: Context, path: RecordPath) =>
  withJob(ctx, path, sending, async (tx, job) => {
    moveJob(tx, job, 'request', await factsOfJob(tx, job));
    await mustBeThere(tx, job);
    noteJobEvent(tx, job, 'JobRequested');
    noteJobEvent(tx, job, 'JobSent');
    await acceptForVendors(tx, await lockOrder(tx, job.order.id), job);
  });

/** Accepts a job for its driver or vendor. @throws Missing, Denied, Conflict */
export const acceptJob = (ctx: Context, path: RecordPath) =>
  withJob(ctx, path, driving, async (tx, job) => {
    moveJob(tx, job, 'accept', {});
    job.rejectReason = null;
    noteJobEvent(tx, job, 'JobAccepted');
  });

/** Refuses a job, with the reason. @throws Missing, Denied, Conflict if a load was begun */
export const rejectJob = (ctx: Context, path: RecordPath, input: RejectJobInput) =>
  withJob(ctx, path, driving, async (tx, job) => {
    moveJob(tx, job, 'reject', await factsOfJob(tx, job));
    job.rejectReason = input.rejectReason ?? null;
    noteJobEvent(tx, job, 'JobDeclined', { payload: { reject_reason: input.rejectReason ?? null } });
  });

/** Leaves for the pickup with the next load, or for the drop-off with a loaded one. The first truck starts the order. */
export const enrouteJob = (ctx: Context, path: RecordPath, input: RoadEvent) =>
  transact(ctx, async (outer) => {
    const driver = await lockDriverOf(outer, path);
    return drive(outer, path, input, 'enroute', ['ToPickup', 'ToDropoff'], async ({ tx, job, load, place, move, occurredAt, note }) => {
      const toDropoff = place === 'loaded';
      move('enroute', await factsOfJob(tx, job));
      if (driver) await hangOnDay(tx, driver, job, occurredAt);
      const driven = load ?? (await appendLoad(tx, job));
      loadMachine.fire(tx, driven, 'enroute');
      note(toDropoff ? 'ToDropoff' : 'ToPickup', { loadId: driven.id });
      note('WaypointPending', { loadId: driven.id });
      if (!toDropoff) await startOrderIfAccepted(tx, await lockOrder(tx, job.order.id));
    });
  });

/** Arrives at the pickup, or at the drop-off with a loaded load. */
export const arriveJob = (ctx: Context, path: RecordPath, input: RoadEvent) =>
  drive(ctx, path, input, 'arrive', ['AtPickup', 'AtDropoff'], async ({ place, note, stamp, ...driven }) => {
    const atDropoff = place === 'to_dropoff';
    stamp(step(driven, 'arrive', 'arrive'), atDropoff ? 'arrivedDropoffAt' : 'arrivedPickupAt');
    note(atDropoff ? 'AtDropoff' : 'AtPickup');
    note('WaypointArrived');
    note(atDropoff ? 'JobUnloading' : 'JobLoading');
  });

/** Loads the load; also possible from `to_pickup`: the arrival then gets the same time (DOMAIN 1.3). */
export const loadMaterial = (ctx: Context, path: RecordPath, input: RoadEvent) =>
  drive(ctx, path, input, 'load_material', ['Loaded'], async ({ note, stamp, ...driven }) => {
    const loaded = step(driven, 'load_material', 'load_material');
    if (input.inferred) loaded.loadedInferred = true;
    else {
      stamp(loaded, 'loadedAt');
      if (!loaded.loadSummary.arrivedPickupAt) stamp(loaded, 'arrivedPickupAt');
    }
    note('Loaded');
    note('WaypointAction');
  });

/** Unloads the load; also possible on the way to the drop-off: the arrival then gets the same time (DOMAIN 1.3). */
export const unloadMaterial = (ctx: Context, path: RecordPath, input: RoadEvent) =>
  drive(ctx, path, input, 'unload_material', ['Unloaded'], async ({ note, stamp, ...driven }) => {
    const unloaded = step(driven, 'unload_material', 'unload_material');
    stamp(unloaded, 'unloadedAt');
    if (!unloaded.loadSummary.arrivedDropoffAt) stamp(unloaded, 'arrivedDropoffAt');
    note('Unloaded');
    note('WaypointAction');
  });

/** Completes the load; with recurring loads, the next one is made at once. */
export const completeLoadOfJob = (ctx: Context, path: RecordPath, input: RoadEvent) =>
  drive(ctx, path, input, 'complete_load', ['LoadCompleted'], async ({ note, stamp, ...driven }) => {
    stamp(step(driven, 'complete_load', 'complete'), 'loadCompletedAt');
    note('LoadCompleted');
    await appendRecurring(driven.tx, driven.job);
  });

/**
 * Completes an unloaded load and those that tickets prove, and cancels earlier loads and those that were never driven (DOMAIN 1.2, D-PROOF-230). A job that nobody
 * left for goes on the day of its driver now (D-PROOF-251).
 */
export const completeJob = (ctx: Context, path: RecordPath, input: RoadEvent = {}) => {
  const complete = async (outer: TxContext): Promise<Job> => {
    const driver = await lockDriverOf(outer, path, 'accepted');
    return drive(outer, path, input, 'complete', ['JobCompleted'], async ({ tx, job, load, occurredAt, note, stamp }) => {
      moveJob(tx, job, 'complete', {});
      if (load?.state === 'unloaded') {
        loadMachine.fire(tx, load, 'complete');
        stamp(load, 'loadCompletedAt');
        noteJobEvent(tx, job, 'LoadCompleted', { loadId: load.id, occurredAt });
      }
      const isProven = await completeProven(tx, [job], occurredAt);
      await cancelOpenLoads(tx, [job]);
      if (driver) await hangUnstarted(tx, [{ driver, job }], viewerOf(tx).id === driver.id ? occurredAt : undefined);
      note('JobCompleted', { loadId: undefined });
      lockRates(tx, [job.id]);
      await tx.em.flush();
      const order = await lockOrder(tx, job.order.id);
      // The truck has left, although nobody reported that.
      if (isProven) await startOrderIfAccepted(tx, order);
      await completeOrderIfDone(tx, order);
    });
  };
  return transact(ctx, complete, [Job, path, 'see']);
};

/** Pauses the load; the job keeps its state (DOMAIN 1.2, 1.3). */
export const pauseJob = (ctx: Context, path: RecordPath) =>
  drive(ctx, path, {}, 'pause', ['JobPaused'], async ({ tx, job, load, occurredAt, note }) => {
    if (!PAUSABLE.includes(job.state) || !load || !loadMachine.can(load, 'pause')) throw conflict('Job', job, 'pause', 'job_not_on_road');
    load.pausedFrom = load.state;
    load.pausedAt = occurredAt;
    loadMachine.fire(tx, load, 'pause');
    job.pausedAt = occurredAt;
    note('JobPaused');
  });

/** Goes on with a paused job. @throws Missing, Denied, Conflict if it is not paused */
export const resumeJob = (ctx: Context, path: RecordPath) =>
  transact(ctx, async (tx) => {
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    mayDriveJob(tx, job);
    if (!job.pausedAt) throw conflict('Job', job, 'resume', 'job_not_paused');
    await resumeWithin(tx, job);
    return job;
  });

/** Moves a job and its load by one event each, and returns the load. @throws Conflict */
function step(
  { tx, job, load, move }: Pick<Drive, 'tx' | 'job' | 'load' | 'move'>,
  event: JobStateEvent,
  loadEvent: 'arrive' | 'load_material' | 'unload_material' | 'complete',
): Load {
  move(event);
  if (!load) throw conflict('Job', job, event, 'job_cannot_leave');
  loadMachine.fire(tx, load, loadEvent);
  return load;
}

/** Cancels a job with its loads; the order is complete if that was its last open one. @throws Missing, Denied, Conflict */
export const cancelJob = (ctx: Context, path: RecordPath) =>
  withJob(
    ctx,
    path,
    (tx, job) => void mayWithJob(tx, job, 'cancel_job'),
    async (tx, job) => {
      // This is checked first, because the loads are canceled before the job.
      if (!jobMachine.can(job, 'cancel', await factsOfJob(tx, job))) moveJob(tx, job, 'cancel', await factsOfJob(tx, job));
      await cancelJobsWithin(tx, [job], 'JobCanceled');
      await tx.em.flush();
      await completeOrderIfDone(tx, await lockOrder(tx, job.order.id));
    },
  );

const office = (event: JobStateEvent, name: JobEventName) => (ctx: Context, path: RecordPath) =>
  withJob(ctx, path, editing, async (tx, job) => {
    moveJob(tx, job, event, await factsOfJob(tx, job));
    noteJobEvent(tx, job, name);
  });

export const reviewJob = office('review', 'JobInReview');
export const flagJob = office('flag', 'JobFlagged');
export const removeJobFlag = office('remove_flag', 'JobRemovedFlagged');
export const signOffJob = office('sign_off', 'JobSignedOff');
export const removeJobSignoff = office('remove_signoff', 'JobRemovedSignedOff');
export const payJob = office('pay', 'JobPaid');

/** Ends a job that a driver left open at the end of the shift (DOMAIN 1.2 `end`). Clients cannot call it. */
export async function endJobWithin(tx: TxContext, job: Job, at: Date): Promise<void> {
  moveJob(tx, job, 'end', {});
  // Nobody can resume a job that is over. Its load would stay paused for good, and could neither be completed nor approved.
  if (job.pausedAt) await resumeLoad(tx, job);
  job.pausedAt = null;
  lockRates(tx, [job.id]);
  noteJobEvent(tx, job, 'JobEnded', { occurredAt: at });
}
