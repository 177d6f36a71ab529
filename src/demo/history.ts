import type { JobEventName, JobState, LoadState } from '../dispatch/model/states.ts';

interface Step {
  state: JobState;
  event: JobEventName;
  /** An event that is noted at the same moment, before it. */
  with?: JobEventName;
  /** Minutes after the previous step. */
  after: number;
}

const PREPARATION: Step[] = [
  { state: 'created', event: 'JobCreated', after: 0 },
  { state: 'assigned', event: 'JobAssigned', after: 10 },
  { state: 'sent', event: 'JobSent', with: 'JobRequested', after: 5 },
  { state: 'accepted', event: 'JobAccepted', after: 7 },
];

/** Minutes of the way to the pickup, and of the loaded way to the drop-off. */
export const ON_THE_WAY = { pickup: 21, dropoff: 27 } as const;

const CYCLE: Step[] = [
  { state: 'to_pickup', event: 'ToPickup', after: 3 },
  { state: 'arrived_pickup', event: 'AtPickup', after: ON_THE_WAY.pickup },
  { state: 'loaded', event: 'Loaded', after: 9 },
  { state: 'to_dropoff', event: 'ToDropoff', after: 2 },
  { state: 'arrived_dropoff', event: 'AtDropoff', after: ON_THE_WAY.dropoff },
  { state: 'unloaded', event: 'Unloaded', after: 8 },
  { state: 'load_completed', event: 'LoadCompleted', after: 1 },
];

const FINISH: Partial<Record<JobState, Step[]>> = {
  completed: [{ state: 'completed', event: 'JobCompleted', after: 4 }],
  ended: [{ state: 'ended', event: 'JobEnded', after: 30 }],
  in_review: [
    { state: 'completed', event: 'JobCompleted', after: 4 },
    { state: 'in_review', event: 'JobInReview', after: 120 },
  ],
  flagged: [
    { state: 'completed', event: 'JobCompleted', after: 4 },
    { state: 'flagged', event: 'JobFlagged', after: 120 },
  ],
  signed_off: [
    { state: 'completed', event: 'JobCompleted', after: 4 },
    { state: 'signed_off', event: 'JobSignedOff', after: 180 },
  ],
  paid: [
    { state: 'completed', event: 'JobCompleted', after: 4 },
    { state: 'signed_off', event: 'JobSignedOff', after: 180 },
    { state: 'paid', event: 'JobPaid', after: 600 },
  ],
};

/** The history of one demo job: its events in order, and how far each of its loads came. */
export interface History {
  events: { state: JobState; event: JobEventName; minute: number; load?: number }[];
  loads: {
    state: LoadState;
    stamps: Partial<Record<'to_pickup' | 'arrived_pickup' | 'loaded' | 'arrived_dropoff' | 'unloaded' | 'load_completed', number>>;
  }[];
}

/**
 * Returns how a job came to `target`, step by step along the job machine (DOMAIN 1.2). Minutes count from the job's start; steps before the
 * haul have negative minutes.
 * @param late minutes by which the work was finished later than usual
 */
export function historyOf(target: JobState, loadCount: number, late = 0): History {
  const loads: History['loads'] = Array.from({ length: loadCount }, () => ({ state: 'created', stamps: {} }));
  const events: History['events'] = [];
  let minute = -60;
  const take = (step: Step, load?: number): boolean => {
    minute += step.after;
    for (const event of [step.with, step.event]) if (event) events.push({ state: step.state, event, minute, load });
    return step.state === target;
  };
  if (target === 'canceled') {
    take(PREPARATION[0]!);
    take({ state: 'canceled', event: 'JobCanceled', after: 15 });
    for (const load of loads) load.state = 'canceled';
    return { events, loads };
  }
  if (target === 'rejected') {
    for (const step of PREPARATION.slice(0, 3)) take(step);
    take({ state: 'rejected', event: 'JobDeclined', after: 4 });
    return { events, loads };
  }
  for (const step of PREPARATION) if (take(step)) return { events, loads };
  for (const [index, load] of loads.entries()) {
    for (const step of CYCLE) {
      const arrived = take(step, index);
      load.state = step.state === 'load_completed' ? 'completed' : (step.state as LoadState);
      load.stamps[step.state as keyof typeof load.stamps] = minute;
      if (arrived) return { events, loads };
    }
  }
  minute += late;
  for (const step of FINISH[target] ?? []) take(step);
  return { events, loads };
}
