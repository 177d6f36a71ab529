import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import {
  acceptedOrder,
  connect,
  machineToken,
  makeStaffedTenant,
  ONE_LOAD,
  readyJob,
  type StaffedTenant,
  share,
} from '../../helpers/staffed-tenant.ts';
import { type Person } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
let office: Person;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
  office = tenant.admin;
});
afterAll(() => app.close());

const ids = (jobs: { id: string }[]) => jobs.map((job) => job.id).sort();

/** Drives one load of a job with times of one's own, minutes after the first. */
async function driveOneLoad(job: string, minutes: number[], start = '2026-11-19T12:00:00.000Z') {
  for (const [i, event] of ONE_LOAD.entries()) {
    const occurred_at = new Date(Date.parse(start) + minutes[i]! * 60_000).toISOString();
    await tenant.driver.must('PUT', `/v1/jobs/${job}/${event}`, { occurred_at });
  }
}

test('everybody finds the jobs in which they have a part, and only those', async () => {
  const [foreman, seller, follower] = [
    await tenant.person({ roles: ['foreman'] }),
    await tenant.person({ roles: ['manager'] }),
    await tenant.person({ roles: ['manager'] }),
  ];
  const mine = await acceptedOrder(tenant, { foreman_ids: [foreman.id], salesperson_ids: [seller.id], collaborator_ids: [follower.id] });
  await acceptedOrder(tenant);
  const driven = await readyJob(tenant);
  expect(ids(await foreman.must('GET', '/v1/jobs/foreman'))).toEqual(ids(mine.jobs));
  expect(ids(await seller.must('GET', '/v1/jobs/salesperson'))).toEqual(ids(mine.jobs));
  expect(ids(await follower.must('GET', '/v1/jobs/collaborator'))).toEqual(ids(mine.jobs));
  expect(ids(await tenant.driver.must('GET', '/v1/jobs/driver'))).toContain(driven.id);
  for (const person of [foreman, seller, follower]) expect(ids(await person.must('GET', '/v1/jobs/assigned'))).toEqual(ids(mine.jobs));
  expect(await foreman.must('GET', '/v1/jobs/driver')).toEqual([]);
  expect(await foreman.must('GET', '/v1/jobs/foreman?filter[states][]=completed')).toEqual([]);
  expect(ids(await foreman.must('GET', '/v1/jobs/foreman?filter[start_date]=2026-11-23&filter[end_date]=2026-11-23'))).toEqual(
    ids(mine.jobs),
  );
  expect((await foreman.http('GET', '/v1/jobs/foreman?filter[start_date]=soon')).status).toBe(422);
  const { data } = await foreman.gql('{ ownJobs(as: foreman) { nodes { id } } }');
  expect(ids(data.ownJobs.nodes)).toEqual(ids(mine.jobs));
});

test('a copied job is one more truck on the same terms, without an assignee', async () => {
  const { id: order, jobs } = await acceptedOrder(tenant, { loads_per_truck: 3 });
  await office.must('PATCH', `/v1/jobs/${jobs[0].id}`, {
    notes: 'Use gate 2',
    driver_id: tenant.driver.id,
    waypoints: [{ id: jobs[0].waypoints[0].id, site_id: tenant.dropoff.id }],
  });
  const original = await office.must('GET', `/v1/jobs/${jobs[0].id}`);
  const answer = await office.http('POST', `/v1/jobs/${jobs[0].id}/copy`, {});
  expect(answer.status).toBe(201);
  const copy = answer.body.data;
  expect(copy).toMatchObject({ notes: 'Use gate 2', loads_count: 3, state: 'created', driver: null, job_start_at: original.job_start_at });
  expect(copy.job_id).toBe(original.job_id.replace(/-1$/, '-2'));
  expect(copy.waypoints.map((one: { site: { id: string } }) => one.site.id)).toEqual(
    original.waypoints.map((one: { site: { id: string } }) => one.site.id),
  );
  const loads = await office.must('GET', `/v1/jobs/${copy.id}/loads`);
  expect(loads.map((load: { material: { id: string } }) => load.material.id)).toEqual(Array(3).fill(tenant.material.id));
  expect((await office.must('GET', `/v1/orders/${order}`)).truck_count).toBe(2);
  await office.must('PUT', `/v1/orders/${order}/cancel`, {});
  expect((await office.http('POST', `/v1/jobs/${jobs[0].id}/copy`, {})).status).toBe(409);
  expect((await tenant.driver.http('POST', `/v1/jobs/${jobs[0].id}/copy`, {})).status).toBe(403);
});

