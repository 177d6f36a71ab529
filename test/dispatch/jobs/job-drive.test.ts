import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../../src/platform/ids.ts';
import { type Answer, JobTown, ONE_LOAD, type Tenant } from './job-town.ts';

let town: JobTown;
let tenant: Tenant;
beforeAll(async () => {
  town = await JobTown.open();
  tenant = await town.tenant();
});
afterAll(() => town.close());

const eventsOf = (job: string): Promise<Answer[]> => town.must(tenant.dispatcher.token, 'GET', `/jobs/${job}/job_events?page[limit]=100`);
const loadsOf = async (job: string): Promise<Answer[]> =>
  (await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job}/loads`)).sort((a: Answer, b: Answer) => a.ordinality - b.ordinality);

test('repeating an event changes nothing, and neither do two concurrent copies', async () => {
  const job = await town.readyJob(tenant);
  const body = { id: newId(), occurred_at: new Date(Date.now() - 60_000).toISOString() };
  const first = await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, body);
  expect(first.state).toBe('to_pickup');
  const again = await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, body);
  expect(again).toEqual(first);

  const arrive = { id: newId(), occurred_at: new Date(Date.now() - 30_000).toISOString() };
  const both = await Promise.all([0, 1, 2].map(() => town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/arrive`, arrive)));
  expect(both.map(({ status, body }) => [status, body.data?.state])).toEqual(Array(3).fill([200, 'arrived_pickup']));
  const events = await eventsOf(job.id);
  expect(events.filter((event) => event.event_name === 'AtPickup')).toMatchObject([{ id: arrive.id, occurred_at: arrive.occurred_at }]);
  // Much later the first one comes again: still known.
  expect((await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, body)).state).toBe('arrived_pickup');
});

test("another job's event id, another event's id and an impossible time are refused", async () => {
  const [one, two] = [await town.readyJob(tenant), await town.readyJob(tenant)];
  const id = newId();
  await town.must(tenant.driver.token, 'PUT', `/jobs/${one.id}/enroute`, { id });
  const other = await town.call(tenant.driver.token, 'PUT', `/jobs/${two.id}/enroute`, { id });
  expect([other.status, other.body.error.errors[0].field]).toEqual([422, 'id']);
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${one.id}/arrive`, { id })).status).toBe(422);
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${one.id}/arrive`, { id: 'no-uuid' })).status).toBe(422);
  const later = { occurred_at: new Date(Date.now() + 3_600_000).toISOString() };
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${one.id}/arrive`, later)).status).toBe(422);
  const early = { occurred_at: '2020-01-01T00:00:00.000Z' };
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${one.id}/arrive`, early)).status).toBe(422);
});

test('the same new event id at two jobs at once is one event', async () => {
  const [one, two] = [await town.readyJob(tenant), await town.readyJob(tenant)];
  const id = newId();
  const answers = await Promise.all([one, two].map((job) => town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, { id })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test('loads are driven one after the other', async () => {
  const job = await town.readyJob(tenant, { loads_per_truck: 2 });
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD);
  const second = await town.drive(tenant.driver.token, job.id, 'enroute');
  expect(second.state).toBe('to_pickup');
  expect((await loadsOf(job.id)).map((load) => load.state)).toEqual(['completed', 'to_pickup']);
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD.slice(1));
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/enroute`, {})).status).toBe(409);
});

test('recurring loads append the next one', async () => {
  const job = await town.readyJob(tenant, { recurring_loads: true });
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD);
  const loads = await loadsOf(job.id);
  expect(loads.map((load) => [load.ordinality, load.state])).toEqual([
    [loads[0].ordinality, 'completed'],
    [loads[0].ordinality + 1, 'created'],
  ]);
  expect(loads[1]).toMatchObject({ material: { name: 'Gravel' }, job_id: job.job_id });
  expect((await town.drive(tenant.driver.token, job.id, 'enroute')).state).toBe('to_pickup');
});

test('completing a job on the road completes an unloaded load and cancels the others', async () => {
  const job = await town.readyJob(tenant, { loads_per_truck: 3 });
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD.slice(0, 6));
  const done = await town.drive(tenant.driver.token, job.id, 'complete');
  expect(done).toMatchObject({ state: 'completed', loads_count: 1, completed_loads_count: 1 });
  expect((await loadsOf(job.id)).map((load) => load.state)).toEqual(['completed', 'canceled', 'canceled']);
});

test('a pause stops the load and its clock, and all other events have to wait', async () => {
  const job = await town.readyJob(tenant);
  await town.drive(tenant.driver.token, job.id, 'enroute');
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/resume`)).status).toBe(409);
  const paused = await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/pause`);
  expect(paused).toMatchObject({ state: 'to_pickup', paused_at: expect.any(String) });
  expect((await loadsOf(job.id))[0].state).toBe('paused');
  const blocked = await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/arrive`, {});
  expect(blocked.status).toBe(409);
  expect(blocked.body.error.errors[0]).toMatchObject({ model: 'Job', field: 'state', state: 'to_pickup', event: 'arrive' });
  expect((await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/pause`)).body.error.errors[0].event).toBe('pause');
  await town.orm.em.fork().getConnection().execute(`update load set paused_at = now() - interval '90 seconds' where job_id = ?`, [job.id]);
  expect(await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/resume`)).toMatchObject({ state: 'to_pickup', paused_at: null });
  expect((await loadsOf(job.id))[0].state).toBe('to_pickup');
  const rows = await town.orm.em
    .fork()
    .getConnection()
    .execute<{ paused_seconds: number }[]>('select paused_seconds from load where job_id = ?', [job.id]);
  expect(rows[0]?.paused_seconds).toBeGreaterThanOrEqual(90);
  expect((await eventsOf(job.id)).map((event) => event.event_name).slice(0, 2)).toEqual(['JobResumed', 'JobPaused']);
});

