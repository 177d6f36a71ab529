import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import {
  acceptedOrder,
  drive,
  jobOfChain,
  makeChain,
  makeStaffedTenant,
  readyJob,
  type StaffedTenant,
  shortHaul,
} from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Clients of the contract read a record, change a field, and send all of it back. What was not changed must stay as it was. */
let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const read = (path: string): Promise<Json> => tenant.dispatcher.must('GET', path);
/** Sends a record back as it was read, with another note. @returns how it reads before and after, without what every change moves */
async function sentBack(path: string): Promise<[before: Json, after: Json]> {
  const without = ({ updated_at, version, notes, load_summary, ...rest }: Json) => rest;
  const before = await read(path);
  await tenant.dispatcher.must('PATCH', path, { ...before, notes: 'Call first' });
  const after = await read(path);
  expect(after.notes).toBe('Call first');
  return [without(before), without(after)];
}

test('a job that is sent back keeps its stops, which are those of its order, and its hours are not set by hand', async () => {
  const { id, jobs } = await acceptedOrder(tenant, {
    sales_contact: { name: 'Sal', email: 'sal@example.com' },
    waypoints: [
      { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0, contact: { name: 'Pat', phone: '+15125550144' } },
      { type: 'staging', site_id: tenant.pickup.id, ordinality: 1 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 2 },
    ],
  });
  const [job] = jobs;
  const [load] = await read(`/v1/jobs/${job.id}/loads`);
  for (const path of [`/v1/jobs/${job.id}`, `/v1/loads/${load.id}`, `/v1/orders/${id}`]) {
    const [before, after] = await sentBack(path);
    expect(after).toEqual(before);
  }
  const { waypoints: stops, billable_hours_overridden } = await read(`/v1/jobs/${job.id}`);
  expect(billable_hours_overridden).toBe(false);
  // So does one that is sent its stops anew, without their ids; the staging area reads as a weigh point.
  const anew = stops.map(({ type, ordinality, site }: Json) => ({ type, ordinality, site_id: site.id }));
  for (const path of [`/v1/jobs/${job.id}`, `/v1/loads/${load.id}`])
    expect((await tenant.dispatcher.must('PATCH', path, { waypoints: anew })).waypoints).toEqual(stops);
  // The order's stop moves, and the job and its load go there; they have its contacts, too.
  const { waypoints } = await read(`/v1/orders/${id}`);
  await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, {
    waypoints: [{ id: waypoints[0].id, site_id: tenant.dropoff.id }],
    sales_contact: { name: 'Sally' },
  });
  expect(await read(`/v1/jobs/${job.id}`)).toMatchObject({ sales_contact: { name: 'Sally', email: 'sal@example.com' } });
  for (const path of [`/v1/jobs/${job.id}`, `/v1/loads/${load.id}`])
    expect((await read(path)).waypoints[0]).toMatchObject({ site: { id: tenant.dropoff.id }, contact: { name: 'Pat' } });
});

test('the hours of a finished job that is sent back go on to follow what is approved', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, ...shortHaul());
  const path = `/v1/jobs/${job.id}`;
  await tenant.dispatcher.must('PATCH', `${path}/summary`, { approved_work_time_minutes: 100 });
  const [before, after] = await sentBack(path);
  expect(before).toMatchObject({ billable_hours: '1.6667', billable_hours_overridden: false });
  expect(after).toEqual(before);
  await tenant.dispatcher.must('PATCH', `${path}/summary`, { approved_work_time_minutes: 90 });
  expect(await read(path)).toMatchObject({ billable_hours: '1.5', billable_hours_overridden: false });
  // Alone they are meant.
  const hours = (billable_hours: number | null) => tenant.dispatcher.must('PATCH', path, { billable_hours });
  expect(await hours(1.5)).toMatchObject({ billable_hours: '1.5', billable_hours_overridden: true });
  expect(await hours(null)).toMatchObject({ billable_hours: '1.5', billable_hours_overridden: false });
  const early = await readyJob(tenant, { load_at: '2027-03-01T12:00:00Z' });
  const none = await tenant.dispatcher.must('PATCH', `/v1/jobs/${early.id}`, { billable_hours: 0 });
  expect(none).toMatchObject({ billable_hours: '0', billable_hours_overridden: true });
  // Other hours are a word of somebody, and stay until they are taken back.
  await tenant.dispatcher.must('PATCH', path, { billable_hours: 8 });
  const [set, kept] = await sentBack(path);
  expect(set).toMatchObject({ billable_hours: '8', billable_hours_overridden: true });
  expect(kept).toEqual(set);
});

