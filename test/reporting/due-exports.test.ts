import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { localDate, localMinutes } from '../../src/platform/time.ts';
import { dueAfter, withDays } from '../../src/reporting/exports/due-times.ts';
import { claimRuns, planRuns } from '../../src/reporting/exports/export-queue.ts';
import { makeTenant } from '../helpers/tenant.ts';
import { zoneAt } from '../helpers/zones.ts';
import { app, create, mailsTo, run, sql } from './export-schedules.ts';
import { address, schedule } from './scheduled.ts';

test('however many look for what is due, each due time has one run', async () => {
  const at = await makeTenant(app);
  const { id } = await create(at, schedule());
  await sql(`update export_schedule set due_at = date_trunc('second', now()) - interval '3 days' where id = ?`, [id]);
  await Promise.all(Array.from({ length: 6 }, () => planRuns(app.productOrm.em)));
  expect(await sql('select from export_run where export_schedule_id = ?', [id])).toHaveLength(1);
  // A run that a process which died has begun is gone on with.
  await sql(`update export_run set attempts = 1, next_at = now() - interval '1 second' where export_schedule_id = ?`, [id]);
  await app.settled();
  expect((await sql('select state from export_run where export_schedule_id = ?', [id]))[0].state).toBe('success');
});

test('a schedule is due once a day, however often its time is moved, and a company has so many runs a day', async () => {
  const at = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
  const { id } = await create(at, schedule());
  const [first] = await run(id);
  const had = localDate(new Date(first.due_at), 'America/Chicago');
  for (const local_time of ['00:00', '12:00', '23:59']) {
    const { due_at } = await at.must('PATCH', `/v1/export_schedules/${id}`, { local_time });
    expect(localDate(new Date(due_at), 'America/Chicago') > had).toBe(true);
  }
  await sql(
    `insert into export_run (id, company_id, export_schedule_id, due_at, state, finished_at)
     select gen_random_uuid(), ?, ?, now() - n * interval '1 hour', 'success', now() from generate_series(1, 99) n`,
    [at.company.id, id],
  );
  const to = address();
  const more = await create(at, schedule({ recipients: [to] }));
  expect((await run(more.id)).map(({ state, error }) => [state, error])).toEqual([
    ['error', 'A company has at most 100 exports in 24 hours, and has had them.'],
  ]);
  expect(await mailsTo(to)).toEqual([]);
});

test('a schedule is due once a day also where the company has moved to another zone', async () => {
  // It was due a minute ago where the company was; where it is now, it is noon.
  const timeZone = zoneAt(12);
  const at = await makeTenant(app, { company: { timeZone } });
  const { id } = await create(at, schedule({ local_time: '18:00' }));
  const [had] = await run(id);
  const { due_at } = await at.must('GET', `/v1/export_schedules/${id}`);
  expect(localDate(new Date(due_at), timeZone) > localDate(new Date(had.due_at), timeZone)).toBe(true);
});

