import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Replica } from '../../events/follower.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const jobsOf = async (order: Json): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));

test('a value that dispatch set on a job stays when another field of the order changes', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, job_notes: 'all' });
  const [first] = await jobsOf(order);
  const own = { notes: 'own', job_start_at: '2026-11-23T18:00:00.000Z', material_id: tenant.material.id, job_time: 33 };
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, own);
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { zone: 'new' });
  const [job, twin] = await jobsOf(order);
  expect(job).toMatchObject({ notes: 'own', job_start_at: own.job_start_at, material: { id: tenant.material.id }, job_time: 33 });
  expect(twin).toMatchObject({ notes: 'all', job_start_at: '2026-11-23T12:00:00.000Z', material: null });
});

test('jobs follow a change of the order, except in fields that were set on the job, until these are set to the same value again', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, job_notes: 'all' });
  const [first] = await jobsOf(order);
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { notes: 'own', job_time: 33 });
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { job_notes: 'new' });
  expect((await jobsOf(order)).map((job) => [job.notes, job.job_time])).toEqual([
    ['own', 33],
    ['new', null],
  ]);
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { notes: 'new' });
  await tenant.must('PATCH', `/v1/orders/${order.id}`, {
    job_notes: 'newer',
    job_start_at: '2026-11-23T15:00:00.000Z',
    driver_rate_value: 41,
  });
  expect((await jobsOf(order)).map((job) => job.notes)).toEqual(['newer', 'newer']);
});

test('a start and a rate that were set on a job are not replaced by the order’s, and the rate counts as the job’s', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_rate_value: 30, driver_rate_type: 'RatePerHour' });
  const [first] = await jobsOf(order);
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { job_start_at: '2026-11-23T20:00:00.000Z', driver_rate_value: 35 });
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { load_at: '2026-11-24T12:00:00.000Z', driver_rate_value: 42 });
  expect((await jobsOf(order)).map((job) => [job.job_start_at, job.driver_rate_value])).toEqual([
    ['2026-11-23T20:00:00.000Z', '35'],
    ['2026-11-24T12:00:00.000Z', '42'],
  ]);
  expect((await tenant.must('GET', `/v1/jobs/${first.id}/applied_rates`)).driver).toMatchObject({ source: 'job', value: '35' });
});

test('trucks already on the road keep their terms', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_id: tenant.driver.id, job_notes: 'all' });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [first] = await jobsOf(order);
  await tenant.must('PUT', `/v1/jobs/${first.id}/enroute`, {});
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { job_notes: 'new' });
  expect((await jobsOf(order)).map((job) => job.notes)).toEqual(['all', 'new']);
});

test('work that is over keeps its stops when those of the order move, and trucks on the road go there', async () => {
  const order = await makeOrder(tenant, { truck_count: 3, driver_id: tenant.driver.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [done, road] = await jobsOf(order);
  for (const event of ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete'])
    await tenant.must('PUT', `/v1/jobs/${done.id}/${event}`, {});
  for (const event of ['enroute', 'arrive']) await tenant.must('PUT', `/v1/jobs/${road.id}/${event}`, {});
  const sites = ({ waypoints }: Json): string => waypoints.map(({ site }: Json) => site.name).join('-');
  const loads = async (): Promise<string[]> => (await tenant.must('GET', `/v1/orders/${order.id}/loads`)).map(sites).sort();
  const move = (stop: object) => tenant.must('PATCH', `/v1/orders/${order.id}`, { waypoints: [{ id: order.waypoints[0].id, ...stop }] });
  await move({ contact: { name: 'Pat' } });
  expect((await jobsOf(order)).map(({ waypoints }) => waypoints[0].contact.name)).toEqual(['Pat', 'Pat', 'Pat']);
  expect(sites(await move({ site_id: tenant.dropoff.id }))).toBe('Bridge-Bridge');
  expect((await jobsOf(order)).map(sites)).toEqual(['Quarry-Bridge', 'Bridge-Bridge', 'Bridge-Bridge']);
  expect(await loads()).toEqual(['Bridge-Bridge', 'Bridge-Bridge', 'Quarry-Bridge']);
  for (const event of ['load_material', 'enroute', 'arrive', 'unload_material', 'complete'])
    await tenant.must('PUT', `/v1/jobs/${road.id}/${event}`, {});
  expect((await jobsOf(order)).slice(0, 2).map(({ state }) => state)).toEqual(['completed', 'completed']);
});

test('a truck on the road whose stops move with those of its order has changed: with its loads it is in the feed, and is found by what changed since', async () => {
  const own = await makeTenant(app);
  const order = await makeOrder(own, { truck_count: 2, loads_per_truck: 2, driver_id: own.driver.id });
  await own.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [road, other]: Json[] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  await own.must('PUT', `/v1/jobs/${road.id}/enroute`, {});
  await own.must('PATCH', `/v1/jobs/${other.id}`, { waypoints: [{ type: 'pickup', ordinality: 0, site_id: own.dropoff.id }] });
  const copy = await new Replica(own, own.token).begin();
  const since = new Date().toISOString();
  const waypoints = [{ id: order.waypoints[0].id, site_id: own.dropoff.id }];
  await own.must('PATCH', `/v1/orders/${order.id}`, { waypoints });
  expect((await copy.follow()).filter((one) => one.startsWith('Load'))).toHaveLength(4);
  const jobs: Json[] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  for (const job of jobs) expect(copy.records.get(`Job ${job.id}`)).toEqual(job);
  for (const load of await own.must('GET', `/v1/jobs/${road.id}/loads`)) {
    const { load_summary: _, ...said } = load;
    expect(copy.records.get(`Load ${load.id}`)).toEqual(said);
  }
  const found: Json[] = await own.must('GET', `/v1/jobs?filter[updated_since]=${since}`);
  expect(found.map(({ id }) => id)).toContain(road.id);
});
