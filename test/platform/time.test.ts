import { expect, test } from '@jest/globals';
import { DateTime, instantText, LocalDate } from '../../src/platform/scalars.ts';
import { dayBounds, isDate, isZone, localDate, localDateAfter, localMinutes, localToInstant, readLocal } from '../../src/platform/time.ts';

/**
 * Changes of offset in 2026 and 2027 by tzdata 2026: zone, first second of the new offset (UTC), seconds east of UTC before and after.
 * British Columbia stays on its daylight time from November 2026, which data from 2025 does not know.
 */
const TRANSITIONS: [string, string, number, number][] = [
  ['America/Toronto', '2026-03-08T07:00:00Z', -18000, -14400],
  ['America/Toronto', '2026-11-01T06:00:00Z', -14400, -18000],
  ['America/Toronto', '2027-03-14T07:00:00Z', -18000, -14400],
  ['America/Toronto', '2027-11-07T06:00:00Z', -14400, -18000],
  ['America/New_York', '2026-03-08T07:00:00Z', -18000, -14400],
  ['America/New_York', '2027-11-07T06:00:00Z', -14400, -18000],
  ['America/Chicago', '2026-03-08T08:00:00Z', -21600, -18000],
  ['America/Chicago', '2026-11-01T07:00:00Z', -18000, -21600],
  ['America/Denver', '2026-03-08T09:00:00Z', -25200, -21600],
  ['America/Denver', '2027-11-07T08:00:00Z', -21600, -25200],
  ['America/Los_Angeles', '2026-03-08T10:00:00Z', -28800, -25200],
  ['America/Los_Angeles', '2026-11-01T09:00:00Z', -25200, -28800],
  ['America/Vancouver', '2026-03-08T10:00:00Z', -28800, -25200],
  // A change of name only: the clock does not move.
  ['America/Vancouver', '2026-11-01T09:00:00Z', -25200, -25200],
  ['America/Vancouver', '2027-03-14T10:00:00Z', -25200, -25200],
  ['America/St_Johns', '2026-03-08T05:30:00Z', -12600, -9000],
  ['America/St_Johns', '2026-11-01T04:30:00Z', -9000, -12600],
  ['America/Halifax', '2026-03-08T06:00:00Z', -14400, -10800],
  ['America/Halifax', '2027-11-07T05:00:00Z', -10800, -14400],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 39600, 37800],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', 37800, 39600],
  ['Africa/Casablanca', '2026-02-15T02:00:00Z', 3600, 0],
  ['Africa/Casablanca', '2026-03-22T02:00:00Z', 0, 3600],
  ['Africa/Casablanca', '2026-09-20T01:00:00Z', 3600, 0],
  ['Europe/Dublin', '2026-03-29T01:00:00Z', 0, 3600],
  ['Europe/Dublin', '2027-10-31T01:00:00Z', 3600, 0],
];

/** Local wall clock text of an instant at an offset. */
const wall = (instant: number, offset: number) => new Date(instant + offset * 1000).toISOString().slice(0, 19);

test.each(TRANSITIONS)('%s changes its offset at %s', (zone, at, before, after) => {
  const change = Date.parse(at);
  // A day away from the change nothing is doubtful.
  for (const [instant, offset] of [
    [change - 86_400_000, before],
    [change + 86_400_000, after],
  ] as const) {
    expect(localToInstant(wall(instant, offset), zone)).toEqual(new Date(instant));
  }
  const lastBefore = change - 1000;
  expect(localDate(new Date(lastBefore), zone)).toBe(wall(lastBefore, before).slice(0, 10));
  expect(localDate(new Date(change), zone)).toBe(wall(change, after).slice(0, 10));
  expect(localToInstant(wall(lastBefore, before), zone)).toEqual(new Date(lastBefore));
  // The first second after is known by its local time only when the clock did not go back over it.
  if (after >= before) expect(localToInstant(wall(change, after), zone)).toEqual(new Date(change));
});

test('a local time skipped in spring moves later by the gap', () => {
  expect(localToInstant('2026-03-08T02:30', 'America/Toronto')).toEqual(new Date('2026-03-08T03:30:00-04:00'));
});

test('a local time that happens twice in autumn is the first of the two', () => {
  expect(localToInstant('2026-11-01T01:30', 'America/Toronto')).toEqual(new Date('2026-11-01T01:30:00-04:00'));
});

test('text with an offset means the same instant in every zone', () => {
  for (const text of ['2026-11-20T07:00:00Z', '2026-11-20T02:00:00-05:00', '2026-11-20 07:00:00+00', '2026-11-20T12:45:00.000+0545']) {
    expect(localToInstant(text, 'America/Vancouver')).toEqual(new Date('2026-11-20T07:00:00.000Z'));
  }
});

test('a bare date is the start of the day in the zone', () => {
  expect(localToInstant('2026-07-01', 'America/St_Johns')).toEqual(new Date('2026-07-01T02:30:00Z'));
  // Midnight does not exist on this day in Cairo.
  expect(localToInstant('2026-04-24', 'Africa/Cairo')).toEqual(new Date('2026-04-23T22:00:00Z'));
});

test.each([
  '',
  'tomorrow',
  '2026',
  '2026-11',
  '20261120',
  '2026-02-30',
  '2026-13-01',
  '2026-11-20T24:00',
  '2026-11-20T07',
  '2026-11-20T07:60',
  '2026-11-20T07:00:60Z',
  '2026-11-20Z',
  '2026-11-20T07:00+25:00',
  '0000-01-01',
  '10000-01-01',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-01:00',
  '2026-11-20T07:00:00Z; drop',
])('refuses %p', (text) => {
  expect(localToInstant(text, 'UTC')).toBeUndefined();
});

