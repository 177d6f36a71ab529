import type { LoadStamp } from '../../dispatch/loads/stamp-load.ts';
import {
  JOB_OVER,
  type JobEventName,
  type JobEventSource,
  type JobState,
  type LoadState,
  type OrderState,
} from '../../dispatch/model/states.ts';
import { EARLY_HOURS } from './driver-fences.ts';
import type { GeofenceTriggerType } from './find-triggers.ts';

/** A button that a driver would press. */
export type Step = 'enroute' | 'arrive' | 'load_material' | 'infer_load' | 'unload_material' | 'complete_load' | 'complete';

/** Entering or leaving the site where material is picked up or dropped off. */
export type Crossing = `${GeofenceTriggerType} ${'pickup' | 'drop_off'}`;

/** The consequences of a crossing for a load: the event of its job, and the time it sets. */
export const SHOWS: Record<Crossing, { event: JobEventName; stamp: LoadStamp }> = {
  'enter pickup': { event: 'AtPickup', stamp: 'arrivedPickupAt' },
  'exit pickup': { event: 'Loaded', stamp: 'loadedAt' },
  'enter drop_off': { event: 'AtDropoff', stamp: 'arrivedDropoffAt' },
  'exit drop_off': { event: 'Unloaded', stamp: 'unloadedAt' },
};

/** The work as it is when a crossing is looked at, read under the lock of its order. Times in milliseconds. */
export interface Work {
  job: JobState;
  paused: boolean;
  startsAt: number;
  order: OrderState;
  onDuty: boolean;
  /** The driver hauls another job. */
  busyElsewhere: boolean;
  hasNextLoad: boolean;
  /** The load under way, otherwise the last one that was. */
  load: { state: LoadState; approved: boolean; arrivedPickupAt: number | null; hasTicket: boolean } | undefined;
  /** The newest event on the road, and the events of the load by who noted them. */
  last: { at: number; event: JobEventName } | undefined;
  noted: readonly { event: JobEventName; source: JobEventSource }[];
  /** The truck has entered the pickup and not left it: of two geofences that overlap, the other one waits. */
  insidePickup: boolean;
  /** The company wants a job to be completed with its last load, and it is not counted in hours. */
  completesItself: boolean;
  /** A person says that it happened. */
  confirmed?: boolean;
}

/** The decision about a crossing: steps at a time, or none, for a reason that is kept. */
export type Decision = { steps: Step[]; at: number } | { skip: string; proposed?: true };

/** Reasons for which a job does not follow a truck that does its work: somebody has to do something first. */
export const REFUSALS: ReadonlySet<string> = new Set([
  'not_accepted',
  'order_not_accepted',
  'order_on_hold',
  'off_duty',
  'other_job_under_way',
]);

const HOUR = 3_600_000;
/** Milliseconds that loading takes at least. */
const SHORTEST = 60_000;
const BY_HAND: readonly JobEventSource[] = ['web', 'webhook'];

/**
 * Decides what a crossing changes (PROOF A5, the table of triggers). Automation never goes back, never touches what is approved, paused or
 * over, and leaves to a person what a person has noted.
 * @param at when it happened, in milliseconds
 */
export function decide(crossing: Crossing, at: number, work: Work): Decision {
  const { job, load, last } = work;
  if (JOB_OVER.includes(job)) return { skip: 'over' };
  if (work.paused) return { skip: 'paused' };
  if (load?.approved && job !== 'load_completed') return { skip: 'approved' };
  const steps = stepsOf(crossing, work);
  if (steps.length === 0) return { skip: refusalOf(crossing, at, work) };
  // A truck that is loaded brings what it has.
  if (crossing === 'enter pickup' && ['hold', 'weather_hold'].includes(work.order)) return { skip: 'order_on_hold' };
  if (crossing === 'enter pickup' && job === 'accepted') {
    if (at < work.startsAt - EARLY_HOURS * HOUR) return { skip: 'too_early' };
    if (!work.hasNextLoad) return { skip: 'no_next_load' };
    if (!['accepted', 'in_progress'].includes(work.order)) return { skip: 'order_not_accepted' };
    if (!work.onDuty) return { skip: 'off_duty' };
    if (work.busyElsewhere) return { skip: 'other_job_under_way' };
  }
  if (crossing === 'enter drop_off' && !work.confirmed && work.insidePickup && job === 'arrived_pickup')
    return { skip: 'overlap', proposed: true };
  if (
    crossing === 'exit pickup' &&
    !work.confirmed &&
    load?.arrivedPickupAt != null &&
    at - load.arrivedPickupAt < SHORTEST &&
    !load.hasTicket
  )
    return at < load.arrivedPickupAt ? { skip: 'late' } : { skip: 'too_short', proposed: true };
  if (!last || at >= last.at) return { steps, at };
  // A driver who was inside when they left for it arrived when they left.
  return steps[0] === 'arrive' && (last.event === 'ToPickup' || last.event === 'ToDropoff') ? { steps, at: last.at } : { skip: 'late' };
}

function stepsOf(crossing: Crossing, { job, hasNextLoad, completesItself, noted }: Work): Step[] {
  switch (crossing) {
    case 'enter pickup':
      if (job === 'to_pickup') return ['arrive'];
      return job === 'accepted' || (job === 'load_completed' && hasNextLoad) ? ['enroute', 'arrive'] : [];
    case 'exit pickup':
      if (job === 'arrived_pickup') return ['load_material', 'enroute'];
      // Its ticket said that it was loaded; nobody has said that it left.
      return job === 'loaded' && noted.some(({ event, source }) => event === 'Loaded' && source === 'ticket_match') ? ['enroute'] : [];
    case 'enter drop_off':
      if (job === 'loaded') return ['enroute', 'arrive'];
      if (job === 'arrived_pickup') return ['infer_load', 'enroute', 'arrive'];
      return job === 'to_dropoff' ? ['arrive'] : [];
    case 'exit drop_off':
      if (job !== 'arrived_dropoff') return [];
      return completesItself && !hasNextLoad ? ['unload_material', 'complete_load', 'complete'] : ['unload_material', 'complete_load'];
  }
}

/** Why a crossing cannot move a job in its state. */
function refusalOf(crossing: Crossing, at: number, { job, load, hasNextLoad, noted, last }: Work): string {
  const { event } = SHOWS[crossing];
  if (crossing === 'enter pickup' && job === 'load_completed' && !hasNextLoad) return 'no_next_load';
  if (load?.approved) return 'approved';
  if (noted.some((one) => one.event === event && BY_HAND.includes(one.source))) return 'done_by_hand';
  if (crossing === 'enter pickup' && (job === 'assigned' || job === 'sent' || job === 'created')) return 'not_accepted';
  return last && at < last.at ? 'late' : 'state';
}
