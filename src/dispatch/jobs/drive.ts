import { User } from '../../directory/people/user.entity.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { entityOfRow } from '../../platform/database/rows.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { askAhead, queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayDriveJob } from '../access/job.policy.ts';
import { isWorkApproved } from '../checks/approved-work.ts';
import { refuseBilled } from '../checks/refuse-held.ts';
import { earliestOf, type LoadStamp, stampLoad } from '../loads/stamp-load.ts';
import { Job } from '../model/job.entity.ts';
import { type JobFacts, jobMachine } from '../model/job.machine.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { ACTIVE_LOAD } from '../model/load.machine.ts';
import type { JobEventName, JobEventSource, JobState, JobStateEvent, LoadState } from '../model/states.ts';
import { isBeyondShift } from '../shifts/begin-state.ts';
import type { JobEventInput } from './job.inputs.ts';
import { moveJob, noteJobEvent } from './job-effects.ts';
import { lockJob } from './lock-job.ts';

/** A telephone's clock may be ahead by so much, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;

/** True if a time is in the future. */
export const isAhead = (tx: TxContext, at: Date | null | undefined): boolean =>
  at instanceof Date && at.getTime() > tx.tx.now.getTime() + CLOCK_SKEW;

// If two telephones send one id at the same moment, the second insert finds what the lookup could not see yet.
export const jobEventPkey = defineUnique('job_event_pkey', { model: 'JobEvent', field: 'id', key: 'other_event' });

/** The time of an event may be so long before the planned start or the order, in milliseconds. */
const FURTHEST_BACK = 31 * 24 * 3_600_000;

/** True if a time is too early for the work of a job: probably a mistyped year, not an early start. */
export const isLongBefore = (job: Job, at: Date | null | undefined): boolean =>
  at instanceof Date && at.getTime() < Math.min(job.jobStartAt.getTime(), job.createdAt.getTime()) - FURTHEST_BACK;

/** An event on the road: what a telephone reports, or what a geofence or a ticket shows. */
export interface RoadEvent extends JobEventInput {
  /** Of what shows it; by default that of the caller. */
  source?: JobEventSource;
  /** Kept with each event that is noted. */
  payload?: Record<string, unknown>;
  /** Nobody saw it, and it must have happened: it is noted, and its time stays unknown. */
  inferred?: boolean;
}

export interface Drive {
  tx: TxContext;
  job: Job;
  occurredAt: Date;
  /** The load under way, or the next one. */
  load: Load | undefined;
  /** Where the truck is: the state of the job, or that which it would have by its load if it had not ended. */
  place: JobState;
  /** Moves the job, unless it has ended: then its load alone goes on. @throws Conflict */
  move(event: JobStateEvent, facts?: Partial<JobFacts>): void;
  note(name: JobEventName, more?: { payload?: Record<string, unknown>; loadId?: string }): void;
  /** Notes the time of the event as that of a step of the load. */
  stamp(load: Load, stamp: LoadStamp): void;
}

/**
 * Runs one event on the road: locks the job, answers a repeated event id with the unchanged record, checks the time, and runs `act`.
 * @throws Missing, Denied, Conflict; Invalid for an impossible id or time
 */
export function drive(
  ctx: Context,
  path: RecordPath,
  input: RoadEvent,
  event: JobStateEvent | 'pause',
  names: readonly JobEventName[],
  act: (drive: Drive) => Promise<void>,
): Promise<Job> {
  const run = async (tx: TxContext) => {
    const job = await lockJob(tx, path, mayDriveJob, { next: ({ id }) => [askAhead(tx.em, LOCK_LOADS, [id])] });
    if (input.id && (await isReplay(tx, job, input.id, names))) return job;
    if (job.pausedAt) throw conflict('Job', job, event, 'job_paused');
    // All of them are locked, and one is changed.
    const loads = await queryIn<{ state: LoadState; [column: string]: unknown }>(tx.em, LOCK_LOADS, [job.id]);
    const next = loads.find(({ state }) => ACTIVE_LOAD.includes(state)) ?? loads.find(({ state }) => state === 'created');
    const load = next && entityOfRow(tx.em, Load, next);
    const ended = await endBefore(tx, job, input, path);
    const late = ended !== undefined;
    const place = late && load ? placeOf(load) : job.state;
    const step = load && nextStamp(place, load, event);
    const isUnbegun = load?.state === 'created';
    const occurredAt = await timeOf(tx, job, input, step && earliestOf(load, step));
    let noted = false;
    await act({
      tx,
      job,
      occurredAt,
      load,
      place,
      move(event, facts = {}) {
        if (!late) moveJob(tx, job, event, facts);
        // The end of its last job may have completed the order, which was open before it.
        else if (!load || !jobMachine.can({ state: place }, event, { ...facts, orderOpen: true }))
          throw conflict('Job', job, event, 'illegal_event');
      },
      note(name, more = {}) {
        // The telephone's id goes to the first event; the events that follow from it get new ids.
        const { id, source, payload } = input;
        noteJobEvent(tx, job, name, { loadId: load?.id, payload, source, ...more, occurredAt, id: noted ? undefined : (id ?? undefined) });
        noted = true;
      },
      stamp: (of, stamp) => stampLoad(of, stamp, occurredAt, input.source !== undefined),
    });
    moveEnd(tx, job, ended, occurredAt);
    // The job is over, and was billed without a load that nobody had begun: now it is open.
    if (late && isUnbegun && load?.state !== 'created') priceAnew(tx, job);
    return job;
  };
  return transact(ctx, run, [Job, path, 'see']);
}

