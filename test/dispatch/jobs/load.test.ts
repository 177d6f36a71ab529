import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Replica } from '../../events/follower.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, drive, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const loadsOf = async (job: string): Promise<Json[]> =>
  (await tenant.dispatcher.must('GET', tenant.path(`/jobs/${job}/loads`))).sort((a: Json, b: Json) => a.ordinality - b.ordinality);

test('a load is added, changed, shown and deleted', async () => {
  const { id: orderId, jobs } = await acceptedOrder(tenant);
  const made = await tenant.dispatcher.http('POST', `/v1/jobs/${jobs[0].id}/loads`, {
    quantity: 18.5,
    unit_of_measure: 'Tonne',
    notes: 'Extra',
  });
  expect(made.status).toBe(201);
  const load = made.body.data;
  expect(load).toMatchObject({
    state: 'created',
    quantity: '18.5',
    notes: 'Extra',
    job_id: jobs[0].job_id,
    ticket: null,
    material: { name: 'Gravel' },
  });
  expect((await loadsOf(jobs[0].id)).map((one) => one.ordinality)).toEqual([load.ordinality - 1, load.ordinality]);

  const changed = await tenant.dispatcher.must('PATCH', `/v1/loads/${load.id}`, { quantity: 20, notes: null });
  expect(changed).toMatchObject({ quantity: '20', notes: null, unit_of_measure: 'Tonne' });
  expect(await tenant.dispatcher.must('GET', `/v1/loads/${load.id}`)).toMatchObject({ id: load.id, quantity: '20' });
  const listed = await tenant.dispatcher.must('GET', `/v1/orders/${orderId}/loads?filter[states][]=created`);
  expect(listed).toHaveLength(2);
  expect(listed[0].load_summary).toBeDefined();
  expect(await tenant.dispatcher.must('GET', `/v1/orders/${orderId}/loads?filter[states]=completed,canceled`)).toEqual([]);
  expect(await tenant.dispatcher.must('GET', `/v1/orders/${orderId}/loads?filter[ticket][flagged]=true`)).toEqual([]);

  expect((await tenant.driver.http('DELETE', `/v1/loads/${load.id}`)).status).toBe(403);
  expect((await tenant.dispatcher.http('DELETE', `/v1/loads/${load.id}`)).status).toBe(204);
  expect((await tenant.dispatcher.http('GET', `/v1/loads/${load.id}`)).status).toBe(404);
});

test('a load with its own route leaves the route of the job unchanged', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const waypoints = [
    { type: 'pickup', site_id: tenant.dropoff.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.pickup.id, ordinality: 1 },
  ];
  const load = await tenant.dispatcher.must('POST', `/v1/jobs/${jobs[0].id}/loads`, { waypoints });
  expect(load.waypoints.map((one: Json) => one.site.name)).toEqual(['Bridge', 'Quarry']);
  const [old] = await loadsOf(jobs[0].id);
  const moved = await tenant.dispatcher.must('PATCH', `/v1/loads/${old.id}`, {
    waypoints: [{ id: old.waypoints[0].id, site_id: tenant.dropoff.id }],
  });
  expect(moved.waypoints.map((one: Json) => one.site.name)).toEqual(['Bridge', 'Bridge']);
  const job = await tenant.dispatcher.must('GET', `/v1/jobs/${jobs[0].id}`);
  expect(job.waypoints.map((one: Json) => one.site.name)).toEqual(['Quarry', 'Bridge']);
  const bad = await tenant.dispatcher.http('POST', `/v1/jobs/${jobs[0].id}/loads`, {
    material_id: tenant.service.id,
    waypoints: [{ ...waypoints[0], site_id: tenant.service.id }],
  });
  expect(bad.body.error.errors.map((item: Json) => item.field).sort()).toEqual(['material_id', 'waypoints.0.site_id']);
});

test('a load under way cannot be deleted, and an approved one cannot be changed', async () => {
  const job = await readyJob(tenant);
  await drive(tenant.driver, job.id, 'enroute');
  const [load] = await loadsOf(job.id);
  expect((await tenant.dispatcher.http('DELETE', `/v1/loads/${load.id}`)).status).toBe(422);
  expect((await tenant.driver.http('PATCH', `/v1/loads/${load.id}`, { quantity: 3 })).status).toBe(200);
  await app.orm.em.fork().getConnection().execute('update load set approved_at = now() where id = ?', [load.id]);
  expect((await tenant.dispatcher.http('PATCH', `/v1/loads/${load.id}`, { quantity: 4 })).status).toBe(422);
});