test('times that are sent back as they were read are refused nothing, also once they are approved', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, ...shortHaul());
  const path = `/v1/jobs/${job.id}/summary`;
  await tenant.dispatcher.must('PATCH', path, { approved_work_time_minutes: 100, adjusted_logging_ended_at: new Date().toISOString() });
  await tenant.admin.must('PUT', `/v1/jobs/${job.id}/approve`, { approved_work_time_minutes: 100 });
  const summary = await read(path);
  expect(await tenant.dispatcher.must('PATCH', path, summary)).toEqual(summary);
  for (const change of [{ approved_work_time_minutes: 101 }, { adjusted_logging_ended_at: null }])
    expect((await tenant.dispatcher.http('PATCH', path, { ...summary, ...change })).status).toBe(422);
  const loads = async () => (await read(`/v1/jobs/${job.id}/loads`)).map(({ id, load_summary }: Json) => ({ id, ...load_summary }));
  const [load] = await loads();
  const change = (times: object) => tenant.dispatcher.http('PATCH', `/v1/loads/${load.id}/summary`, { ...load, ...times });
  expect((await change({})).status).toBe(200);
  expect((await change({ arrived_pickup_at: null })).status).toBe(422);
  expect([await read(path), await loads()]).toEqual([summary, [load]]);
});

test('stops that say something new change, with the contacts of the others as they were', async () => {
  const { id } = await acceptedOrder(tenant, {
    waypoints: [
      { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0, contact: { name: 'Pat' } },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1, contact: { name: 'Kim' } },
    ],
  });
  const { waypoints } = await read(`/v1/orders/${id}`);
  const [first, second] = waypoints;
  const sent = [first, { ...second, contact: { ...second.contact, phone: '+15125550145' } }];
  const { waypoints: after } = await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, { waypoints: sent });
  expect(after).toMatchObject([first, { id: second.id, contact: { name: 'Kim', phone: '+15125550145' } }]);
  const { waypoints: none } = await tenant.dispatcher.must('PATCH', `/v1/orders/${id}`, { waypoints: [{ id: first.id, contact: null }] });
  expect(none).toMatchObject([
    { id: first.id, contact: null },
    { id: second.id, contact: { name: 'Kim' } },
  ]);
});

test('a record that is sent back unchanged keeps its version, and so does the work below it', async () => {
  const { id, jobs } = await acceptedOrder(tenant, {
    quantity: 12.5,
    job_quantity: 1.25,
    phases: [{ name: 'Base', code: 'B', primary: true }],
  });
  const [job] = jobs;
  const [load] = await read(`/v1/jobs/${job.id}/loads`);
  const project = await tenant.must('POST', '/v1/projects', { name: 'Sent back', account_id: tenant.account.id });
  const paths = [`/v1/orders/${id}`, `/v1/jobs/${job.id}`, `/v1/loads/${load.id}`, `/v1/projects/${project.id}`];
  const versions = () =>
    Promise.all(
      paths.map(async (path) => {
        const { version, updated_at } = await read(path);
        return { path, version, updated_at };
      }),
    );
  const before = await versions();
  for (const path of paths) {
    await tenant.must('PATCH', path, await read(path));
    expect(await versions()).toEqual(before);
  }
});

test('a staging area that a client of the contract reads as a weigh point is moved by its place, by one job and by many', async () => {
  const { jobs } = await acceptedOrder(tenant, {
    waypoints: [
      { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 },
      { type: 'staging', site_id: tenant.pickup.id, ordinality: 1 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 2 },
    ],
  });
  const path = `/v1/jobs/${jobs[0].id}`;
  const stops = async (): Promise<string[]> => {
    const { body } = await tenant.dispatcher.http('GET', path, undefined, { Prefer: 'waypoints=all' });
    return body.data.waypoints.map(({ type, site }: Json) => `${type} ${site.name}`);
  };
  const at = (site_id: string) => [{ type: 'weigh_point', ordinality: 1, site_id }];
  await tenant.dispatcher.must('PATCH', path, { waypoints: at(tenant.dropoff.id) });
  expect(await stops()).toEqual(['pickup Quarry', 'staging Bridge', 'drop_off Bridge']);
  const body = { job_ids: [jobs[0].id], data: { waypoints: at(tenant.pickup.id) } };
  expect((await tenant.dispatcher.http('PATCH', tenant.path('/jobs/bulk_update'), body)).status).toBe(202);
  await app.settled();
  expect(await stops()).toEqual(['pickup Quarry', 'staging Quarry', 'drop_off Bridge']);
});

test('a vendor that sends a load back as it was read changes its notes', async () => {
  const chain = await makeChain(app);
  const { id } = await jobOfChain(chain);
  const [load] = await chain.last.dispatcher.must('GET', `/v1/jobs/${id}/loads`);
  const path = `/v1/loads/${load.id}`;
  const before = await chain.last.dispatcher.must('GET', path);
  expect(before).toHaveProperty('material_rate_assignment', null);
  expect(await chain.last.dispatcher.must('PATCH', path, { ...before, notes: 'Wet' })).toMatchObject({ notes: 'Wet' });
  // It was unloaded elsewhere: that is said of this load alone.
  const [from, to] = before.waypoints;
  const moved = await chain.last.dispatcher.must('PATCH', path, { waypoints: [{ id: to.id, site_id: from.site.id }] });
  expect(moved.waypoints.map(({ site }: Json) => site.id)).toEqual([from.site.id, from.site.id]);
  const job = await chain.owner.must('GET', `/v1/jobs/${id}`);
  expect(job.waypoints.map(({ site }: Json) => site.id)).toEqual([from.site.id, to.site.id]);
});
