import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { makeTicket } from '../../proof/make-ticket.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
let pit: string;
let plant: string;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
  ({ id: pit } = await tenant.must('POST', '/v1/sites', { name: 'Other pit' }));
  ({ id: plant } = await tenant.must('POST', '/v1/sites', { name: 'Other plant' }));
});
afterAll(() => app.close());

const loadsOf = async (job: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
const says = async (job: string) =>
  (await loadsOf(job)).map(({ state, waypoints }) => `${state} ${waypoints.map((one: Json) => one.site.name).join('-')}`);
const eventsOf = async (job: string, name: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${job}/job_events?page[limit]=100`)).filter((event: Json) => event.event_name === name);

/** Drives a job of two loads so far, then gives it another pickup or drop-off, or both. */
async function moved(events: string[], to: { pickup?: string; dropoff?: string }): Promise<Json> {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await drive(tenant.driver, job.id, ...events);
  return change(job, to);
}
async function change(job: Json, to: { pickup?: string; dropoff?: string }): Promise<Json> {
  const [from, until] = job.waypoints;
  const waypoints = [
    ...(to.pickup ? [{ id: from.id, site_id: to.pickup }] : []),
    ...(to.dropoff ? [{ id: until.id, site_id: to.dropoff }] : []),
  ];
  return tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { waypoints });
}

test('a truck that has not reached the site which changes goes on to the new one', async () => {
  const early = await moved(['enroute'], { pickup: pit });
  expect(early.state).toBe('to_pickup');
  expect(await says(early.id)).toEqual(['to_pickup Other pit-Bridge', 'created Other pit-Bridge']);
  const full = await moved(['enroute', 'arrive', 'load_material', 'enroute'], { dropoff: plant });
  expect(full.state).toBe('to_dropoff');
  expect(await says(full.id)).toEqual(['to_dropoff Quarry-Other plant', 'created Quarry-Other plant']);
  expect(await eventsOf(full.id, 'LoadCompleted')).toEqual([]);
});

test('an empty truck at a pickup that changes turns back: its load is canceled, and another one takes its place', async () => {
  const job = await moved(['enroute', 'arrive'], { pickup: pit });
  expect(job.state).toBe('accepted');
  expect(await says(job.id)).toEqual(['canceled Quarry-Bridge', 'created Other pit-Bridge', 'created Other pit-Bridge']);
  expect((await eventsOf(job.id, 'LoadCanceled')).map(({ payload }) => payload)).toEqual([{ reason: 'site_changed' }]);
  expect((await drive(tenant.driver, job.id, 'enroute', 'arrive')).state).toBe('arrived_pickup');

  // With a load behind it, it is between two loads; a pause ends with the load.
  const second = await moved(
    ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load', 'enroute', 'arrive', 'pause'],
    { pickup: pit },
  );
  expect(second.state).toBe('load_completed');
  expect(await eventsOf(second.id, 'JobResumed')).toHaveLength(1);
  // A completed load was hauled where it was.
  expect(await says(second.id)).toEqual(['completed Quarry-Bridge', 'canceled Quarry-Bridge', 'created Other pit-Bridge']);
});

test('a load with material whose site changes is completed where it was, and somebody looks at it', async () => {
  const loaded = await moved(['enroute', 'arrive', 'load_material'], { pickup: pit, dropoff: plant });
  expect(loaded.state).toBe('load_completed');
  expect(await says(loaded.id)).toEqual(['completed Quarry-Bridge', 'created Other pit-Other plant']);
  const [load] = await loadsOf(loaded.id);
  expect(load.load_summary).toMatchObject({ unloaded_at: null, load_completed_at: expect.any(String) });
  const [row] = await app.orm.em.getConnection().execute('select needs_review from load where id = ?', [load.id]);
  expect(row).toEqual({ needs_review: true });
  expect((await eventsOf(loaded.id, 'LoadCompleted')).map(({ payload, load_id }) => [payload, load_id])).toEqual([
    [{ reason: 'site_changed' }, load.id],
  ]);

  const unloaded = await moved(['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material'], { dropoff: plant });
  const [first] = await loadsOf(unloaded.id);
  const [other] = await app.orm.em.getConnection().execute('select state, needs_review from load where id = ?', [first.id]);
  expect(other).toEqual({ state: 'completed', needs_review: false });
});

test('a ticket proves that the truck was loaded, although its driver pressed nothing', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 1 });
  await drive(tenant.driver, job.id, 'enroute', 'arrive');
  const [load] = await loadsOf(job.id);
  await makeTicket(tenant, { order: ref(Order, job.order.id), job: ref(Job, job.id), load: ref(Load, load.id), state: 'pending' });
  expect((await change(job, { pickup: pit })).state).toBe('load_completed');
  expect(await says(job.id)).toEqual(['completed Quarry-Bridge']);
});

test('other changes of the stops close nothing, and a wrong one changes nothing', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 2 });
  await drive(tenant.driver, job.id, 'enroute', 'arrive');
  const [from] = job.waypoints;
  const contact = { name: 'Gate', phone: '+15125550143' };
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { waypoints: [{ id: from.id, contact }] });
  expect((await says(job.id))[0]).toBe('arrived_pickup Quarry-Bridge');
  const [stop] = (await tenant.must('GET', `/v1/jobs/${job.id}`)).waypoints;
  const wrong = [{ id: stop.id, site_id: '01a20890-735c-7309-a4e9-2c2cf2a04cf3' }];
  expect((await tenant.dispatcher.http('PATCH', `/v1/jobs/${job.id}`, { waypoints: wrong })).status).toBe(422);
  expect((await says(job.id))[0]).toBe('arrived_pickup Quarry-Bridge');
});
