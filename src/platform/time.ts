import moment from 'moment-timezone';

/**
 * Zone arithmetic on the zone data that comes with moment-timezone (2026f), because the data inside Node is older and an hour off
 * in British Columbia, Alberta and Manitoba. Update the package to update the rules.
 */
const MINUTE = 60_000;
const DAY = 86_400_000;
/** 0001-01-01T00:00:00Z and the end of year 9999: four-digit years, all of which PostgreSQL's timestamptz and date hold. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for an IANA zone name in its exact spelling, links such as `US/Eastern` included. */
export function isZone(name: string): boolean {
  zoneNames ??= new Set(moment.tz.names());
  return zoneNames.has(name);
}

/** An instant that was read, and why its local time is doubtful: a change of offset in the zone skips it or repeats it. */
export interface LocalMoment {
  instant: Date;
  /** A bare date is in no doubt, for a day begins once. */
  doubt?: 'skipped' | 'repeated';
}

/**
 * Reads ISO 8601 text as an instant. Text with an offset or `Z` means itself; text without one is local time in `zone`; a bare date
 * is the start of that day in `zone`. Local times that a change of offset makes doubtful are decided as Temporal's `compatible`:
 * a time skipped in spring moves later by the gap (02:30 becomes 03:30), a time that happens twice in autumn is the first of the two.
 * @returns undefined when the text is not ISO 8601, names an impossible date or lies outside the years 0001 to 9999
 * @throws RangeError when the zone is unknown
 */
export function readLocal(text: string, zone: string): LocalMoment | undefined {
  const read = readIso(text);
  if (!read) return undefined;
  const { local, hasTime, offset } = read;
  const offsets = offset === undefined ? offsetsAt(local, zone) : [offset * MINUTE];
  const instant = inRange(local - (offsets[0] ?? offsetBefore(local, zone)));
  if (!instant || offsets.length === 1 || !hasTime) return instant && { instant };
  return { instant, doubt: offsets.length === 0 ? 'skipped' : 'repeated' };
}

/** The instant of `readLocal`. */
export const localToInstant = (text: string, zone: string): Date | undefined => readLocal(text, zone)?.instant;

/**
 * The calendar date `YYYY-MM-DD` of an instant in a zone. Programs write 0001-01-01T00:00Z for no date, which west of Greenwich is before the calendar begins: its
 * first day is taken, as its last one is after its end.
 */
export function localDate(instant: Date, zone: string): string {
  const local = instant.getTime() + offsetAt(instant.getTime(), zone);
  return dateText(Math.min(Math.max(local, EARLIEST), LATEST));
}

/** The calendar date so many days after that of an instant in a zone. Days are counted by the calendar, because some have 23 hours or 25. */
export const localDateAfter = (instant: Date, days: number, zone: string): string =>
  dateText(Date.parse(localDate(instant, zone)) + days * DAY);

/** The minutes since local midnight by the wall clock, 0 to 1439. */
export function localMinutes(instant: Date, zone: string): number {
  const local = instant.getTime() + offsetAt(instant.getTime(), zone);
  return Math.floor((((local % DAY) + DAY) % DAY) / MINUTE);
}

/** The time of day by the wall clock, such as `07:30`. */
export function clockTime(instant: Date, zone: string): string {
  const minutes = localMinutes(instant, zone);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Milliseconds of the first and last instant whose ISO text has a year of four digits, as JSON and PostgreSQL both read it. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The instants a calendar date covers in a zone: `start` inclusive, `end` exclusive; 23, 24 or 25 hours apart, but for the first and the
 * last day of the calendar, which end with it. @throws RangeError on a bad date
 */
export function dayBounds(date: string, zone: string): { start: Date; end: Date } {
  const day = dateToMillis(date);
  if (day === undefined) throw new RangeError(`not a date: ${date}`);
  const within = (instant: number) => new Date(Math.min(Math.max(instant, FIRST), LAST));
  return { start: within(wallToInstant(day, zone)), end: within(wallToInstant(day + DAY, zone)) };
}

/** The first instant after one, in milliseconds; the last of the calendar is its own. */
export const nextInstant = (instant: Date): Date => new Date(Math.min(instant.getTime() + 1, LAST));

/** True for an existing date `YYYY-MM-DD` of the years 0001 to 9999. */
export function isDate(text: string): boolean {
  return dateToMillis(text) !== undefined;
}

let zoneNames: Set<string> | undefined;

/** ISO 8601 text: its wall clock in milliseconds as if in UTC, and its offset in minutes when it has one. */
function readIso(text: string): { local: number; hasTime: boolean; offset: number | undefined } | undefined {
  const match = ISO.exec(text.trim());
  if (!match) return undefined;
  const [, date, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const hasTime = match[2] !== undefined;
  const day = dateToMillis(date as string);
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  // A date with an offset but no time (`2026-11-20Z`) is no ISO 8601.
  if (zone && !hasTime) return undefined;
  const local =
    day + Number(hour) * 60 * MINUTE + Number(minute) * MINUTE + Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = zone ? offsetMinutes(zone) : undefined;
  return zone && offset === undefined ? undefined : { local, hasTime, offset };
}

const wallToInstant = (local: number, zone: string): number => local - (offsetsAt(local, zone)[0] ?? offsetBefore(local, zone));

/** The offsets at which the wall clock shows `local`: one, none where a change skips it, two where one repeats it, the earlier instant's first. */
function offsetsAt(local: number, zone: string): number[] {
  const before = offsetBefore(local, zone);
  const after = offsetAt(local + DAY, zone);
  const around = before === after ? [before] : [Math.max(before, after), Math.min(before, after)];
  return around.filter((offset) => offsetAt(local - offset, zone) === offset);
}

const offsetBefore = (local: number, zone: string): number => offsetAt(local - DAY, zone);

/** Milliseconds east of UTC at an instant. */
function offsetAt(instant: number, zone: string): number {
  const rules = moment.tz.zone(zone);
  if (!rules) throw new RangeError(`unknown time zone: ${zone}`);
  return Math.round(-rules.utcOffset(instant) * MINUTE);
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function dateToMillis(text: string): number | undefined {
  const match = DATE.exec(text);
  if (!match || match[1] === '0000') return undefined;
  const millis = Date.parse(`${text}T00:00:00.000Z`);
  // Date.parse rolls 2026-02-30 over in some engines: only a day that stays itself exists.
  return new Date(millis).getUTCDate() === Number(match[3]) ? millis : undefined;
}

function dateText(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10);
}

function inRange(instant: number): Date | undefined {
  return instant >= EARLIEST && instant <= LATEST ? new Date(instant) : undefined;
}
