import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, drive, makeStaffedTenant, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const patch = (job: Json, body: object) => tenant.dispatcher.http('PATCH', `/v1/jobs/${job.id}`, body);

test('absent fields are kept, null clears, values change', async () => {
  const { jobs } = await acceptedOrder(tenant, { job_notes: 'Gate 3', recurring_loads: true });
  const first = await patch(jobs[0], { notes: 'Call first', priority: 4, requested_loads_count: 7, quantity: 12.25, job_time: 90 });
  expect(first.body.data).toMatchObject({
    notes: 'Call first',
    priority: 4,
    requested_loads_count: 7,
    quantity: '12.25',
    job_time: 90,
    recurring_loads: true,
  });
  const second = await patch(jobs[0], { requested_loads_count: null, recurring_loads: false, job_start_at: '2026-11-24T09:30:00Z' });
  expect(second.body.data).toMatchObject({
    notes: 'Call first',
    requested_loads_count: null,
    recurring_loads: false,
    job_start_at: '2026-11-24T09:30:00.000Z',
    material: { name: 'Gravel' },
  });
  expect((await patch(jobs[0], { material_id: null, billable_hours: 8.5 })).body.data).toMatchObject({
    material: null,
    billable_hours: '8.5',
    billable_hours_overridden: true,
  });
});

test('all errors are reported at once, and nothing changes', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const elsewhere = await makeStaffedTenant(app);
  const answer = await patch(jobs[0], {
    notes: 'not kept',
    job_start_at: null,
    material_id: elsewhere.material.id,
    foreman_ids: [tenant.dispatcher.id, elsewhere.dispatcher.id],
    phase_id: tenant.service.id,
  });
  expect(answer.status).toBe(422);
  expect(answer.body.error.errors.map((item: Json) => item.field).sort()).toEqual([
    'foreman_ids.1',
    'job_start_at',
    'material_id',
    'phase_id',
  ]);
  expect((await tenant.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`)).notes).toBe(jobs[0].notes);
  expect((await patch(jobs[0], { driver_id: tenant.dispatcher.id })).body.error.errors).toMatchObject([
    { model: 'Job', field: 'driver_id' },
  ]);
  expect((await patch(jobs[0], { requested_loads_count: 26 })).status).toBe(422);
});

test('a stale version is a conflict', async () => {
  const { jobs } = await acceptedOrder(tenant);
  expect((await patch(jobs[0], { notes: 'one', version: jobs[0].version })).status).toBe(200);
  expect((await patch(jobs[0], { notes: 'two', version: jobs[0].version })).status).toBe(409);
});

test('a changed route belongs to the job: order and other jobs keep theirs, and its loads follow', async () => {
  const { id, jobs } = await acceptedOrder(tenant, { truck_count: 2, loads_per_truck: 2 });
  const [staging] = jobs[0].waypoints;
  const changed = await patch(jobs[0], {
    waypoints: [
      { id: staging.id, _destroy: 1 },
      { type: 'pickup', site_id: tenant.dropoff.id, ordinality: 0 },
    ],
  });
  expect(changed.status).toBe(200);
  const sites = (record: Json) => record.waypoints.map((waypoint: Json) => [waypoint.type, waypoint.site.name]);
  const own = [
    ['pickup', 'Bridge'],
    ['drop_off', 'Bridge'],
  ];
  const common = [
    ['pickup', 'Quarry'],
    ['drop_off', 'Bridge'],
  ];
  expect(sites(changed.body.data)).toEqual(own);
  expect(sites(await tenant.dispatcher.must('GET', `/v1/orders/${id}`))).toEqual(common);
  expect(sites(await tenant.dispatcher.must('GET', `/v1/jobs/${jobs[1].id}`))).toEqual(common);
  for (const load of await tenant.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}/loads`)) expect(sites(load)).toEqual(own);
  for (const load of await tenant.dispatcher.must('GET', `/v1/jobs/${jobs[1].id}/loads`)) expect(sites(load)).toEqual(common);
  const strange = await patch(jobs[0], { waypoints: [{ id: tenant.service.id, ordinality: 5 }] });
  expect(strange.status).toBe(422);
});

test('contacts are changed in place and removed', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const made = await patch(jobs[0], { foreman_contact: { name: 'Fay', phone: '+14165550100' } });
  expect(made.body.data.foreman_contact).toMatchObject({ name: 'Fay' });
  const id = made.body.data.foreman_contact.id;
  expect((await patch(jobs[0], { foreman_contact: { id, _destroy: 1 } })).body.data.foreman_contact).toBeNull();
});

