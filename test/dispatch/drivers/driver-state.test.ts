import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { subscribed } from '../../events/subscribed.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { zoneAt } from '../../helpers/zones.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const go = (token: string, state: string) => tenant.http('PUT', `/v1/users/me/driver_state/${state}`, {}, token);
const states = (userId: string) =>
  app.orm.em
    .getConnection()
    .execute<{ state: string; open: boolean }[]>(
      'select state, ended_at is null as open from driver_state_event where user_id = ? order by started_at, id',
      [userId],
    );

test('a driver goes on duty, takes a break, goes on and leaves, with one state at a time', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  expect((await tenant.http('GET', '/v1/users/me/driver_state', undefined, token)).status).toBe(204);
  for (const state of ['on_duty', 'on_duty', 'break', 'on_duty', 'off_duty', 'off_duty']) {
    const { status, body } = await go(token, state);
    expect([status, body.data]).toEqual([200, expect.objectContaining({ user_id: user.id, state, ended_at: null })]);
  }
  expect(await states(user.id)).toEqual([
    { state: 'on_duty', open: false },
    { state: 'break', open: false },
    { state: 'on_duty', open: false },
    { state: 'off_duty', open: true },
  ]);
  expect((await tenant.must('GET', '/v1/users/me/driver_state', undefined, token)).state).toBe('off_duty');
  const audited = await app.orm.em
    .getConnection()
    .execute('select count(*)::int as n from audit_entry a join driver_state_event e on e.id = a.subject_id where e.user_id = ?', [
      user.id,
    ]);
  // Four begin, three end.
  expect(audited).toEqual([{ n: 7 }]);
});

test('a break requires duty, and a person who is no driver has no state', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const refused = await go(token, 'break');
  expect([refused.status, refused.body.error.errors[0]]).toEqual([
    409,
    { model: 'DriverStateEvent', field: 'state', message: 'a break is possible on duty only', state: 'off_duty', event: 'break' },
  ]);
  expect(await states(user.id)).toEqual([]);
  const { token: clerk } = await tenant.person({ roles: ['biller'] });
  expect((await go(clerk, 'on_duty')).status).toBe(404);
  expect((await go(tenant.token, 'on_duty')).status).toBe(404);
});

test('of many concurrent requests, one begins the state', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const answers = await Promise.all(Array.from({ length: 5 }, () => go(token, 'on_duty')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await states(user.id)).toEqual([{ state: 'on_duty', open: true }]);
});

test('a request that comes second ends the state that began meanwhile', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  await go(token, 'on_duty');
  const [seen] = await states(user.id);
  expect(seen!.state).toBe('on_duty');
  let leaving: ReturnType<typeof go> | undefined;
  await app.orm.em.fork().transactional(async (em) => {
    const run = (sql: string) => em.execute(sql, [user.id]);
    await run('select 1 from app_user where id = ? for update');
    leaving = go(token, 'off_duty');
    await untilWaiting(app);
    await run(`update driver_state_event set started_at = date_trunc('milliseconds', clock_timestamp()) where user_id = ?`);
  });
  expect((await leaving!).status).toBe(200);
  expect(await states(user.id)).toEqual([
    { state: 'on_duty', open: false },
    { state: 'off_duty', open: true },
  ]);
});

