import { LockMode, ref } from '@mikro-orm/core';
import { find } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayDriveJob } from '../access/job.policy.ts';
import { Job } from '../model/job.entity.ts';
import { PAUSABLE } from '../model/job.machine.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { ACTIVE_LOAD, loadMachine } from '../model/load.machine.ts';
import type { JobEventName, JobStateEvent } from '../model/states.ts';
import { completeOrderIfDone, lockOrder, startOrderIfAccepted } from '../orders/order-progress.ts';
import { lockRates } from '../pricing/rate-source.ts';
import { cancelOpenLoads } from './cancel-jobs.ts';
import type { JobEventInput } from './job.inputs.ts';
import { factsOfJob, loadsOf, moveJob, noteJobEvent, resumeLoad } from './job-effects.ts';

/** How far a telephone's clock may be ahead, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;

/** True if a time is in the future. */
export const isAhead = (tx: TxContext, at: Date | null | undefined): boolean =>
  at instanceof Date && at.getTime() > tx.tx.now.getTime() + CLOCK_SKEW;

// If two telephones send one id at the same moment, the second insert finds what the lookup could not see yet.
defineUnique('job_event_pkey', { model: 'JobEvent', field: 'id', key: 'other_event' });

/** How long before the planned start or the order an event may be reported, in milliseconds. */
const FURTHEST_BACK = 31 * 24 * 3_600_000;

/** True if a time is too early for the work of a job: probably a mistyped year, not an early start. */
export const isLongBefore = (job: Job, at: Date | null | undefined): boolean =>
  at instanceof Date && at.getTime() < Math.min(job.jobStartAt.getTime(), job.createdAt.getTime()) - FURTHEST_BACK;

interface Drive {
  tx: TxContext;
  job: Job;
  occurredAt: Date;
  /** The load under way, or the next one. */
  load: Load | undefined;
  note(name: JobEventName, more?: { payload?: Record<string, unknown>; loadId?: string }): void;
}

/**
 * Runs one event on the road: locks the job, answers a repeated event id with the unchanged record, checks the time, and runs `act`.
 * @throws Missing, Denied, Conflict; Invalid for an impossible id or time
 */
function drive(
  ctx: Context,
  path: RecordPath,
  input: JobEventInput,
  event: JobStateEvent | 'pause',
  names: readonly JobEventName[],
  act: (drive: Drive) => Promise<void>,
): Promise<Job> {
  return transact(ctx, async (tx) => {
    // The order is locked first, as everywhere, so that two commands that lock both never deadlock.
    const seen = await find(tx, Job, path.id, { companyId: path.companyId });
    mayDriveJob(tx, seen);
    await lockOrder(tx, seen.order.id);
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    if (input.id && (await isReplay(tx, job, input.id, names))) return job;
    const occurredAt = await timeOf(tx, job, input);
    if (job.pausedAt) throw conflict('Job', job, event, 'job_paused');
    const loads = await tx.em.find(
      Load,
      { job: job.id },
      { orderBy: { ordinality: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } },
    );
    const load = loads.find((one) => ACTIVE_LOAD.includes(one.state)) ?? loads.find((one) => one.state === 'created');
    let noted = false;
    await act({
      tx,
      job,
      occurredAt,
      load,
      note(name, more = {}) {
        // The telephone's id goes to the first event; the events that follow from it get new ids.
        noteJobEvent(tx, job, name, { loadId: load?.id, ...more, occurredAt, id: noted ? undefined : (input.id ?? undefined) });
        noted = true;
      },
    });
    return job;
  });
}

async function isReplay(tx: TxContext, job: Job, id: string, names: readonly JobEventName[]): Promise<boolean> {
  if (!isUuid(id)) throw new Invalid([{ model: 'JobEvent', field: 'id', key: 'not_a_uuid' }]);
  const known = await tx.em.findOne(JobEvent, { id: id.toLowerCase() }, { filters: { tenant: false } });
  if (!known) return false;
  if (known.job.id === job.id && names.includes(known.eventName)) return true;
  throw new Invalid([{ model: 'JobEvent', field: 'id', key: 'other_event' }]);
}