/** Returns the time of a load that an event of its job sets, or leads to; undefined if it takes the load nowhere. */
function nextStamp(state: JobState, load: Load, event: JobStateEvent | 'pause'): LoadStamp | undefined {
  if (event === 'enroute') return state === 'loaded' ? 'arrivedDropoffAt' : 'arrivedPickupAt';
  if (event === 'arrive') return state === 'to_dropoff' ? 'arrivedDropoffAt' : 'arrivedPickupAt';
  if (event === 'load_material') return 'loadedAt';
  if (event === 'unload_material') return 'unloadedAt';
  return event === 'complete_load' || load.state === 'unloaded' ? 'loadCompletedAt' : undefined;
}

/** A load and its job have the same states on the road. */
const placeOf = ({ state }: Load): JobState => (state === 'created' ? 'load_completed' : (state as JobState));

/**
 * Returns the end of a job, if a telephone that was offline has sent its driver's states before the events of it (DOMAIN 1.2 `end`): what was before that
 * happened, and so did what was after the end of a shift that ended by itself. @throws Invalid if an approved invoice holds the work
 */
async function endBefore(
  tx: TxContext,
  job: Job,
  { occurredAt, source }: RoadEvent,
  { companyId }: RecordPath,
): Promise<JobEvent | undefined> {
  if (job.state !== 'ended' || !occurredAt || source) return undefined;
  const ended = await endOf(tx, job);
  if (!ended || (occurredAt > ended.occurredAt && !(await isOpenEnd(tx, job, ended, occurredAt)))) return undefined;
  if (await isWorkApproved(tx, job)) return undefined;
  await refuseBilled(tx, { model: 'Job' }, job, companyId);
  return ended;
}

/** Returns the event with which a job ended; undefined of one that has not. */
export async function endOf(tx: TxContext, job: Job): Promise<JobEvent | undefined> {
  const [ended] = await tx.em.find(
    JobEvent,
    { job: job.id, eventName: 'JobEnded', undoneAt: null },
    { orderBy: { occurredAt: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  return ended;
}

const GONE_ON = `select from driver_state_event where user_id = $1 and state = 'off_duty' and started_at <= $2 and ended_at > $2`;

/** Whether a job ended by itself, because nothing was heard of its driver, who has not gone on duty anew since, and whose shift may have lasted until a moment. */
async function isOpenEnd(tx: TxContext, { driver, driverDayId }: Job, { eventSource, occurredAt }: JobEvent, at: Date): Promise<boolean> {
  if (eventSource !== 'automation' || !driver) return false;
  const { company } = await tx.em.findOneOrFail(User, { id: driver.id }, { filters: { tenant: false } });
  // States are shown to the driver's company and its customers. Whoever else reports for the driver must find the same.
  actOnBehalfOf(company.id);
  if ((await queryIn(tx.em, GONE_ON, [driver.id, occurredAt])).length > 0) return false;
  return !driverDayId || !(await isBeyondShift(tx, driverDayId, at));
}

/** Has a job end later than it did, if it did. What is paid by its time is priced anew. */
export function moveEnd(tx: TxContext, job: Job, ended: JobEvent | undefined, at: Date): void {
  if (!ended || at <= ended.occurredAt) return;
  ended.occurredAt = at;
  priceAnew(tx, job);
}

/** Has a finished job priced anew, as when its breaks change: no column of it says what did. */
function priceAnew({ tx }: TxContext, { id, company }: Job): void {
  tx.events.push({ name: 'job.breaks_changed', type: 'Job', id, companyId: company.id });
}

const LOCK_LOADS = 'select * from load where job_id = $1 order by ordinality for update';

async function isReplay(tx: TxContext, job: Job, id: string, names: readonly JobEventName[]): Promise<boolean> {
  if (!isUuid(id)) throw new Invalid([{ model: 'JobEvent', field: 'id', key: 'not_a_uuid' }]);
  const known = await tx.em.findOne(JobEvent, { id: id.toLowerCase() }, { filters: { tenant: false } });
  if (!known) return false;
  if (known.job.id === job.id && names.includes(known.eventName)) return true;
  throw new Invalid([{ model: 'JobEvent', field: 'id', key: 'other_event' }]);
}

/**
 * Returns when an event was: as it says, otherwise now. If the step before has a later time than now, because a telephone's clock is ahead, it is that
 * time.
 * @param earliest before which the load cannot have been that far
 * @throws Invalid for an impossible time
 */
async function timeOf(tx: TxContext, job: Job, input: JobEventInput, earliest?: Date): Promise<Date> {
  const { now } = tx.tx;
  if (!input.occurredAt) return earliest && earliest > now ? earliest : now;
  const invalid = (key: string) => new Invalid([{ model: 'JobEvent', field: 'occurredAt', key }]);
  if (isAhead(tx, input.occurredAt)) throw invalid('in_the_future');
  if (isLongBefore(job, input.occurredAt)) throw invalid('long_before_job');
  const last = await lastOnTheRoad(tx, job);
  if ((last && input.occurredAt < last) || (earliest && input.occurredAt < earliest)) throw invalid('before_previous_event');
  return input.occurredAt;
}

/** The events of a truck on its way: the time of none is before that of another one that was noted first. */
export const ON_THE_ROAD: JobEventName[] = ['ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted'];

/** When a job was last on its way, by what was noted; undefined of one that nobody has left for. */
export async function lastOnTheRoad(tx: TxContext, job: Job): Promise<Date | undefined> {
  const [last] = await tx.em.find(
    JobEvent,
    { job: job.id, eventName: { $in: ON_THE_ROAD }, undoneAt: null },
    { orderBy: { occurredAt: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  return last?.occurredAt;
}