test('a truck is added to an order, and removed while it has not left', async () => {
  const { id, jobs } = await acceptedOrder(tenant);
  const added = await tenant.dispatcher.http('POST', tenant.path(`/orders/${id}/jobs`));
  expect([added.status, added.body.data.state]).toEqual([201, 'created']);
  expect(added.body.data.job_id).not.toBe(jobs[0].job_id);
  expect((await tenant.driver.http('POST', `/v1/orders/${id}/jobs`)).status).toBe(403);
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${added.body.data.id}`, { driver_id: tenant.driver.id });
  expect((await tenant.driver.http('DELETE', `/v1/jobs/${added.body.data.id}`)).status).toBe(403);
  expect((await tenant.dispatcher.http('DELETE', `/v1/jobs/${added.body.data.id}`)).status).toBe(204);
  expect((await tenant.dispatcher.http('GET', `/v1/jobs/${added.body.data.id}`)).status).toBe(404);
  expect((await tenant.dispatcher.must('GET', `/v1/orders/${id}`)).truck_count).toBe(1);
  const started = await readyJob(tenant);
  await drive(tenant.driver, started.id, 'enroute');
  expect((await tenant.dispatcher.http('DELETE', `/v1/jobs/${started.id}`)).status).toBe(422);
});

test('a deleted truck is one less, unless a lower count had taken it away before', async () => {
  const { id, jobs } = await acceptedOrder(tenant, { truck_count: 4 });
  const count = async () => (await tenant.dispatcher.must('GET', `/v1/orders/${id}`)).truck_count;
  const remove = (job: { id: string }) => tenant.dispatcher.must('DELETE', `/v1/jobs/${job.id}`);
  await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, { truck_count: 3 });
  await remove(jobs[3]);
  expect(await count()).toBe(3);
  await remove(jobs[2]);
  expect(await count()).toBe(2);
  await tenant.dispatcher.must('PUT', `/v1/jobs/${jobs[1].id}/cancel`, {});
  await remove(jobs[1]);
  expect(await count()).toBe(1);
  // An order without a truck is copied with one, as few as an order may have.
  await remove(jobs[0]);
  const copy = await tenant.dispatcher.must('POST', `/v1/orders/${id}/copy`, { date: '2026-12-24' });
  expect([await count(), copy.truck_count, copy.order_summary.jobs_count]).toEqual([0, 1, 1]);
  // It is taken back as it was read, with other notes; no other order can be made to have none.
  const read = await tenant.dispatcher.must('GET', `/v1/orders/${id}`);
  expect(await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, { ...read, notes: 'Gate 2' })).toMatchObject({
    truck_count: 0,
    notes: 'Gate 2',
  });
  const refused = await tenant.dispatcher.http('PATCH', `/v1/orders/${copy.id}`, { truck_count: 0 });
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [{ model: 'Order', field: 'truck_count', message: 'must be between 1 and 200' }],
  ]);
  expect(await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, { truck_count: 1 })).toMatchObject({ truck_count: 1 });
  expect(await tenant.dispatcher.must('GET', `/v1/orders/${id}/jobs`)).toHaveLength(1);
});

test('deleting the last open job completes an order that completes automatically', async () => {
  const own = await makeStaffedTenant(app, { autoCompleteOrder: true });
  const { id, jobs } = await acceptedOrder(own, { truck_count: 2 });
  await own.dispatcher.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: own.driver.id });
  await drive(own.driver, jobs[0].id, 'accept', 'enroute', 'complete');
  const state = async () => (await own.dispatcher.must('GET', `/v1/orders/${id}`)).state;
  expect(await state()).toBe('in_progress');
  await own.dispatcher.must('PUT', `/v1/jobs/${jobs[1].id}/cancel`, {});
  expect(await state()).toBe('completed');
});

test('deleting an order deletes its jobs', async () => {
  const job = await readyJob(tenant);
  await tenant.dispatcher.must('PUT', `/v1/orders/${job.order.id}/cancel`, {});
  expect((await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).state).toBe('canceled');
  const [event] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=1`);
  expect(event.event_name).toBe('OrderCanceled');
  expect((await patch(job, { notes: 'x' })).status).toBe(409);
});