test("a job gets one of its order's phases, or none", async () => {
  const { jobs } = await acceptedOrder(tenant, { phases: [{ name: 'Base', primary: true }, { name: 'Top' }] });
  const other = await acceptedOrder(tenant, { phases: [{ name: 'Elsewhere' }] });
  const order = await office.must('GET', `/v1/orders/${jobs[0].order.id}`);
  const top = order.phases.find((one: { name: string }) => one.name === 'Top');
  const elsewhere = (await office.must('GET', `/v1/orders/${other.id}`)).phases[0];
  expect((await office.must('PATCH', `/v1/jobs/${jobs[0].id}/phase`, { phase_id: top.id })).phase).toMatchObject({ id: top.id });
  expect((await office.must('PATCH', `/v1/jobs/${jobs[0].id}/phase`, { phase_id: null })).phase).toBeNull();
  for (const body of [{}, { phase_id: elsewhere.id }, { phase_id: 'x' }]) {
    const answer = await office.http('PATCH', `/v1/jobs/${jobs[0].id}/phase`, body);
    expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, 'phase_id']);
  }
  await office.must('PUT', `/v1/jobs/${jobs[0].id}/cancel`);
  expect((await office.http('PATCH', `/v1/jobs/${jobs[0].id}/phase`, { phase_id: top.id })).status).toBe(422);
});

test('load cycles run from arrival to arrival at the pickup; canceled loads are skipped', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 3 });
  expect(await office.must('GET', `/v1/jobs/${job.id}/loads/cycles`)).toEqual({ load_cycles: [], load_cycle_time_minutes_avg: 0 });
  await driveOneLoad(job.id, [0, 5, 15, 16, 40, 50, 51]);
  await driveOneLoad(job.id, [52, 65, 70, 71, 100, 110, 111]);
  const loads = await office.must('GET', `/v1/jobs/${job.id}/loads`);
  const [first, second] = loads.sort((a: { ordinality: number }, b: { ordinality: number }) => a.ordinality - b.ordinality);
  expect(await office.must('GET', `/v1/jobs/${job.id}/loads/cycles`)).toEqual({
    load_cycles: [{ from_load_id: first.id, to_load_id: second.id, time_minutes: 60, has_gps_data: false }],
    load_cycle_time_minutes_avg: 60,
  });
});

test('a finished job has a summary, in which adjusted times replace the logged ones', async () => {
  const job = await readyJob(tenant);
  expect((await office.http('GET', `/v1/jobs/${job.id}/summary`)).status).toBe(404);
  expect((await office.http('PATCH', `/v1/jobs/${job.id}/summary`, { approved_work_time_minutes: 5 })).status).toBe(404);
  await driveOneLoad(job.id, [0, 5, 15, 16, 40, 50, 51]);
  const hours = async () => {
    const { billable_hours, billable_hours_overridden } = await office.must('GET', `/v1/jobs/${job.id}`);
    return [billable_hours, billable_hours_overridden];
  };
  expect(await hours()).toEqual(['0', false]);
  await tenant.driver.must('PUT', `/v1/jobs/${job.id}/complete`, { occurred_at: '2026-11-19T13:00:00.000Z' });
  expect(await hours()).toEqual(['0.85', false]);
  const summary = await office.must('GET', `/v1/jobs/${job.id}/summary`);
  expect(summary).toMatchObject({
    work_time_minutes: 51,
    approved_work_time_minutes: null,
    adjusted_logging_started_at: null,
    pickup_geofence_entry_count: 0,
    editable: true,
  });
  const adjusted = await office.must('PATCH', `/v1/jobs/${job.id}/summary`, {
    adjusted_logging_started_at: '2026-11-19T12:30:00Z',
    approved_work_time_minutes: 25,
  });
  expect(adjusted).toMatchObject({
    work_time_minutes: 21,
    approved_work_time_minutes: 25,
    adjusted_logging_started_at: expect.stringContaining('12:30:00'),
  });
  expect(await hours()).toEqual(['0.4167', false]);
  await office.must('PATCH', `/v1/jobs/${job.id}`, { billable_hours: 8.5 });
  expect(await hours()).toEqual(['8.5', true]);
  await office.must('PATCH', `/v1/jobs/${job.id}`, { billable_hours: null });
  expect(await hours()).toEqual(['0.4167', false]);
  const wrong = await office.http('PATCH', `/v1/jobs/${job.id}/summary`, { adjusted_logging_ended_at: '2026-11-19T12:00:00Z' });
  expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'adjusted_logging_ended_at']);
  expect((await office.must('PATCH', `/v1/jobs/${job.id}/summary`, { adjusted_logging_started_at: null })).work_time_minutes).toBe(51);
  const old = await office.http('PATCH', `/v1/jobs/${job.id}/summary`, { adjusted_logging_started_at: '2000-01-01T00:00:00Z' });
  expect([old.status, old.body.error.errors[0].field]).toEqual([422, 'adjusted_logging_started_at']);
  const never = await office.http('PATCH', `/v1/jobs/${job.id}/summary`, { adjusted_logging_ended_at: '9999-12-31T12:00:00Z' });
  expect([never.status, never.body.error.errors[0].field]).toEqual([422, 'adjusted_logging_ended_at']);
});