test('an unknown zone is an error of the caller', () => {
  expect(isZone('America/Toronto')).toBe(true);
  expect(isZone('america/toronto')).toBe(false);
  expect(isZone('Mars/Olympus')).toBe(false);
  expect(() => localToInstant('2026-11-20T07:00', 'Mars/Olympus')).toThrow(RangeError);
});

test('days last 23, 24 and 25 hours', () => {
  const hours = (date: string) => {
    const { start, end } = dayBounds(date, 'America/Toronto');
    return (end.getTime() - start.getTime()) / 3_600_000;
  };
  expect([hours('2026-03-08'), hours('2026-07-01'), hours('2026-11-01')]).toEqual([23, 24, 25]);
  expect(() => dayBounds('2026-02-30', 'UTC')).toThrow(RangeError);
});

test('what is before the first day of the calendar in a zone, or after the last one, is of that day', () => {
  const edges = ['0001-01-01T00:00Z', '9999-12-31T23:59:59.999Z'].map((text) => new Date(text));
  for (const zone of ['America/Chicago', 'UTC', 'Asia/Tokyo'])
    expect(edges.map((edge) => localDate(edge, zone))).toEqual(['0001-01-01', '9999-12-31']);
});

test('dates are counted by the calendar, also at the edges of days of 23 and 25 hours, and of months and years', () => {
  const after = (instant: string, days: number, zone = 'America/Chicago') => localDateAfter(new Date(instant), days, zone);
  // 00:30 after the day of 23 hours, half an hour before the end of that of 25, and half an hour after it began.
  expect([after('2026-03-09T05:30Z', -1), after('2026-11-02T05:30Z', -1), after('2026-11-01T05:30Z', 1)]).toEqual([
    ...['2026-03-08', '2026-10-31', '2026-11-02'],
  ]);
  expect([after('2027-01-01T05:59Z', 1), after('2028-03-01T06:00Z', -1), after('2027-03-31T12:00Z', -31)]).toEqual([
    ...['2027-01-01', '2028-02-29', '2027-02-28'],
  ]);
  expect(after('2026-11-20T12:00Z', 0, 'Pacific/Kiritimati')).toBe('2026-11-21');
});

test('dates exist or do not, and the clock counts minutes', () => {
  expect(isDate('2028-02-29')).toBe(true);
  expect(isDate('2026-02-29')).toBe(false);
  expect(localMinutes(new Date('2026-11-20T04:59:00Z'), 'America/Toronto')).toBe(23 * 60 + 59);
});

test('DateTime requires an offset and returns milliseconds in UTC', () => {
  expect(DateTime.parseValue('2026-11-20T02:00:00-05:00')).toEqual(new Date('2026-11-20T07:00:00Z'));
  for (const text of ['2026-11-20T07:00:00', '2026-11-20', 20261120, null, '2026-02-30T00:00:00Z', '20000-01-01T00:00:00Z']) {
    expect(() => DateTime.parseValue(text)).toThrow(expect.objectContaining({ extensions: { key: 'datetime_invalid' } }));
  }
  for (const text of ['2026-11-20T07:00:00.123456+00:00', '2026-11-20 07:00:00.123456+00', '2026-11-20T02:00:00.123-05:00']) {
    expect(instantText(text)).toBe('2026-11-20T07:00:00.123Z');
  }
  expect(instantText('2026-11-20T07:00:00.1+00:00')).toBe('2026-11-20T07:00:00.100Z');
  expect(instantText('2026-11-20T07:00:00+00:00')).toBe('2026-11-20T07:00:00.000Z');
  expect(instantText(new Date('2026-11-20T07:00:00Z'))).toBe('2026-11-20T07:00:00.000Z');
});

test('Date is a calendar date', () => {
  expect(LocalDate.parseValue('2026-11-20')).toBe('2026-11-20');
  expect(LocalDate.serialize('2026-11-20')).toBe('2026-11-20');
  for (const text of ['2026-11-20T00:00:00Z', '20-11-2026', '2026-02-30', 5]) expect(() => LocalDate.parseValue(text)).toThrow();
});

test('a local time is ambiguous where clocks skip or repeat it, and nowhere else', () => {
  const doubts = (zone: string, ...texts: string[]) => texts.map((text) => readLocal(text, zone)?.doubt);
  const chicago = ['2027-03-14T01:59:59', '2027-03-14T02:00', '2027-03-14T02:59:59.999', '2027-03-14T03:00'];
  expect(doubts('America/Chicago', ...chicago)).toEqual([undefined, 'skipped', 'skipped', undefined]);
  const toronto = ['2026-11-01T00:59:59', '2026-11-01T01:00', '2026-11-01T01:59:59.999', '2026-11-01T02:00', '2026-11-01T01:30-04:00'];
  expect(doubts('America/Toronto', ...toronto)).toEqual([undefined, 'repeated', 'repeated', undefined, undefined]);
  // Midnight is skipped there; the day begins at one o'clock all the same.
  expect(doubts('Africa/Cairo', '2026-04-24', '2026-04-24T00:30', 'no time')).toEqual([undefined, 'skipped', undefined]);
  expect(doubts('America/Regina', '2027-03-14T02:30', '2026-11-01T01:30')).toEqual([undefined, undefined]);
});