test("the load's own path completes a load by hand; missing times stay empty", async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  const [waiting] = await loadsOf(job.id);
  const complete = (id: string) => tenant.driver.http('PUT', tenant.path(`/loads/${id}/complete`), {});
  const early = await complete(waiting.id);
  expect([early.status, early.body.error.errors[0].model, early.body.error.errors[0].event]).toEqual([409, 'Load', 'complete']);
  await drive(tenant.driver, job.id, 'enroute');
  expect((await complete(waiting.id)).body.data.state).toBe('completed');
  const [done] = await loadsOf(job.id);
  expect(done.load_summary).toMatchObject({ loaded_at: null, load_completed_at: expect.any(String) });
  expect((await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}`)).state).toBe('load_completed');
  await drive(tenant.driver, job.id, ...ONE_LOAD);
  expect((await complete(waiting.id)).status).toBe(409);
});

test("the load's own path keeps adding recurring loads", async () => {
  const job = await readyJob(tenant, { recurring_loads: true });
  await drive(tenant.driver, job.id, 'enroute');
  const [load] = await loadsOf(job.id);
  await tenant.driver.must('PUT', tenant.path(`/loads/${load.id}/complete`), {});
  expect((await loadsOf(job.id)).map((one) => one.state)).toEqual(['completed', 'created']);
});

test('two trucks of one job cannot both be under way, even concurrently', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  const answers = await Promise.all([0, 1].map(() => tenant.driver.http('PUT', `/v1/jobs/${job.id}/enroute`, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await loadsOf(job.id)).map((one) => one.state)).toEqual(['to_pickup', 'created']);
});

test('the number of a deleted load is never used again', async () => {
  const { jobs } = await acceptedOrder(tenant, { loads_per_truck: 2 });
  const call = (method: string, path: string, body?: object) => tenant.dispatcher.http(method, path, body);
  const last = (await loadsOf(jobs[0].id)).at(-1)!;
  expect((await call('DELETE', `/v1/loads/${last.id}`)).status).toBe(204);
  expect((await call('POST', `/v1/jobs/${jobs[0].id}/loads`, {})).body.data.load_id).toBe(`${jobs[0].job_id}-3`);
});

test('the stops of a load that is over are changed alone, although its order, another job and another load have them', async () => {
  const job = await readyJob(tenant, { truck_count: 2, loads_per_truck: 3 });
  await drive(tenant.driver, job.id, ...ONE_LOAD, ...ONE_LOAD);
  // From now on the job has stops of its own, and the loads that were hauled have those of the order.
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { waypoints: [{ id: job.waypoints[0].id, site_id: tenant.dropoff.id }] });
  const sites = ({ waypoints }: Json): string => waypoints.map((one: Json) => one.site.name).join('-');
  const [over] = await loadsOf(job.id);
  await tenant.dispatcher.must('PATCH', `/v1/loads/${over.id}`, { waypoints: [{ id: over.waypoints[1].id, site_id: tenant.pickup.id }] });
  expect((await loadsOf(job.id)).map(sites)).toEqual(['Quarry-Quarry', 'Quarry-Bridge', 'Bridge-Bridge']);
  expect(sites(await tenant.dispatcher.must('GET', `/v1/orders/${job.order.id}`))).toBe('Quarry-Bridge');
  const jobs: Json[] = await tenant.dispatcher.must('GET', `/v1/orders/${job.order.id}/jobs`);
  expect(jobs.map(sites).sort()).toEqual(['Bridge-Bridge', 'Quarry-Bridge']);
});

test('a load whose own stops move once more has changed: it has another version, and a change in the feed', async () => {
  const { jobs } = await acceptedOrder(tenant);
  const [{ id, waypoints }] = await loadsOf(jobs[0].id);
  const move = (stops: Json[], site: string) =>
    tenant.must('PATCH', `/v1/loads/${id}`, { waypoints: stops.map((stop) => ({ id: stop.id, site_id: site })) });
  const first = await move(waypoints, tenant.dropoff.id);
  const copy = await new Replica(tenant, tenant.token).begin();
  const second = await move(first.waypoints, tenant.pickup.id);
  expect(second.waypoints.map(({ id: stop }: Json) => stop)).toEqual(first.waypoints.map(({ id: stop }: Json) => stop));
  expect(second.version).toBeGreaterThan(first.version);
  await copy.follow();
  expect(copy.records.get(`Load ${id}`)).toEqual(second);
});