test.each([
  [{}, { adjusted_logging_ended_at: '2026-11-19T11:00:00Z' }, 'adjusted_logging_ended_at', 'must not be before the start'],
  [{}, { adjusted_logging_started_at: '2026-11-19T14:00:00Z' }, 'adjusted_logging_started_at', 'must not be after the end'],
  [
    { adjusted_logging_started_at: '2026-11-19T11:00:00Z', adjusted_logging_ended_at: '2026-11-19T11:30:00Z' },
    { adjusted_logging_started_at: null },
    'adjusted_logging_started_at',
    'must not be after the end',
  ],
])('a job adjusted by %j does not end before it starts by %j', async (first, then, field, message) => {
  const job = await readyJob(tenant);
  await driveOneLoad(job.id, [0, 5, 15, 16, 40, 50, 51]);
  await tenant.driver.must('PUT', `/v1/jobs/${job.id}/complete`, { occurred_at: '2026-11-19T13:00:00.000Z' });
  await office.must('PATCH', `/v1/jobs/${job.id}/summary`, first);
  const before = await office.must('GET', `/v1/jobs/${job.id}/summary`);
  const refused = await office.http('PATCH', `/v1/jobs/${job.id}/summary`, then);
  expect([refused.status, refused.body.error.errors]).toEqual([422, [{ model: 'JobSummary', field, message }]]);
  expect(await office.must('GET', `/v1/jobs/${job.id}/summary`)).toEqual(before);
});

test('the times of a load are corrected in order, until it is approved', async () => {
  const job = await readyJob(tenant);
  await driveOneLoad(job.id, [0, 5, 15, 16, 40, 50, 51]);
  const [load] = await office.must('GET', `/v1/jobs/${job.id}/loads`);
  const path = `/v1/loads/${load.id}/summary`;
  expect(await office.must('PATCH', path, { loaded_at: '2026-11-19T12:25:00Z' })).toMatchObject({
    pickup_time_minutes: 20,
    dropoff_time_minutes: 10,
    editable: true,
  });
  const old = await office.http('PATCH', path, { arrived_pickup_at: '2000-01-01T00:00:00Z' });
  expect([old.status, old.body.error.errors]).toEqual([
    422,
    [{ model: 'LoadSummary', field: 'arrived_pickup_at', message: 'lies more than a month before the job' }],
  ]);
  const never = await office.http('PATCH', path, { unloaded_at: '9999-12-31T12:30:00Z' });
  expect([never.status, never.body.error.errors.map((one: Json) => one.field)]).toEqual([422, ['unloaded_at']]);
  const wrong = await office.http('PATCH', path, { arrived_pickup_at: '2026-11-19T12:30:00Z' });
  expect([wrong.status, wrong.body.error.errors]).toEqual([422, [expect.objectContaining({ model: 'LoadSummary', field: 'loaded_at' })]]);
  const { data } = await office.gql(`{ load(id: "${load.id}") { loadSummary { pickupTimeMinutes editable } } }`);
  expect(data.load.loadSummary).toEqual({ pickupTimeMinutes: 20, editable: true });
  const machine = await machineToken(tenant, ['edit_load_summaries']);
  expect((await tenant.http('PATCH', path, { loaded_at: null }, machine)).status).toBe(403);
  expect(await office.must('PATCH', path, { loaded_at: null })).toMatchObject({ loaded_at: null, pickup_time_minutes: 0 });
});

