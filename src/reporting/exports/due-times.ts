import { localDate, localToInstant } from '../../platform/time.ts';

/** When a schedule is due: every day or on one day of the week, at a time of the wall clock. */
export interface Rhythm {
  frequency: 'daily' | 'weekly';
  /** From 1, a Monday, to 7; of a weekly schedule. */
  weekday?: number | null;
  /** `HH:MM`. */
  localTime: string;
}

const DAY = 86_400_000;
const next = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
/** From 1, a Monday, to 7. */
const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay() || 7;

/**
 * Returns the first instant after another one at which a schedule is due in a zone. A time that the clock skips in spring comes as much later; one
 * that it has twice in autumn is the first of the two.
 * @param had the day of the zone on which it was due last; it is due on a later one
 * @throws Error for a weekly rhythm without a day of the week
 */
export function dueAfter({ frequency, weekday, localTime }: Rhythm, zone: string, after: Date, had?: string): Date {
  if (frequency === 'weekly' && !(weekday! >= 1 && weekday! <= 7)) throw new Error('A weekly rhythm has a day of the week.');
  for (let date = localDate(after, zone); ; date = next(date)) {
    if ((had && date <= had) || (frequency === 'weekly' && weekdayOf(date) !== weekday)) continue;
    const due = localToInstant(`${date}T${localTime}`, zone)!;
    if (due > after) return due;
  }
}

/** A day in a query, such as `{day-7}`: the day on which it is due, in the zone of the company, and as many days before it. */
const PLACE = /\{day(?:-(\d{1,3}))?\}/g;

/** Returns a query with days in the place of `{day}` and `{day-7}`. */
export const withDays = (query: string, day: string): string =>
  query.replace(PLACE, (_, before = '0') => new Date(Date.parse(`${day}T00:00:00Z`) - Number(before) * DAY).toISOString().slice(0, 10));