async function timeOf(tx: TxContext, job: Job, input: JobEventInput): Promise<Date> {
  if (!input.occurredAt) return tx.tx.now;
  const tell = (key: string) => new Invalid([{ model: 'JobEvent', field: 'occurredAt', key }]);
  if (isAhead(tx, input.occurredAt)) throw tell('in_the_future');
  if (isLongBefore(job, input.occurredAt)) throw tell('long_before_job');
  const [last] = await tx.em.find(
    JobEvent,
    { job: job.id, eventName: { $in: ON_THE_ROAD } },
    { orderBy: { occurredAt: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  if (last && input.occurredAt < last.occurredAt) throw tell('before_previous_event');
  return input.occurredAt;
}

const ON_THE_ROAD: JobEventName[] = ['ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted'];

/** Leaves for the pickup with the next load, or for the drop-off with a loaded one. The first truck starts the order. */
export const enrouteJob = (ctx: Context, path: RecordPath, input: JobEventInput) =>
  drive(ctx, path, input, 'enroute', ['ToPickup', 'ToDropoff'], async ({ tx, job, load, note }) => {
    const toDropoff = job.state === 'loaded';
    moveJob(tx, job, 'enroute', await factsOfJob(tx, job));
    const driven = load ?? (await appendLoad(tx, job));
    loadMachine.fire(tx, driven, 'enroute');
    note(toDropoff ? 'ToDropoff' : 'ToPickup', { loadId: driven.id });
    if (!toDropoff) await startOrderIfAccepted(tx, await lockOrder(tx, job.order.id));
  });

export const arriveJob = (ctx: Context, path: RecordPath, input: JobEventInput) =>
  drive(ctx, path, input, 'arrive', ['AtPickup', 'AtDropoff'], async ({ tx, job, load, occurredAt, note }) => {
    const atDropoff = job.state === 'to_dropoff';
    step(tx, job, load, 'arrive', 'arrive');
    load!.loadSummary[atDropoff ? 'arrivedDropoffAt' : 'arrivedPickupAt'] = occurredAt;
    note(atDropoff ? 'AtDropoff' : 'AtPickup');
    note('WaypointArrived');
  });

/** Also possible from `to_pickup`: the arrival then gets the same time (DOMAIN 1.3). */
export const loadMaterial = (ctx: Context, path: RecordPath, input: JobEventInput) =>
  drive(ctx, path, input, 'load_material', ['Loaded'], async ({ tx, job, load, occurredAt, note }) => {
    step(tx, job, load, 'load_material', 'load_material');
    load!.loadSummary.loadedAt = occurredAt;
    load!.loadSummary.arrivedPickupAt ??= occurredAt;
    note('Loaded');
  });

export const unloadMaterial = (ctx: Context, path: RecordPath, input: JobEventInput) =>
  drive(ctx, path, input, 'unload_material', ['Unloaded'], async ({ tx, job, load, occurredAt, note }) => {
    step(tx, job, load, 'unload_material', 'unload_material');
    load!.loadSummary.unloadedAt = occurredAt;
    load!.loadSummary.arrivedDropoffAt ??= occurredAt;
    note('Unloaded');
  });

/** With recurring loads, the next one is made at once. */
export const completeLoadOfJob = (ctx: Context, path: RecordPath, input: JobEventInput) =>
  drive(ctx, path, input, 'complete_load', ['LoadCompleted'], async ({ tx, job, load, occurredAt, note }) => {
    step(tx, job, load, 'complete_load', 'complete');
    load!.loadSummary.loadCompletedAt = occurredAt;
    note('LoadCompleted');
    await appendRecurring(tx, job);
  });

/** Completes an unloaded load, and cancels earlier loads and those that were never driven (DOMAIN 1.2). */
export const completeJob = (ctx: Context, path: RecordPath) =>
  drive(ctx, path, {}, 'complete', ['JobCompleted'], async ({ tx, job, load, occurredAt, note }) => {
    moveJob(tx, job, 'complete', {});
    if (load?.state === 'unloaded') {
      loadMachine.fire(tx, load, 'complete');
      load.loadSummary.loadCompletedAt = occurredAt;
      noteJobEvent(tx, job, 'LoadCompleted', { loadId: load.id, occurredAt });
    }
    await cancelOpenLoads(tx, job);
    note('JobCompleted', { loadId: undefined });
    lockRates(tx, job.id);
    await tx.em.flush();
    await completeOrderIfDone(tx, await lockOrder(tx, job.order.id));
  });

/** The job keeps its state; its load is paused (DOMAIN 1.2, 1.3). */
export const pauseJob = (ctx: Context, path: RecordPath) =>
  drive(ctx, path, {}, 'pause', ['JobPaused'], async ({ tx, job, load, occurredAt, note }) => {
    if (!PAUSABLE.includes(job.state) || !load || !loadMachine.can(load, 'pause')) throw conflict('Job', job, 'pause', 'job_not_on_road');
    load.pausedFrom = load.state;
    load.pausedAt = occurredAt;
    loadMachine.fire(tx, load, 'pause');
    job.pausedAt = occurredAt;
    note('JobPaused');
  });

export const resumeJob = (ctx: Context, path: RecordPath) =>
  transact(ctx, async (tx) => {
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    mayDriveJob(tx, job);
    if (!job.pausedAt) throw conflict('Job', job, 'resume', 'job_not_paused');
    job.pausedAt = null;
    const load = await resumeLoad(tx, job);
    noteJobEvent(tx, job, 'JobResumed', { loadId: load?.id });
    return job;
  });

function step(
  tx: TxContext,
  job: Job,
  load: Load | undefined,
  event: JobStateEvent,
  loadEvent: 'arrive' | 'load_material' | 'unload_material' | 'complete',
): void {
  moveJob(tx, job, event, {});
  if (!load) throw conflict('Job', job, event, 'job_cannot_leave');
  loadMachine.fire(tx, load, loadEvent);
}

/** Adds a load if loads recur, so that there is always one more to drive. */
export async function appendRecurring(tx: TxContext, job: Job): Promise<void> {
  if (job.recurringLoads && !(await loadsOf(tx, job)).some((one) => one.state === 'created')) await appendLoad(tx, job);
}

/** Adds the next load of a job, with the same terms, at the end. */
export async function appendLoad(tx: TxContext, job: Job): Promise<Load> {
  const loads = await loadsOf(tx, job);
  const last = loads.at(-1);
  const ordinality = Math.max(last?.ordinality ?? 0, job.lastLoadNumber ?? 0) + 1;
  const load = Object.assign(new Load(), {
    company: job.company,
    job: ref(job),
    orderId: job.order.id,
    ordinality,
    loadId: `${job.jobId}-${ordinality}`,
    unitOfMeasure: job.loadUnitOfMeasure ?? null,
    material: job.material ?? null,
    phase: job.phase ?? null,
    foremanIds: job.foremanIds,
    materialSellPrice: job.materialSellPrice ?? null,
    materialBuyPrice: job.materialBuyPrice ?? null,
    materialRateUnitOfMeasure: job.materialRateUnitOfMeasure ?? null,
    materialRateSite: job.materialRateSite ?? null,
    routeId: job.routeId,
  });
  tx.em.persist(load);
  return load;
}
