import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import {
  acceptedOrder,
  drive,
  makeStaffedTenant,
  ONE_LOAD,
  plannedOrder,
  readyJob,
  type StaffedTenant,
} from '../../helpers/staffed-tenant.ts';

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

test('a job is assigned, sent, accepted and driven to its end', async () => {
  const { id: orderId, jobs } = await acceptedOrder(tenant);
  const { dispatcher, driver } = tenant;
  const job = jobs[0].id;
  expect(jobs[0]).toMatchObject({ state: 'created', loads_count: 1, driver: null });
  expect(jobs[0].state_events).toEqual(['cancel']);

  const assigned = await dispatcher.must('PATCH', `/v1/jobs/${job}`, { driver_id: driver.id });
  expect(assigned).toMatchObject({ state: 'assigned', driver: { id: driver.id } });
  expect(assigned.state_events).toEqual(expect.arrayContaining(['request', 'accept', 'unassign', 'enroute', 'cancel']));
  const sent = await dispatcher.must('PUT', tenant.path(`/jobs/${job}/request`), {});
  expect(sent.state).toBe('sent');
  expect((await driver.must('PUT', `/v1/jobs/${job}/accept`, {})).state).toBe('accepted');

  const states: string[] = [];
  const loadStates: string[] = [];
  for (const event of ONE_LOAD) {
    states.push((await driver.must('PUT', `/v1/jobs/${job}/${event}`, {})).state);
    loadStates.push((await driver.must('GET', `/v1/jobs/${job}/loads`))[0].state);
  }
  expect(states).toEqual(['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'load_completed']);
  expect(loadStates).toEqual([...states.slice(0, 6), 'completed']);
  expect((await dispatcher.must('GET', `/v1/orders/${orderId}`)).state).toBe('in_progress');

  const done = await driver.must('PUT', `/v1/jobs/${job}/complete`, {});
  expect(done).toMatchObject({ state: 'completed', completed_loads_count: 1, approvable: true, deletable: false });
  expect(done.job_summary).toMatchObject({ completed_loads_count: 1, first_sent_at: expect.any(String) });
  expect(done.state_events).toEqual(['review', 'flag']);

  const events = await dispatcher.must('GET', `/v1/jobs/${job}/job_events?page[limit]=100`);
  const names = events.map((event: { event_name: string }) => event.event_name);
  for (const name of ['JobAssigned', 'JobSent', 'JobAccepted', 'ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded'])
    expect(names).toContain(name);
  expect(names.slice(0, 2).sort()).toEqual(['JobCompleted', 'LoadCompleted']);
  expect(events[0].created_by).toMatchObject({ type: 'User', id: driver.id, name: 'Dora Wheel' });
});

test('an event that is impossible now is answered with 409, state and event', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const answer = await tenant.dispatcher.http('PUT', `/v1/jobs/${jobs[0].id}/load_material`, {});
  expect(answer.status).toBe(409);
  expect(answer.body.error.errors).toEqual([
    { model: 'Job', field: 'state', message: expect.any(String), state: 'created', event: 'load_material' },
  ]);
});

test('a job of an order that is not accepted cannot be sent, and no truck leaves for it', async () => {
  const { jobs } = await plannedOrder(tenant);
  const job = await tenant.dispatcher.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: tenant.driver.id });
  expect(job.state_events).not.toContain('request');
  for (const event of ['request', 'enroute'])
    expect((await tenant.dispatcher.http('PUT', `/v1/jobs/${job.id}/${event}`, {})).status).toBe(409);
});

test('the driver rejects with a reason, and dispatch assigns again', async () => {
  const job = await readyJob(tenant);
  const rejected = await tenant.driver.must('PUT', `/v1/jobs/${job.id}/reject`, { reject_reason: 'Flat tyre' });
  expect(rejected.state).toBe('rejected');
  const [event] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=1`);
  expect(event).toMatchObject({ event_name: 'JobDeclined', payload: { reject_reason: 'Flat tyre' }, state: 'rejected' });
  const other = await tenant.person({ roles: ['driver'] });
  expect(await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: other.id })).toMatchObject({
    state: 'assigned',
    driver: { id: other.id },
  });
  expect(await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: null })).toMatchObject({
    state: 'created',
    driver: null,
  });
});

test('GraphQL drives the same job', async () => {
  const job = await readyJob(tenant);
  const answer = await tenant.driver.gql(
    `mutation ($id: ID!) { enrouteJob(id: $id) { state loads { nodes { state } } order { state } stateEvents } }`,
    { id: job.id },
  );
  expect(answer.errors).toBeUndefined();
  expect(answer.data.enrouteJob).toEqual({
    state: 'to_pickup',
    loads: { nodes: [{ state: 'to_pickup' }] },
    order: { state: 'in_progress' },
    stateEvents: ['arrive', 'load_material', 'complete', 'cancel'],
  });
});

test('a driver who rejected can be sent the job again', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, 'reject');
  const again = await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id });
  expect(again.state).toBe('assigned');
});