/** The fixed zone three hours ahead of another one (whose names have the sign the other way round). */
function threeHoursAheadOf(zone: string): string {
  const ahead = 3 - Number(zone.slice('Etc/GMT'.length));
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

test('a schedule is due by the clock of the zone to which its company moves, and once a day by both clocks', async () => {
  const here = zoneAt(12);
  const there = threeHoursAheadOf(here);
  const at = await makeTenant(app, { company: { timeZone: here } });
  const made = await create(at, schedule({ local_time: '18:00' }));
  const weekly = await create(at, schedule({ local_time: '18:00', frequency: 'weekly', weekday: 3 }));
  const had = await create(at, schedule({ local_time: '18:00' }));
  const waiting = await create(at, schedule({ local_time: '18:00' }));
  const deleted = await create(at, schedule({ local_time: '18:00' }));
  await at.must('DELETE', `/v1/export_schedules/${deleted.id}`);
  const [last] = await run(had.id);
  const dueOf = async ({ id }: { id: string }) => new Date((await at.must('GET', `/v1/export_schedules/${id}`)).due_at);
  const moveTo = (time_zone: string) => at.must('PATCH', `/v1/companies/${at.company.id}`, { time_zone }, administrator);
  const administrator = await at.administrator();
  const before = await dueOf(made);
  await at.must('PATCH', `/v1/companies/${at.company.id}`, { legal_name: `${at.company.legalName} of old` }, administrator);
  expect(await dueOf(made)).toEqual(before);
  await moveTo(there);
  const clock = async (one: { id: string }, zone = there) => [localDate(await dueOf(one), zone), localMinutes(await dueOf(one), zone)];
  const today = localDate(new Date(), there);
  expect(await clock(made)).toEqual([today, 18 * 60]);
  expect(before.getTime() - (await dueOf(made)).getTime()).toBe(3 * 3_600_000);
  const [day, minutes] = await clock(weekly);
  expect([new Date(`${day}T00:00:00Z`).getUTCDay(), minutes]).toEqual([3, 18 * 60]);
  const [next] = await clock(had);
  expect(next! > localDate(new Date(last.due_at), here)).toBe(true);
  // One that was made at once after the move is of the new clock, too.
  await moveTo(here);
  expect(await clock(await create(at, schedule({ local_time: '18:00' })), here)).toEqual([localDate(new Date(), here), 18 * 60]);
  // What is due and not planned yet is due as it was.
  await sql(`update export_schedule set due_at = date_trunc('second', now()) - interval '1 minute' where id = ?`, [waiting.id]);
  const due = await dueOf(waiting);
  await moveTo(there);
  await app.settled();
  expect(
    (await sql('select due_at from export_run where export_schedule_id = ?', [waiting.id])).map((one) => new Date(one.due_at)),
  ).toEqual([due]);
  expect(await sql('select due_at from export_schedule where id = ?', [deleted.id])).toEqual([{ due_at: null }]);
});

test('the rhythm of a schedule changes as a whole, and a day of the week is of a weekly one', async () => {
  const zone = zoneAt(12);
  const at = await makeTenant(app, { company: { timeZone: zone } });
  const wrong = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await at.http(method, path, body);
    return [status, answer.error?.errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`)];
  };
  const refused = [422, ['weekday is of a weekly schedule: leave it out of a daily one']];
  expect(await wrong('POST', at.path('/export_schedules'), schedule({ weekday: 3 }))).toEqual(refused);
  const { id } = await create(at, schedule({ local_time: '18:00', weekday: null }));
  const path = `/v1/export_schedules/${id}`;
  expect(await wrong('PATCH', path, { weekday: 3 })).toEqual(refused);
  expect(await wrong('PATCH', path, { frequency: 'weekly' })).toEqual([422, ['weekday is required']]);
  const dueOn = async (body: object) => {
    const { frequency, weekday, due_at } = await at.must('PATCH', path, body);
    const day = localDate(new Date(due_at), zone);
    return { frequency, weekday, day, of: new Date(`${day}T00:00:00Z`).getUTCDay() || 7 };
  };
  const today = localDate(new Date(), zone);
  const daily = await dueOn({ name: 'Another name' });
  expect(daily).toMatchObject({ frequency: 'daily', weekday: null, day: today });
  // The day of the week of yesterday: in six days.
  const yesterday = ((daily.of + 5) % 7) + 1;
  const weekly = await dueOn({ frequency: 'weekly', weekday: yesterday });
  expect(weekly).toEqual({ frequency: 'weekly', weekday: yesterday, of: yesterday, day: expect.any(String) });
  expect((Date.parse(weekly.day) - Date.parse(today)) / 86_400_000).toBe(6);
  expect(await wrong('PATCH', path, { frequency: 'daily', weekday: 2 })).toEqual(refused);
  expect(await dueOn({ frequency: 'daily' })).toMatchObject({ frequency: 'daily', weekday: null, day: today });
  expect(await wrong('PATCH', path, { frequency: 'weekly' })).toEqual([422, ['weekday is required']]);
});

test('whoever changes a schedule between its time and its run leaves out no day', async () => {
  const at = await makeTenant(app, { company: { timeZone: zoneAt(12) } });
  const { id } = await create(at, schedule({ local_time: '18:00' }));
  await sql(`update export_schedule set due_at = date_trunc('second', now()) - interval '1 minute' where id = ?`, [id]);
  await at.must('PATCH', `/v1/export_schedules/${id}`, { name: 'Another name', local_time: '19:00' });
  await app.settled();
  const runs = await sql('select due_at, state from export_run where export_schedule_id = ?', [id]);
  expect(runs.map(({ state }) => state)).toEqual(['success']);
  const next = new Date((await at.must('GET', `/v1/export_schedules/${id}`)).due_at);
  expect(localDate(next, zoneAt(12)) > localDate(new Date(runs[0].due_at), zoneAt(12))).toBe(true);
});

test('companies take turns: one with many runs keeps no other one waiting', async () => {
  const [many, few] = [await makeTenant(app), await makeTenant(app)];
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await create(many, schedule())).id);
  ids.push((await create(few, schedule())).id);
  // The runs of the first were due long before.
  for (const [i, id] of ids.entries())
    await sql(
      `insert into export_run (id, company_id, export_schedule_id, due_at, next_at) select gen_random_uuid(), company_id, id, now(), now() - ? * interval '1 minute'
       from export_schedule where id = ?`,
      [10 - i, id],
    );
  await app.settled();
  const runs = await sql(
    `select company_id, extract(epoch from claimed_at) as began, extract(epoch from updated_at) as ended, state from export_run
     where export_schedule_id = any(?::uuid[]) order by claimed_at`,
    [`{${ids.join()}}`],
  );
  expect(runs.map(({ state }) => state)).toEqual(Array(5).fill('success'));
  expect(runs.findIndex(({ company_id }) => company_id === few.company.id)).toBeLessThan(2);
  const own = runs.filter(({ company_id }) => company_id === many.company.id);
  for (const [i, { began }] of own.entries()) if (i > 0) expect(Number(began)).toBeGreaterThan(Number(own[i - 1].ended));
});

test('of many processes that look at once, one gets the turn of a company', async () => {
  const at = await makeTenant(app);
  const { id } = await create(at, schedule());
  // Each claim takes so long that all of them have looked before one is done.
  await sql(`create function wait_a_little() returns trigger language plpgsql as 'begin perform pg_sleep(0.2); return new; end'`);
  await sql(
    `create trigger slow_claims before update on export_run for each row when (new.is_claimed and not old.is_claimed) execute function wait_a_little()`,
  );
  for (let round = 0; round < 2; round++) {
    await sql(
      `insert into export_run (id, company_id, export_schedule_id, due_at, next_at)
       select gen_random_uuid(), company_id, id, now() + n * interval '1 second', now() - interval '1 hour' from export_schedule, generate_series(1, 8) n where id = ?`,
      [id],
    );
    const claimed = (await Promise.all(Array.from({ length: 8 }, () => claimRuns(app.productOrm.em, 2, 60)))).flat();
    expect(claimed.filter(({ scheduleId }) => scheduleId === id).length).toBeLessThan(2);
    expect(await sql('select from export_run where export_schedule_id = ? and is_claimed', [id])).toHaveLength(1);
    // A process that died: the next one has the turn when its lease is over.
    await sql(`update export_run set next_at = now() - interval '1 second' where export_schedule_id = ? and is_claimed`, [id]);
    await claimRuns(app.productOrm.em, 1, 60);
    expect(await sql('select from export_run where export_schedule_id = ? and is_claimed and next_at > now()', [id])).toHaveLength(1);
    await sql('delete from export_run where export_schedule_id = ?', [id]);
  }
  await sql('drop trigger slow_claims on export_run');
});

test('a schedule is due at its time of the wall clock, on its day, and at no other time before that', () => {
  const zones = fc.constantFrom('America/Chicago', 'America/Toronto', 'Europe/London', 'UTC', 'Australia/Lord_Howe');
  const times = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  fc.assert(
    fc.property(
      zones,
      times,
      fc.option(fc.integer({ min: 1, max: 7 })),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      (zone, [hour, minute], weekday, after) => {
        const localTime = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        const due = dueAfter({ frequency: weekday ? 'weekly' : 'daily', weekday, localTime }, zone, after);
        expect(due.getTime()).toBeGreaterThan(after.getTime());
        expect(due.getTime() - after.getTime()).toBeLessThanOrEqual((weekday ? 7 : 1) * 86_400_000 + 2 * 3_600_000);
        // A time that the clock skips comes up to an hour later.
        expect([0, 30, 60]).toContain(localMinutes(due, zone) - (hour * 60 + minute));
        if (weekday) expect(new Date(`${localDate(due, zone)}T00:00:00Z`).getUTCDay() || 7).toBe(weekday);
      },
    ),
  );
  expect(withDays('a={day}&b={day-1}&c={day-31}&d={days}', '2026-03-01')).toBe('a=2026-03-01&b=2026-02-28&c=2026-01-29&d={days}');
});
