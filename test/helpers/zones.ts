import { dayBounds, localDateAfter } from '../../src/platform/time.ts';

/** Returns the fixed zone where the hour of the day is `hour` now. At noon no day ends during a test, whatever time it is elsewhere. */
export function zoneAt(hour: number): string {
  const ahead = ((((hour - new Date().getUTCHours()) % 24) + 36) % 24) - 12;
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Returns the next date of a zone, or the last one if `step` is -1, that has 23 hours, or 25: clocks change on it. Today is neither, nor are the days next to it. */
export function dateOfHours(hours: 23 | 25, zone: string, step: 1 | -1 = 1): string {
  const now = new Date();
  for (let days = 2 * step; Math.abs(days) < 400; days += step) {
    const date = localDateAfter(now, days, zone);
    const { start, end } = dayBounds(date, zone);
    if (end.getTime() - start.getTime() === hours * 3_600_000) return date;
  }
  throw new Error(`clocks do not change in ${zone}`);
}
