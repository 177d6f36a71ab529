import { type JobState, NOT_STARTED } from '../dispatch/model/states.ts';
import { historyOf } from './history.ts';
import type { PlannedOrder } from './week.ts';

const MINUTE = 60_000;
export const LOADS_PER_TRUCK = 3;
/** Minutes between two trucks, and from the last event of a paused job to its pause. */
export const TRUCK_DELAY = 15;
export const PAUSE_AFTER = 12;
/** Orders begin at quarters of an hour; those of today that have not begun are as far ahead as they are after this hour. */
const QUARTER = 15 * MINUTE;
const MORNING = 8;
/** Work of today that began so many minutes before midnight at most was to begin at midnight. */
const BEFORE_MIDNIGHT = 90;

/** The present, and the milliseconds of a time of the day of an order. */
export interface Clock {
  now: Date;
  timeOfDay(time: string): number;
}

/**
 * When an order begins. Of today's orders, those under way began as late as their jobs allow, so that at any hour a truck has been on the way for
 * minutes; the others are still ahead, as far as the day is long enough.
 */
export function beginOf({ day, hour, jobs }: PlannedOrder, { now, timeOfDay }: Clock): Date {
  const planned = timeOfDay(`${String(hour).padStart(2, '0')}:00:00`);
  const latest = Math.min(...jobs.map((state, i) => latestStart(state, i, now)));
  if (day !== 0) return new Date(Math.min(planned, latest));
  if (Number.isFinite(latest)) return new Date(Math.floor(latest / QUARTER) * QUARTER);
  const ahead = nextQuarter(now) + (hour - MORNING) * 60 * MINUTE;
  return new Date(Math.max(planned, Math.min(ahead, timeOfDay('23:30:00'))));
}

/**
 * When a job was to start, by when its turn came. Of today's jobs, those that have not begun are ahead, and those that have are on the board of today,
 * also if they began shortly before midnight.
 */
export function agreedStart(state: JobState, turn: Date, day: number, { now, timeOfDay }: Clock): Date {
  const midnight = timeOfDay('00:00:00');
  const isAhead = NOT_STARTED.includes(state);
  if (day !== 0 || (!isAhead && turn.getTime() < midnight - BEFORE_MIDNIGHT * MINUTE)) return turn;
  const earliest = isAhead ? nextQuarter(now) : midnight;
  return new Date(Math.min(Math.max(turn.getTime(), earliest), timeOfDay('23:59:00')));
}

const nextQuarter = (now: Date): number => Math.ceil(now.getTime() / QUARTER) * QUARTER;

/** The latest start of an order with a job that has come so far by now; without limit if its haul has not begun. In milliseconds. */
function latestStart(state: JobState, index: number, now: Date): number {
  const { minute } = historyOf(state, LOADS_PER_TRUCK).events.at(-1)!;
  return minute > 0 ? now.getTime() - (minute + PAUSE_AFTER + index * TRUCK_DELAY) * MINUTE : Number.POSITIVE_INFINITY;
}
