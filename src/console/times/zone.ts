/**
 * Returns the instant at which the clocks of a zone show `local` (`2026-12-01T07:00`), by the browser's zone data; if there are two, the
 * first.
 */
export function instantOf(local: string, zone: string): string {
  const wall = Date.parse(`${local}Z`);
  // Clocks differ by less than a day from UTC, and their offset rarely changes, so one of the offsets a day before and after is right.
  const candidates = [wall - 86_400_000, wall + 86_400_000].map((near) => wall - offsetAt(near, zone)).sort((a, b) => a - b);
  const at = candidates.find((instant) => instant + offsetAt(instant, zone) === wall) ?? candidates.at(-1)!;
  return new Date(at).toISOString();
}

/** Returns the day of an instant in a zone, `2026-12-01`. */
export const dayIn = (zone: string, instant: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(instant));

/** Returns milliseconds east of UTC. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  return (
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - Math.floor(instant / 1000) * 1000
  );
}