test('a paused job can be canceled, with its loads', async () => {
  const job = await town.readyJob(tenant);
  await town.drive(tenant.driver.token, job.id, 'enroute');
  await town.must(tenant.driver.token, 'PUT', `/jobs/${job.id}/pause`);
  const offered = (await town.must(tenant.dispatcher.token, 'GET', `/jobs/${job.id}`)).state_events;
  expect(offered).toContain('cancel');
  expect(offered).not.toContain('arrive');
  expect(await town.must(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/cancel`, {})).toMatchObject({
    state: 'canceled',
    paused_at: null,
  });
  expect((await loadsOf(job.id))[0].state).toBe('canceled');
});

test('the office reviews, flags, signs off and withdraws the signature', async () => {
  const job = await town.readyJob(tenant);
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD, 'complete');
  const office = (event: string) => town.call(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/${event}`, {});
  expect((await office('sign_off')).status).toBe(409);
  const states: string[] = [];
  for (const event of ['review', 'flag', 'remove_flag']) states.push((await office(event)).body.data.state);
  expect(states).toEqual(['in_review', 'flagged', 'in_review']);
  await town.orm.em.fork().getConnection().execute('update load set approved_at = now() where job_id = ?', [job.id]);
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
  const job = await town.readyJob(tenant, { loads_per_truck: 2 });
  await town.drive(tenant.driver.token, job.id, ...ONE_LOAD);
  await town.orm.em
    .fork()
    .getConnection()
    .execute(`update load set approved_at = now() where job_id = ? and state = 'completed'`, [job.id]);
  expect((await town.call(tenant.dispatcher.token, 'PUT', `/jobs/${job.id}/cancel`, {})).status).toBe(409);
});

test('only the assigned driver and the office drive a job', async () => {
  const job = await town.readyJob(tenant);
  const stranger = await town.user(tenant.company, 'driver');
  for (const event of ['enroute', 'accept', 'reject', 'complete', 'pause', 'resume'])
    expect([event, (await town.call(stranger.token, 'PUT', `/jobs/${job.id}/${event}`, {})).status]).toEqual([event, 403]);
  for (const event of ['request', 'cancel', 'unassign', 'flag'])
    expect([event, (await town.call(tenant.driver.token, 'PUT', `/jobs/${job.id}/${event}`, {})).status]).toEqual([event, 403]);
  const editor = await town.machine(tenant.company, ['edit_job']);
  expect((await town.call(editor, 'PATCH', `/jobs/${job.id}`, { notes: 'x' })).status).toBe(200);
  expect((await town.call(editor, 'PATCH', `/jobs/${job.id}`, { driver_id: null })).status).toBe(403);
  const elsewhere = await town.tenant();
  expect((await town.call(elsewhere.dispatcher.token, 'PUT', `/jobs/${job.id}/enroute`, {})).status).toBe(404);
  expect((await town.call(elsewhere.dispatcher.token, 'GET', `/jobs/${job.id}`)).status).toBe(404);
});