test('going off duty ends the jobs under way, and none that has not begun', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const order = await makeOrder(tenant, { driver_id: user.id, truck_count: 2 });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [first, second] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${first.id}/enroute`, {});
  await go(token, 'on_duty');
  const off = await tenant.must('PUT', `/v1/drivers/${user.id}/driver_state/off_duty`, {});
  expect(off).toMatchObject({ user_id: user.id, state: 'off_duty' });
  const after = await Promise.all([first, second].map(({ id }) => tenant.must('GET', `/v1/jobs/${id}`)));
  expect(after.map(({ state }) => state)).toEqual(['ended', second.state]);
});

test('the load of a job that was paused when its driver left can still be completed', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const order = await makeOrder(tenant, { driver_id: user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await go(token, 'on_duty');
  for (const event of ['enroute', 'load_material', 'pause']) await tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  await go(token, 'off_duty');
  expect(await tenant.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({ state: 'ended', paused_at: null });
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  expect(load.state).toBe('loaded');
  expect((await tenant.must('PUT', tenant.path(`/loads/${load.id}/complete`), {})).state).toBe('completed');
});

test('those who subscribed to changes of jobs learn of the break that their driver took', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const order = await makeOrder(tenant, { driver_id: user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await go(token, 'on_duty');
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  await go(token, 'break');
  const subscription = await subscribed(tenant, 'Job::update');
  await go(token, 'on_duty');
  const deliveries = await subscription.deliveries();
  expect(deliveries.map(({ subject_id }: { subject_id: string }) => subject_id)).toEqual([job.id]);
});

test('only somebody who may edit people puts another person off duty, and only in their company', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  await go(token, 'on_duty');
  const path = `/v1/drivers/${user.id}/driver_state/off_duty`;
  const { user: idle, token: mate } = await tenant.person({ roles: ['driver'] });
  expect((await tenant.http('PUT', path, {}, mate)).status).toBe(403);
  // A driver who never was on duty cannot be put off it.
  expect((await tenant.http('PUT', `/v1/drivers/${idle.id}/driver_state/off_duty`, {})).status).toBe(404);
  expect(await states(idle.id)).toEqual([]);
  const stranger = await makeTenant(app);
  expect((await stranger.http('PUT', path, {})).status).toBe(404);
  const { user: clerk } = await tenant.person({ roles: ['biller'] });
  expect((await tenant.http('PUT', `/v1/drivers/${clerk.id}/driver_state/off_duty`, {})).status).toBe(404);
  expect(await states(user.id)).toEqual([{ state: 'on_duty', open: true }]);
});

test('time on duty counts from midnight of the driver, without breaks', async () => {
  const timeZone = zoneAt(12);
  const { user, token } = await tenant.person({ roles: ['driver'], timeZone });
  const logged = async () => (await tenant.must('GET', '/v1/users/me/driver_state/time_logged', undefined, token)).total_time_logged;
  expect(await logged()).toBe(0);
  const add = (state: string, from: string, to: string) =>
    app.orm.em.getConnection().execute(
      `insert into driver_state_event (id, company_id, user_id, state, started_at, ended_at)
       select gen_random_uuid(), company_id, id, ?, midnight + ?::interval, midnight + ?::interval
       from app_user, lateral (select date_trunc('day', now(), ?) as midnight) m where id = ?`,
      [state, from, to, timeZone, user.id],
    );
  await add('on_duty', '-2 hours', '0 minutes');
  await add('on_duty', '-30 minutes', '1 minute');
  await add('break', '1 minute', '2 minutes');
  await add('on_duty', '2 minutes', '4 minutes 30 seconds');
  expect(await logged()).toBe(3);
  // Each stretch is rounded down, as those of the day are.
  await add('on_duty', '5 minutes', '6 minutes 30 seconds');
  expect(await logged()).toBe(4);
});

test("a driver's record shows today's work", async () => {
  const timeZone = zoneAt(12);
  const tenant = await makeTenant(app, { company: { timeZone } });
  const { user } = await tenant.person({ roles: ['driver'] });
  const stat = async () => (await tenant.must('GET', tenant.path(`/drivers/${user.id}`))).company_day_driver_stat;
  expect(await stat()).toBeNull();
  const now = new Date();
  const today = now.toLocaleDateString('en-CA', { timeZone });
  const { id } = await makeOrder(tenant, { driver_id: user.id, truck_count: 3, load_at: now.toISOString() });
  await makeOrder(tenant, { driver_id: user.id, load_at: new Date(now.getTime() + 2 * 86_400_000).toISOString() });
  expect(await stat()).toMatchObject({ day: today, jobs_count: 3, id: expect.any(String) });
  const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/cancel`, {});
  expect((await stat()).jobs_count).toBe(2);
});

test("people who see own records only read today's work of nobody but themselves", async () => {
  const timeZone = zoneAt(12);
  const tenant = await makeTenant(app, { company: { timeZone } });
  const [driver, foreman] = [await tenant.person({ roles: ['driver'] }), await tenant.person({ roles: ['foreman'] })];
  await makeOrder(tenant, { driver_id: driver.user.id, foreman_ids: [foreman.user.id], load_at: new Date().toISOString() });
  const query = '{ jobs(first: 1) { nodes { driver { id companyDayDriverStat { jobsCount } } } } }';
  const seenBy = async (token: string) => (await tenant.gql(query, {}, token)).data.jobs.nodes;
  const by = (jobsCount: number | null) => [{ driver: { id: driver.user.id, companyDayDriverStat: jobsCount && { jobsCount } } }];
  expect(await seenBy(tenant.token)).toEqual(by(1));
  expect(await seenBy(driver.token)).toEqual(by(1));
  expect(await seenBy(foreman.token)).toEqual(by(null));
});
