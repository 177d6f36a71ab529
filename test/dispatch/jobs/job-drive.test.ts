import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { drive, machineToken, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const eventsOf = (job: string): Promise<Json[]> => tenant.dispatcher.must('GET', `/v1/jobs/${job}/job_events?page[limit]=100`);
const loadsOf = async (job: string): Promise<Json[]> =>
  (await tenant.dispatcher.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);

test('repeating an event changes nothing, and neither do two concurrent copies', async () => {
  const job = await readyJob(tenant);
  const body = { id: newId(), occurred_at: new Date(Date.now() - 60_000).toISOString() };
  const first = await tenant.driver.must('PUT', `/v1/jobs/${job.id}/enroute`, body);
  expect(first.state).toBe('to_pickup');
  const again = await tenant.driver.must('PUT', `/v1/jobs/${job.id}/enroute`, body);
  expect(again).toEqual(first);

  const arrive = { id: newId(), occurred_at: new Date(Date.now() - 30_000).toISOString() };
  const both = await Promise.all([0, 1, 2].map(() => tenant.driver.http('PUT', `/v1/jobs/${job.id}/arrive`, arrive)));
  expect(both.map(({ status, body }) => [status, body.data?.state])).toEqual(Array(3).fill([200, 'arrived_pickup']));
  const events = await eventsOf(job.id);
  expect(events.filter((event) => event.event_name === 'AtPickup')).toMatchObject([{ id: arrive.id, occurred_at: arrive.occurred_at }]);
  // Much later the first one comes again: still known.
  expect((await tenant.driver.must('PUT', `/v1/jobs/${job.id}/enroute`, body)).state).toBe('arrived_pickup');
});

test("another job's event id, another event's id and an impossible time are refused", async () => {
  const [one, two] = [await readyJob(tenant), await readyJob(tenant)];
  const id = newId();
  await tenant.driver.must('PUT', `/v1/jobs/${one.id}/enroute`, { id });
  const other = await tenant.driver.http('PUT', `/v1/jobs/${two.id}/enroute`, { id });
  expect([other.status, other.body.error.errors[0].field]).toEqual([422, 'id']);
  expect((await tenant.driver.http('PUT', `/v1/jobs/${one.id}/arrive`, { id })).status).toBe(400);
  expect((await tenant.driver.http('PUT', `/v1/jobs/${one.id}/arrive`, { id: 'no-uuid' })).status).toBe(400);
  const later = { occurred_at: new Date(Date.now() + 3_600_000).toISOString() };
  expect((await tenant.driver.http('PUT', `/v1/jobs/${one.id}/arrive`, later)).status).toBe(400);
  const early = { occurred_at: '2020-01-01T00:00:00.000Z' };
  expect((await tenant.driver.http('PUT', `/v1/jobs/${one.id}/arrive`, early)).status).toBe(400);
});

test('the same new event id at two jobs at once is one event', async () => {
  const [one, two] = [await readyJob(tenant), await readyJob(tenant)];
  const id = newId();
  const answers = await Promise.all([one, two].map((job) => tenant.driver.http('PUT', `/v1/jobs/${job.id}/enroute`, { id })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test('loads are driven one after the other', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await drive(tenant.driver, job.id, ...ONE_LOAD);
  const second = await drive(tenant.driver, job.id, 'enroute');
  expect(second.state).toBe('to_pickup');
  expect((await loadsOf(job.id)).map((load) => load.state)).toEqual(['completed', 'to_pickup']);
  await drive(tenant.driver, job.id, ...ONE_LOAD.slice(1));
  expect((await tenant.driver.http('PUT', `/v1/jobs/${job.id}/enroute`, {})).status).toBe(409);
});

test('recurring loads append the next one', async () => {
  const job = await readyJob(tenant, { recurring_loads: true });
  await drive(tenant.driver, job.id, ...ONE_LOAD);
  const loads = await loadsOf(job.id);
  expect(loads.map((load) => [load.ordinality, load.state])).toEqual([
    [loads[0].ordinality, 'completed'],
    [loads[0].ordinality + 1, 'created'],
  ]);
  expect(loads[1]).toMatchObject({ material: { name: 'Gravel' }, job_id: job.job_id });
  expect((await drive(tenant.driver, job.id, 'enroute')).state).toBe('to_pickup');
});

test('completing a job on the road completes an unloaded load and cancels the others', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 3 });
  await drive(tenant.driver, job.id, ...ONE_LOAD.slice(0, 6));
  const done = await drive(tenant.driver, job.id, 'complete');
  expect(done).toMatchObject({ state: 'completed', loads_count: 1, completed_loads_count: 1 });
  expect((await loadsOf(job.id)).map((load) => load.state)).toEqual(['completed', 'canceled', 'canceled']);
});

test('a pause stops the load and its clock, and all other events have to wait', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, 'enroute');
  expect((await tenant.driver.http('PUT', `/v1/jobs/${job.id}/resume`)).status).toBe(409);
  const paused = await tenant.driver.must('PUT', `/v1/jobs/${job.id}/pause`);
  expect(paused).toMatchObject({ state: 'to_pickup', paused_at: expect.any(String) });
  expect((await loadsOf(job.id))[0].state).toBe('paused');
  const blocked = await tenant.driver.http('PUT', `/v1/jobs/${job.id}/arrive`, {});
  expect(blocked.status).toBe(409);
  expect(blocked.body.error.errors[0]).toMatchObject({ model: 'Job', field: 'state', state: 'to_pickup', event: 'arrive' });
  expect((await tenant.driver.http('PUT', `/v1/jobs/${job.id}/pause`)).body.error.errors[0].event).toBe('pause');
  await app.orm.em.fork().getConnection().execute(`update load set paused_at = now() - interval '90 seconds' where job_id = ?`, [job.id]);
  expect(await tenant.driver.must('PUT', `/v1/jobs/${job.id}/resume`)).toMatchObject({ state: 'to_pickup', paused_at: null });
  expect((await loadsOf(job.id))[0].state).toBe('to_pickup');
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute<{ paused_seconds: number }[]>('select paused_seconds from load where job_id = ?', [job.id]);
  expect(rows[0]?.paused_seconds).toBeGreaterThanOrEqual(90);
  expect((await eventsOf(job.id)).map((event) => event.event_name).slice(0, 2)).toEqual(['JobResumed', 'JobPaused']);
});

