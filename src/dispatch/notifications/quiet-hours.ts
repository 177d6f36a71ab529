import { localDate, localMinutes, localToInstant } from '../../platform/time.ts';

const HOUR = 3_600_000;
const DAY = 86_400_000;
/** Quiet hours by the wall clock of the person, in minutes since midnight. */
const QUIET_FROM = 21 * 60;
const QUIET_TO = 6 * 60;

/** Whether nobody is texted at this moment in a zone: from 21:00 to 06:00. */
export function isQuiet(at: Date, zone: string): boolean {
  const minutes = localMinutes(at, zone);
  return minutes >= QUIET_FROM || minutes < QUIET_TO;
}

/** The same moment, or 06:00 after the quiet hours in which it lies. */
export function afterQuiet(at: Date, zone: string): Date {
  if (!isQuiet(at, zone)) return at;
  const morning = wallAfter(at, zone, '06:00');
  // A clock that is changed in the night may make the morning of a zone early.
  return isQuiet(morning, zone) ? new Date(morning.getTime() + HOUR) : morning;
}

/** The next quiet hours begin so many milliseconds later. */
export const untilQuiet = (at: Date, zone: string): number => wallAfter(at, zone, '21:00').getTime() - at.getTime();

/** The next moment at which the wall clock of a zone shows a time. Days are counted by the calendar, because some have 23 hours. */
export function wallAfter(at: Date, zone: string, time: string): Date {
  const today = Date.parse(localDate(at, zone));
  for (const day of [today, today + DAY, today + 2 * DAY]) {
    const moment = localToInstant(`${new Date(day).toISOString().slice(0, 10)}T${time}`, zone);
    if (moment && moment > at) return moment;
  }
  throw new RangeError(`no ${time} in ${zone} after ${at.toISOString()}`);
}
