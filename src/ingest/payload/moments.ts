import { readLocal } from '../../platform/time.ts';
import type { Warning } from '../importer.ts';

/** A date before an hour without its zero, as spreadsheets write it; it can mean nothing else. */
const BEFORE_SHORT_HOUR = /^\d{4}-\d\d-\d\d[ T](?=\d:)/i;

/** ISO 8601 without its separators, as ERPs write it: `20261201T0700`. A date with day and month before the year does not match. */
const BASIC = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Returns the same with separators. */
const separated = (text: string): string =>
  text.trim().replace(BASIC, (_, year, month, day, hour, minute, second, offset = '') => {
    const time = hour === undefined ? '' : `T${hour}:${minute}${second === undefined ? '' : `:${second}`}${offset}`;
    return `${year}-${month}-${day}${time}`;
  });

/**
 * Reads an instant; without an offset it is local time in `zone`. A time that a clock change skips or repeats gets a warning, and so does
 * one before 1970.
 * @returns undefined unless the text is ISO 8601, or has an hour of one digit
 */
export function readMoment(text: string, zone: string, pointer: string, warnings: Warning[]): Date | undefined {
  const read = readLocal(
    separated(text).replace(BEFORE_SHORT_HOUR, (day) => `${day}0`),
    zone,
  );
  if (!read) return undefined;
  const { instant, doubt } = read;
  const used = instant.toISOString();
  // Programs write 0001-01-01, 1753-01-01 and 1900-01-01 for a missing date.
  if (instant.getTime() < 0) warnings.push({ code: 'early_date', pointer, given: text, used });
  if (doubt === 'skipped') warnings.push({ code: 'local_time_skipped', pointer, given: text, used });
  if (doubt === 'repeated') warnings.push({ code: 'local_time_repeated', pointer, given: text, used });
  return instant;
}

/** Why a text is no moment, for a sender who wrote ISO 8601 as it can be written, but as nobody keeps it. */
export function whyNoMoment(text: string): 'invalid_timestamp' | 'timestamp_hour_24' | 'timestamp_second_60' {
  const [, hour, second] = /^\d{4}-?\d\d-?\d\d[T ](\d\d):?\d\d(?::?(\d\d))?/i.exec(text.trim()) ?? [];
  if (hour === '24') return 'timestamp_hour_24';
  return second === '60' ? 'timestamp_second_60' : 'invalid_timestamp';
}
