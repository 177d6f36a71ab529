import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { localDate } from '../../../src/platform/time.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { at, pastShift } from './shifts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** Where it is about noon. */
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: zoneAt(12) } });
});
afterAll(() => app.close());

const base = Date.now();
const ago = (hours: number) => new Date(base - hours * 3_600_000);
const dateOf = (hours: number) => localDate(ago(hours), tenant.company.timeZone);

async function driver() {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  return {
    user,
    token,
    go: (state: string, hours: number) => tenant.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: ago(hours) }, token),
    state: async () => (await tenant.http('GET', '/v1/users/me/driver_state', undefined, token)).body?.data?.state ?? null,
    days: (): Promise<Json[]> => tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${user.id}`)),
    /** Has a telephone report late when its driver left, and everything that followed. @returns the id of the job */
    hauls: async (left: number, done?: number): Promise<string> => {
      const order = await makeOrder(tenant, { driver_id: user.id });
      await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
      const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
      await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, { occurred_at: ago(left) }, token);
      if (done !== undefined) await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, { occurred_at: ago(done) }, token);
      return job.id;
    },
    dayOf: async (jobId: string): Promise<string> => {
      const [job] = await app.orm.em.fork().execute<Json[]>('select driver_day_id as id from job where id = ?', [jobId]);
      return job.id;
    },
  };
}

test('a departure of more than a day ago puts nobody on duty: its day is over, and the office says until when it lasted', async () => {
  const { hauls, state, days, go, user, dayOf } = await driver();
  const job = await hauls(72, 66);
  expect(await state()).toBeNull();
  const [day] = await days();
  expect(day).toMatchObject({ driver_day_date: dateOf(72), total_shift_minutes: 0, jobs_count: 1, editable: true });
  expect([Date.parse(day.started_shift_at), Date.parse(day.ended_shift_at)]).toEqual([ago(72).getTime(), ago(72).getTime()]);
  const { data } = await tenant.gql('query ($id: ID!) { driverDay(id: $id) { endReason exceptions } }', { id: day.id });
  expect(data.driverDay).toEqual({ endReason: 'auto', exceptions: expect.arrayContaining(['forgotten_shift']) });
  // Another one of that date is of the same day.
  expect(await dayOf(await hauls(71))).toBe(await dayOf(job));
  const corrected = await tenant.must('PATCH', `/v1/driver_days/${day.id}`, {
    ...{ adjusted_started_shift_at: ago(73), adjusted_ended_shift_at: ago(65) },
  });
  expect(corrected.total_on_duty_minutes).toBe(8 * 60);
  // What the driver does today is a shift of today.
  const today = await go('on_duty', 2);
  const left = await go('off_duty', 1);
  expect([left.id, left.driver_day_date, left.total_on_duty_minutes]).toEqual([today.id, dateOf(2), 60]);
  const events = await app.orm.em.fork().execute('select state from driver_state_event where user_id = ? order by started_at', [user.id]);
  expect(events.map((one: Json) => one.state)).toEqual(['on_duty', 'off_duty']);
});

test('a departure that is reported on another day is of the day of its date, whether its driver is on duty or not', async () => {
  const { user, hauls, dayOf, go, state } = await driver();
  const past = await pastShift(tenant, user, [['on_duty', ago(75), ago(70)]]);
  // After it ended.
  expect(await dayOf(await hauls(69))).toBe(past.id);
  expect(await state()).toBe('off_duty');
  const yesterday = await go('on_duty', 23);
  await go('off_duty', 18);
  const today = await go('on_duty', 2);
  for (const [left, day] of [
    [75.2, past.id],
    [69, past.id],
    [17, yesterday.id],
    // Of no other date, and of the morning before the shift.
    [2.5, today.id],
    [1, today.id],
  ] as const)
    expect([left, await dayOf(await hauls(left))]).toEqual([left, day]);
  expect(await state()).toBe('on_duty');
});

test('a departure of yesterday, of which no shift was reported, is not of the shift of today', async () => {
  const { hauls, days, dayOf, go } = await driver();
  const today = await go('on_duty', 2);
  // It is about noon.
  const job = await hauls(20, 16);
  const [, yesterday] = (await days()).sort((a, b) => (a.driver_day_date < b.driver_day_date ? 1 : -1));
  expect([await dayOf(job), yesterday.driver_day_date]).toEqual([yesterday.id, dateOf(20)]);
  expect(yesterday).toMatchObject({ jobs_count: 1, total_shift_minutes: 0, editable: true });
  // The office says what it knows of yesterday, and today goes on.
  await tenant.must('PATCH', `/v1/driver_days/${yesterday.id}`, {
    adjusted_started_shift_at: ago(20.5),
    adjusted_ended_shift_at: ago(15.5),
  });
  const left = await go('off_duty', 1);
  expect([left.id, left.total_on_duty_minutes, left.jobs_count]).toEqual([today.id, 60, 0]);
});

test('a departure before midnight is of the shift that began soon after it, and work that is approved is marked', async () => {
  const { user, hauls, dayOf } = await driver();
  const zone = tenant.company.timeZone;
  const [date, hour] = [dateOf(72), 3_600_000];
  const began = at(`${date} 00:10`, zone);
  const before = await pastShift(tenant, user, [['on_duty', new Date(began.getTime() - 18 * hour), new Date(began.getTime() - 6 * hour)]]);
  // Until the next state.
  const off = { userId: user.id, endedAt: null };
  await app.orm.em.fork().nativeUpdate(DriverStateEvent, off, { endedAt: began }, { filters: { tenant: false } });
  const night = await pastShift(tenant, user, [['on_duty', began, new Date(began.getTime() + 5 * hour)]]);
  await app.orm.em.fork().nativeUpdate(DriverDay, { id: night.id }, { billingApprovedAt: new Date() }, { filters: { tenant: false } });
  const hoursAgo = (time: number) => (base - time) / hour;
  expect(await dayOf(await hauls(hoursAgo(began.getTime() - hour / 3)))).toBe(night.id);
  expect(await dayOf(await hauls(hoursAgo(began.getTime() - 5 * hour)))).toBe(before.id);
  const { data } = await tenant.gql('query ($id: ID!) { driverDay(id: $id) { exceptions } }', { id: night.id });
  expect(data.driverDay.exceptions).toContain('worked_after_approval');
});

test('a shift that began with a departure which was reported first began when the telephone says that it did', async () => {
  const { hauls, go, days, user, token } = await driver();
  await hauls(4);
  const shift = await go('on_duty', 5);
  const [day] = await days();
  expect([day.id, Date.parse(day.started_shift_at), day.ended_shift_at]).toEqual([shift.id, ago(5).getTime(), null]);
  expect((await go('off_duty', 3)).total_on_duty_minutes).toBe(120);
  // Of a further shift not before the first one ended.
  await hauls(2);
  expect((await tenant.http('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: ago(3.5) }, token)).status).toBe(422);
  await go('on_duty', 2.5);
  expect((await go('off_duty', 1)).total_on_duty_minutes).toBe(120 + 90);
  const events = await app.orm.em
    .fork()
    .execute('select source, state from driver_state_event where user_id = ? order by started_at', [user.id]);
  expect(events.map((one: Json) => [one.source, one.state])).toEqual([
    ['phone', 'on_duty'],
    ['phone', 'off_duty'],
    ['phone', 'on_duty'],
    ['phone', 'off_duty'],
  ]);
});

test('a shift that is reported to have ended before its driver was last seen at work ends the job then, and not before', async () => {
  const { hauls, go, token } = await driver();
  await go('on_duty', 5);
  const job = await hauls(4);
  // By another telephone.
  await tenant.must('PUT', `/v1/jobs/${job}/arrive`, { occurred_at: ago(2) }, token);
  await go('off_duty', 3);
  const { logging_ended_at, work_time_minutes } = await tenant.must('GET', `/v1/jobs/${job}/summary`);
  expect([Date.parse(logging_ended_at), work_time_minutes]).toEqual([ago(2).getTime(), 120]);
});

test('a telephone whose clock is ahead has logged no time, and not less than none', async () => {
  const { token } = await driver();
  await tenant.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: new Date(Date.now() + 4 * 60_000) }, token);
  expect(await tenant.must('GET', '/v1/users/me/driver_state/time_logged', undefined, token)).toMatchObject({ total_time_logged: 0 });
});