test('dispatch numbers are offered for orders whose jobs match the filter', async () => {
  const { jobs } = await acceptedOrder(tenant, { dispatch_number: { name: 'DN-77' } });
  await acceptedOrder(tenant, { dispatch_number: { name: 'DN-78' } });
  const path = tenant.path('/orders/dispatch_numbers/faceted_search');
  const names = async (query: string) => (await office.must('GET', `${path}?${query}`)).map((one: { name: string }) => one.name);
  expect(await names('facet[search][query]=dn-7')).toEqual(['DN-77', 'DN-78']);
  await office.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: tenant.driver.id });
  expect(await names(`filter[job][driver_ids][]=${tenant.driver.id}&filter[job][states][]=assigned`)).toEqual(['DN-77']);
  expect(await names('facet[search][query]=nothing')).toEqual([]);
  expect((await office.http('GET', `${path}?filter[job][driver_ids][]=x`)).status).toBe(422);
});

test('a route is estimated between two places; coordinates off the globe are refused', async () => {
  const body = { pickup_site_lat: 30, pickup_site_lon: -97, drop_off_site_lat: 31, drop_off_site_lon: -97 };
  const answer = await office.http('POST', '/v1/route_estimate', body);
  // One degree of a meridian is 111.195 km; a road is 1.3 times as long.
  expect([answer.status, answer.body.data]).toEqual([
    200,
    { pickup_to_drop_off_distance_meters: 144_554, pickup_to_drop_off_time_minutes: 145 },
  ]);
  const wrong = await office.http('POST', '/v1/route_estimate', { ...body, pickup_site_lat: 91, drop_off_site_lon: 'x' });
  expect([wrong.status, wrong.body.error.errors.map((one: { field: string }) => one.field).sort()]).toEqual([
    422,
    ['drop_off_site_lon', 'pickup_site_lat'],
  ]);
});

test('an order to practise with is created, or refused with the field', async () => {
  const path = tenant.path('/orders/simulate_order');
  const answer = await office.http('POST', path, { driver_id: tenant.driver.id });
  expect([answer.status, answer.body]).toEqual([202, {}]);
  const [order] = await office.must('GET', '/v1/orders?page[limit]=1');
  expect(order).toMatchObject({ name: 'Practice', truck_count: 1 });
  const wrong = await office.http('POST', path, { driver_id: '00000000-0000-7000-8000-000000000000' });
  expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'driver_id']);
  const empty = await tenant.save(Company, { platformId: 'EEEEEE', legalName: 'Empty' });
  const admin = await tenant.person({ company: ref(empty), roles: ['company_admin'] });
  expect((await admin.http('POST', `/v1/companies/${empty.id}/orders/simulate_order`, {})).status).toBe(422);
});

test('the e-mails of contacts are searched', async () => {
  const body = { sales_contact: { name: 'Joe', email: 'not an email' }, foreman_contact: { email: 'ana@example.com' } };
  const { id } = await acceptedOrder(tenant);
  const wrong = await office.http('PATCH', `/v1/orders/${id}`, body);
  expect([wrong.status, wrong.body.error.errors]).toEqual([
    422,
    [{ model: 'Order', field: 'sales_contact.email', message: 'is not an e-mail address' }],
  ]);
  const right = await office.must('PATCH', `/v1/orders/${id}`, { ...body, sales_contact: { email: ' joe@example.com ' } });
  expect([right.sales_contact.email, right.foreman_contact.email]).toEqual(['joe@example.com', 'ana@example.com']);
});

test('a practice order may be for a driver whom another company shares', async () => {
  const lender = await makeStaffedTenant(app, { legalName: 'Lender' });
  await connect(tenant, lender);
  const path = tenant.path('/orders/simulate_order');
  const made = () => office.http('POST', path, { shared_driver_id: lender.driver.id });
  expect((await made()).status).toBe(422);
  await share(lender, tenant, 'User', lender.driver.id);
  const answer = await made();
  expect(answer.status).toBe(202);
});

test('times by which a load arrived before the one ahead of it make a cycle of 0, in averages as in the list', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await driveOneLoad(job.id, [0, 5, 15, 16, 40, 50, 51]);
  await driveOneLoad(job.id, [52, 65, 70, 71, 100, 110, 111]);
  const [, second] = (await office.must('GET', `/v1/jobs/${job.id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  await office.must('PATCH', `/v1/loads/${second.id}/summary`, { arrived_pickup_at: '2026-11-19T11:55:00Z' });
  const { load_cycles, load_cycle_time_minutes_avg: mean } = await office.must('GET', `/v1/jobs/${job.id}/loads/cycles`);
  const means = async (path: string) => (await office.must('GET', path)).load_cycle_avg;
  expect([load_cycles[0].time_minutes, mean, await means(`/v1/jobs/${job.id}`), await means(`/v1/orders/${job.order.id}`)]).toEqual([
    0, 0, 0, 0,
  ]);
});
