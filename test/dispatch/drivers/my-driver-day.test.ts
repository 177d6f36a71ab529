import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

let app: TestApp;
/** Where it is about ten at night, so that a shift of the day is of one date. */
let tenant: Tenant;
/** Where midnight was less than an hour ago. */
let midnight: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: zoneAt(22) } });
  midnight = await makeTenant(app, { company: { timeZone: zoneAt(0) } });
});
afterAll(() => app.close());

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const driverOf = async (of: Tenant) => {
  const { user, token } = await of.person({ roles: ['driver'] });
  const ask = (method: string, state: string, body?: object) => of.http(method, `/v1/users/me/driver_day${state}`, body, token);
  const go = async (state: string, body: object = {}) => {
    const answer = await ask('PUT', `/${state}`, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body.data;
  };
  const refused = async (state: string, body: object = {}) => {
    const { status, body: answer } = await ask('PUT', `/${state}`, body);
    return [status, answer.error?.errors?.[0]?.message];
  };
  return { user, token, go, refused, today: async () => (await ask('GET', '')).body.data };
};
const eventsOf = (userId: string) =>
  app.orm.em.fork().find(DriverStateEvent, { userId }, { filters: { tenant: false }, orderBy: { startedAt: 'asc', id: 'asc' } });

test('before a shift, the day of the date is answered as it will be; going on duty makes it with that id', async () => {
  const { user, go, today } = await driverOf(tenant);
  const planned = await today();
  expect(planned).toMatchObject({
    driver: { id: user.id, company: { id: tenant.company.id } },
    company: { id: tenant.company.id },
    started_shift_at: null,
    total_shift_minutes: null,
    jobs_count: 0,
    approval_status: { id: planned.id, biller_approved: false },
    approvable: false,
  });
  const begun = await go('on_duty');
  expect([begun.id, begun.current_driver_state_event.state, begun.driver_day_date]).toEqual([
    planned.id,
    'on_duty',
    planned.driver_day_date,
  ]);
  expect((await today()).driver_day_id).toMatch(/^D-\d+$/);
});

test('only drivers have a day; nobody takes a break or leaves before a shift, or takes a break after it', async () => {
  const { token } = await tenant.person({ roles: ['biller'] });
  for (const [method, path] of [
    ['GET', '/v1/users/me/driver_day'],
    ['GET', '/v1/users/me/driver_days/previous'],
    ['PUT', '/v1/users/me/driver_day/on_duty'],
  ] as const)
    for (const as of [token, tenant.token])
      expect((await tenant.http(method, path, method === 'PUT' ? {} : undefined, as)).status).toBe(403);
  const { go, refused } = await driverOf(tenant);
  expect([(await refused('break'))[0], (await refused('off_duty'))[0]]).toEqual([404, 404]);
  await go('on_duty');
  const left = await go('off_duty');
  expect(await refused('break')).toEqual([422, 'a break is possible on duty only']);
  expect((await go('off_duty')).id).toBe(left.id);
});

test("a day that the telephone reports late has the telephone's times; what it sends again changes nothing", async () => {
  const { user, go, refused, today } = await driverOf(tenant);
  const ids = { on: randomUUID(), off: randomUUID() };
  await go('on_duty', { id: ids.on, occurred_at: ago(600) });
  await go('break', { occurred_at: ago(300) });
  await go('on_duty', { occurred_at: ago(270) });
  await go('off_duty', { id: ids.off, occurred_at: ago(10) });
  const day = await today();
  expect([day.total_on_duty_minutes, day.total_break_minutes, day.total_shift_minutes]).toEqual([560, 30, 590]);
  const before = await eventsOf(user.id);
  await go('on_duty', { id: ids.on, occurred_at: ago(600) });
  await go('off_duty', { id: ids.off });
  expect(await eventsOf(user.id)).toEqual(before);
  expect(await refused('break', { id: ids.on })).toEqual([422, 'is the id of another event']);
  expect(await refused('on_duty', { id: 'x' })).toEqual([422, expect.any(String)]);
  expect(await refused('on_duty', { occurred_at: ago(-6) })).toEqual([422, 'lies in the future']);
  expect(await refused('on_duty', { occurred_at: ago(24 * 60 + 1) })).toEqual([422, 'lies more than 24 hours back']);
  expect(await refused('on_duty', { occurred_at: ago(11) })).toEqual([422, 'lies before the previous event']);
  const resumed = await go('on_duty');
  expect([resumed.id, resumed.ended_shift_at, resumed.total_shift_minutes]).toEqual([day.id, null, null]);
  // Said again by another id while it lasts, which comes once more after the next state.
  const again = randomUUID();
  await go('on_duty', { id: randomUUID() });
  await go('on_duty', { id: again });
  await go('break');
  await go('on_duty', { id: again });
  expect((await eventsOf(user.id)).at(-1)).toMatchObject({ state: 'break' });
});

test('who leaves for a job is on duty, the job hangs on the day, and ends with the shift', async () => {
  const { user, token, go, today } = await driverOf(tenant);
  const order = await makeOrder(tenant, { driver_id: user.id, truck_count: 2 });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, { occurred_at: ago(5) }, token);
  const day = await today();
  expect([day.jobs_count, day.current_driver_state_event.state]).toEqual([1, 'on_duty']);
  expect((await eventsOf(user.id)).map(({ source, state }) => [source, state])).toEqual([['automation', 'on_duty']]);
  expect((await tenant.must('GET', `/v1/driver_days/${day.id}/jobs`)).map(({ id }: { id: string }) => id)).toEqual([job.id]);
  await go('off_duty', { occurred_at: ago(1) });
  const events = await tenant.must('GET', `/v1/jobs/${job.id}/job_events?sort[occurred_at]=desc&page[limit]=2`);
  expect(events.map(({ event_name }: { event_name: string }) => event_name).sort()).toEqual(['JobEnded', 'ShiftEnded']);
  const listed = await tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${user.id}`));
  expect(listed.map(({ id, jobs_count }: { id: string; jobs_count: number }) => [id, jobs_count])).toEqual([[day.id, 1]]);
});

test('A12: night shift 21:00-05:30, break at 00:10, job begun 00:30: one day, of the first date', async () => {
  const { user, token, go } = await driverOf(midnight);
  const begun = await go('on_duty', { occurred_at: ago(180) });
  await go('break', { occurred_at: ago(2) });
  await go('on_duty', { occurred_at: ago(1) });
  const order = await makeOrder(midnight, { driver_id: user.id });
  await midnight.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await midnight.must('GET', `/v1/orders/${order.id}/jobs`);
  await midnight.must('PUT', `/v1/jobs/${job.id}/enroute`, {}, token);
  const ended = await go('off_duty');
  expect([ended.id, ended.driver_day_date, ended.jobs_count]).toEqual([begun.id, begun.driver_day_date, 1]);
});

test('a crew that is called back after midnight is on the shift of the day before, for three hours and unless it is approved', async () => {
  const back = async (minutes: number, change: object = {}) => {
    const { go } = await driverOf(midnight);
    const first = await go('on_duty', { occurred_at: ago(minutes + 60) });
    await go('off_duty', { occurred_at: ago(minutes) });
    await app.orm.em.fork().nativeUpdate(DriverDay, { id: first.id }, change, { filters: { tenant: false } });
    const next = await go('on_duty');
    return [next.id === first.id, next.driver_day_date === first.driver_day_date];
  };
  expect([await back(60), await back(179), await back(181)]).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ]);
  expect(await back(60, { billingApprovedAt: new Date() })).toEqual([false, false]);
});

test('a departure of before the shift that is reported after it puts nobody on duty again', async () => {
  const { user, token, go, today } = await driverOf(tenant);
  const { id } = await go('on_duty', { occurred_at: ago(200) });
  const { ended_shift_at } = await go('off_duty', { occurred_at: ago(100) });
  const order = await makeOrder(tenant, { driver_id: user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  for (const [event, minutes] of [
    ['enroute', 210],
    ['complete', 150],
  ] as const)
    await tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, { occurred_at: ago(minutes) }, token);
  expect(await today()).toMatchObject({ id, ended_shift_at, jobs_count: 1, current_driver_state_event: { state: 'off_duty' } });
  expect((await eventsOf(user.id)).map(({ state }) => state)).toEqual(['on_duty', 'off_duty']);
});

test('a corrected end is that of the stretch before, and cuts off nothing of what is worked after it', async () => {
  const { go } = await driverOf(tenant);
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  const { id } = await go('on_duty', { occurred_at: ago(300) });
  await go('off_duty', { occurred_at: ago(200) });
  const corrected = await tenant.must('PATCH', `/v1/driver_days/${id}`, {
    ...{ adjusted_started_shift_at: ago(290), adjusted_ended_shift_at: ago(220) },
    ...{ shift_adjustment_minutes: -10, shift_adjustment_type: 'lunch' },
  });
  expect(corrected.total_on_duty_minutes).toBe(70);
  await go('on_duty', { occurred_at: ago(100) });
  const day = await go('off_duty', { occurred_at: ago(40) });
  expect(day).toMatchObject({ id, adjusted_started_shift_at: corrected.adjusted_started_shift_at, adjusted_ended_shift_at: null });
  expect([day.total_on_duty_minutes, day.total_shift_minutes]).toEqual([150, 140]);
});

test('an approved day takes no shift, and work on it is marked', async () => {
  const { user, token, go, refused } = await driverOf(tenant);
  const day = await go('on_duty');
  await go('off_duty');
  await app.orm.em.fork().nativeUpdate(DriverDay, { id: day.id }, { billingApprovedAt: new Date() }, { filters: { tenant: false } });
  expect((await refused('on_duty'))[0]).toBe(422);
  const order = await makeOrder(tenant, { driver_id: user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {}, token);
  expect((await eventsOf(user.id)).at(-1)!.state).toBe('off_duty');
  const { data } = await tenant.gql('query($id: ID!) { driverDay(id: $id) { jobsCount exceptions } }', { id: day.id });
  expect(data.driverDay).toEqual({ jobsCount: 1, exceptions: expect.arrayContaining(['worked_after_approval']) });
});

test('A-I1, A-I2: whatever a telephone sends, and sends again, states do not overlap and totals re-add from them', async () => {
  const sent = fc.record({
    state: fc.constantFrom('on_duty', 'break', 'off_duty'),
    minutes: fc.integer({ min: 0, max: 1300 }),
    again: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 3, maxLength: 9 }), async (drawn) => {
      const { user, token } = await driverOf(tenant);
      // Mostly in order, as telephones send; every third where it was drawn.
      const ordered = drawn.map(({ minutes }) => minutes).sort((a, b) => b - a);
      const calls = drawn.map((one, i) => ({ ...one, id: randomUUID(), occurred_at: ago(i % 3 === 2 ? one.minutes : ordered[i]!) }));
      for (const { state, id, occurred_at, again } of calls) {
        const put = () => tenant.http('PUT', `/v1/users/me/driver_day/${state}`, { id, occurred_at }, token);
        const { status } = await put();
        expect([200, 404, 422]).toContain(status);
        const seen = await eventsOf(user.id);
        if (again) await put();
        expect(await eventsOf(user.id)).toEqual(seen);
      }
      const events = await eventsOf(user.id);
      expect(events.filter(({ endedAt }) => !endedAt).length).toBeLessThanOrEqual(1);
      for (const [i, event] of events.entries()) {
        const next = events[i + 1];
        if (next) expect(event.endedAt).toEqual(next.startedAt);
      }
      for (const day of await tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${user.id}`))) {
        const spans = events.filter(({ driverDayId, state }) => driverDayId === day.id && state !== 'off_duty');
        const sum = (state: string) =>
          spans.reduce(
            (all, { state: of, startedAt, endedAt }) => all + (of === state && endedAt ? Math.floor((+endedAt - +startedAt) / 60_000) : 0),
            0,
          );
        expect(day.total_break_minutes).toBe(sum('break'));
        expect(day.total_on_duty_minutes).toBe(day.ended_shift_at ? sum('on_duty') : null);
        if (!day.ended_shift_at) continue;
        const whole = (Date.parse(day.ended_shift_at) - Date.parse(day.started_shift_at)) / 60_000;
        expect(day.total_on_duty_minutes + day.total_break_minutes).toBeLessThanOrEqual(whole);
      }
    }),
    { numRuns: runs(8) },
  );
}, 120_000);