test('a paused job can be canceled, with its loads', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, 'enroute');
  await tenant.driver.must('PUT', `/v1/jobs/${job.id}/pause`);
  const offered = (await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).state_events;
  expect(offered).toContain('cancel');
  expect(offered).not.toContain('arrive');
  expect(await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/cancel`, {})).toMatchObject({
    state: 'canceled',
    paused_at: null,
  });
  expect((await loadsOf(job.id))[0].state).toBe('canceled');
});

test('the office reviews, flags, signs off and withdraws the signature', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, ...ONE_LOAD, 'complete');
  const office = (event: string) => tenant.dispatcher.http('PUT', `/v1/jobs/${job.id}/${event}`, {});
  expect((await office('sign_off')).status).toBe(409);
  const states: string[] = [];
  for (const event of ['review', 'flag', 'remove_flag']) states.push((await office(event)).body.data.state);
  expect(states).toEqual(['in_review', 'flagged', 'in_review']);
  await app.orm.em.fork().getConnection().execute('update load set approved_at = now() where job_id = ?', [job.id]);
  expect((await office('sign_off')).body.data.state).toBe('signed_off');
  expect((await office('pay')).status).toBe(409);
  expect((await office('remove_signoff')).body.data.state).toBe('in_review');
  expect((await eventsOf(job.id)).map((event) => event.event_name).slice(0, 5)).toEqual([
    'JobRemovedSignedOff',
    'JobSignedOff',
    'JobRemovedFlagged',
    'JobFlagged',
    'JobInReview',
  ]);
});

test('a job with an approved load cannot be canceled', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await drive(tenant.driver, job.id, ...ONE_LOAD);
  await app.orm.em.fork().getConnection().execute(`update load set approved_at = now() where job_id = ? and state = 'completed'`, [job.id]);
  expect((await tenant.dispatcher.http('PUT', `/v1/jobs/${job.id}/cancel`, {})).status).toBe(409);
});

test('only the assigned driver and the office drive a job', async () => {
  const job = await readyJob(tenant);
  const stranger = await tenant.person({ roles: ['driver'] });
  for (const event of ['enroute', 'accept', 'reject', 'complete', 'pause', 'resume'])
    expect([event, (await stranger.http('PUT', `/v1/jobs/${job.id}/${event}`, {})).status]).toEqual([event, 403]);
  for (const event of ['request', 'cancel', 'unassign', 'flag'])
    expect([event, (await tenant.driver.http('PUT', `/v1/jobs/${job.id}/${event}`, {})).status]).toEqual([event, 403]);
  const editor = await machineToken(tenant, ['edit_job']);
  expect((await tenant.http('PATCH', `/v1/jobs/${job.id}`, { notes: 'x' }, editor)).status).toBe(200);
  expect((await tenant.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: null }, editor)).status).toBe(403);
  const elsewhere = await makeStaffedTenant(app);
  expect((await elsewhere.dispatcher.http('PUT', `/v1/jobs/${job.id}/enroute`, {})).status).toBe(404);
  expect((await elsewhere.dispatcher.http('GET', `/v1/jobs/${job.id}`)).status).toBe(404);
});

test('a load that nobody began does not keep a job that ended from being signed off', async () => {
  const job = await readyJob(tenant, { recurring_loads: true });
  await drive(tenant.driver, job.id, ...ONE_LOAD);
  await tenant.driver.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  expect((await loadsOf(job.id)).map(({ state }) => state).sort()).toEqual(['completed', 'created']);
  const office = (event: string) => tenant.admin.http('PUT', `/v1/jobs/${job.id}/${event}`, {});
  expect([(await office('sign_off')).status, (await office('approve')).status]).toEqual([409, 200]);
  expect((await tenant.admin.must('GET', `/v1/jobs/${job.id}`)).state_events).toContain('sign_off');
  expect((await office('sign_off')).body.data.state).toBe('signed_off');
});
