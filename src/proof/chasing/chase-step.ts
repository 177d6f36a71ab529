import { afterQuiet, wallAfter } from '../../dispatch/notifications/quiet-hours.ts';

const HOUR = 3_600_000;
const DAY = 86_400_000;
/** After a load is completed its driver has this long to send the ticket unasked. */
const UNASKED = HOUR / 2;
/** Milliseconds at least between the second reminder and that of the next morning. */
const GAP = 4 * HOUR;
export const MOST_REMINDERS = 4;

/** The facts of a job whose tickets may be missing. */
export interface ChaseFacts {
  now: Date;
  /** The zone of who is reminded. */
  zone: string;
  /** The order wants it, and the job still has somebody to be reminded. */
  wanted: boolean;
  /** The job is completed or ended. */
  jobOver: boolean;
  /** Completed loads that lack their ticket, except those that were waived or given up: when they were completed. */
  missing: readonly Date[];
  /** The chase that is open. */
  chase: {
    reminders: readonly Date[];
    /** When the office last asked for the tickets itself. */
    askedAt: Date | null;
    /** A load of it has its ticket now. */
    ticketed: boolean;
  } | null;
}

/** The next step for a job, or the time to look again; nothing if only a change can bring something. */
export type ChaseStep =
  | { do: 'open' }
  | { do: 'remind'; number: number }
  | { do: 'end'; state: 'answered' | 'stopped' | 'given_up' }
  | { do: 'wait'; until: Date }
  | { do: 'nothing' };

/** When a reminder is due, by its number and when the one before was sent (the first: when the chase began). */
function reminderAt(number: number, last: Date, zone: string): Date {
  const after = (ms: number) => new Date(last.getTime() + ms);
  if (number === 1) return afterQuiet(last, zone);
  if (number === 2) return afterQuiet(after(GAP), zone);
  return number === 3 ? afterQuiet(wallAfter(after(GAP), zone, '09:00'), zone) : afterQuiet(after(DAY), zone);
}

/** Says what is to be done for a job: the same facts give the same step, so that whoever looks, and however often, does each step once. */
export function stepOf({ now, zone, wanted, jobOver, missing, chase }: ChaseFacts): ChaseStep {
  const at = (moment: Date, step: ChaseStep): ChaseStep => (moment <= now ? step : { do: 'wait', until: moment });
  if (!chase) {
    if (!wanted || missing.length === 0) return { do: 'nothing' };
    const first = new Date(Math.min(...missing.map((one) => one.getTime())) + UNASKED);
    return jobOver ? { do: 'open' } : at(first, { do: 'open' });
  }
  if (!wanted) return { do: 'end', state: 'stopped' };
  if (missing.length === 0) return { do: 'end', state: chase.ticketed ? 'answered' : 'stopped' };
  const number = chase.reminders.length + 1;
  const last = chase.reminders.at(-1);
  if (last && number > MOST_REMINDERS) return at(new Date(last.getTime() + DAY), { do: 'end', state: 'given_up' });
  const asked = chase.askedAt !== null && last !== undefined && chase.askedAt > last;
  const due = last && !asked ? reminderAt(number, last, zone) : now;
  // A worker that was late may have come into the quiet hours.
  return at(afterQuiet(due > now ? due : now, zone), { do: 'remind', number });
}
