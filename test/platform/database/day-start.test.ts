import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { dayStartSql } from '../../../src/platform/database/time/day-start.ts';
import { dayBounds, localDate } from '../../../src/platform/time.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

/** Zones of all kinds: midnight is there twice in the first three, and not at all on some day in the next three; then come half hours, and the date line. */
const ZONES = [
  ...['Atlantic/Azores', 'America/Havana', 'America/Scoresbysund', 'America/Santiago', 'Africa/Cairo', 'America/Sao_Paulo'],
  ...['America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'Pacific/Kiritimati', 'America/Toronto', 'UTC'],
];
const DAY = 86_400_000;
/** The rules of these years are in everybody's data. */
const [FIRST, LAST] = [Date.UTC(2018, 0, 1), Date.UTC(2024, 11, 31)];
const DATES = Array.from({ length: (LAST - FIRST) / DAY + 1 }, (_, i) => new Date(FIRST + i * DAY).toISOString().slice(0, 10));

test('a day begins with the first instant of its date, in SQL as elsewhere', async () => {
  const starts = `select z.name as zone, d.day::text as day, (extract(epoch from ${dayStartSql('d.day', 'z.name')}) * 1000)::float8 as at
    from unnest($1::text[]) z(name), unnest($2::date[]) d(day)`;
  const pool = await poolOf(app.orm.em.fork());
  const { rows: found } = await pool.query<{ zone: string; day: string; at: number }>(starts, [ZONES, DATES]);
  expect(found).toHaveLength(ZONES.length * DATES.length);
  const wrong = found.filter(({ zone, day, at }) => {
    const isFirst = localDate(new Date(at), zone) === day && localDate(new Date(at - 1), zone) < day;
    return !isFirst || dayBounds(day, zone).start.getTime() !== at;
  });
  expect(wrong).toEqual([]);
  const lengths = found.map(({ zone, day }) => dayBounds(day, zone)).map(({ start, end }) => (end.getTime() - start.getTime()) / 3_600_000);
  expect([...new Set(lengths)].sort()).toEqual([23, 23.5, 24, 24.5, 25]);
});
