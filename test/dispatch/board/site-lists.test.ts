import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { JobEvent } from '../../../src/dispatch/model/job-event.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, drive, jobOf, makeChain, type StaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const names = async (path: string) => (await tenant.must('GET', path)).map((one: Json) => one.name);

test('the typeahead offers active sites by name, and others on request', async () => {
  const mine = await makeTenant(app);
  const own = { company: ref(mine.company) };
  const plant = await mine.save(Site, { ...own, name: 'Wash Plant', siteType: 'Plant', externalId: 'WP-7' });
  await mine.save(Site, { ...own, name: 'Old plant', siteType: 'Plant', state: 'inactive' });
  await mine.save(Site, { ...own, name: 'Gone plant', discardedAt: new Date() });
  const offered = async (query: string) => (await mine.must('GET', `/v1/sites/typeahead?${query}`)).map((one: Json) => one.name);
  expect(await mine.must('GET', mine.path('/sites/typeahead?search[query]=plant wash'))).toEqual([
    { id: plant.id, name: 'Wash Plant', external_id: 'WP-7', company_share: null },
  ]);
  expect(await offered('')).toEqual(['Bridge', 'Quarry', 'Wash Plant']);
  expect(await offered('filter[states][]=inactive&filter[states][]=active&search[query]=PLANT')).toEqual(['Old plant', 'Wash Plant']);
  expect(await offered('filter[site_types][]=Plant')).toEqual(['Wash Plant']);
  expect((await mine.http('GET', '/v1/sites/typeahead?filter[states][]=asleep')).status).toBe(422);
});

test('the dispatch lists offer the sites at which the jobs of the filter stop', async () => {
  const far = await tenant.save(Site, { company: ref(tenant.company), name: 'Far pit' });
  await tenant.save(Site, { company: ref(tenant.company), name: 'Never used' });
  const order = await makeOrder(tenant);
  await makeOrder(tenant, {
    waypoints: [
      { type: 'pickup', site_id: far.id, ordinality: 0 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
    ],
    load_at: '2026-12-24T12:00:00.000Z',
  });
  for (const list of ['/v1/sites/dispatch', tenant.path('/sites/dispatch'), '/v1/sites/dispatch/typeahead']) {
    expect(await names(list)).toEqual(['Bridge', 'Far pit', 'Quarry']);
    expect(await names(`${list}?facet[filter][waypoint][type]=pickup`)).toEqual(['Far pit', 'Quarry']);
    expect(await names(`${list}?facet[search][query]=bri`)).toEqual(['Bridge']);
    expect(await names(`${list}?filter[job][pickup_site_ids][]=${far.id}`)).toEqual(['Bridge', 'Far pit']);
    expect(await names(`${list}?filter[job][start_date]=2026-12-01`)).toEqual(['Bridge', 'Far pit']);
    expect(await names(`${list}?search[job][datagrid]=${order.order_id}-1`)).toEqual(['Bridge', 'Quarry']);
    expect((await tenant.http('GET', `${list}?filter[job][driver_ids][]=nobody`)).status).toBe(422);
  }
  const { statements } = await app.countStatements(() => names('/v1/sites/dispatch'));
  expect(statements).toHaveLength(1);
  const child = await makeTenant(app);
  expect((await child.must('GET', '/v1/sites/dispatch')).length).toBe(0);
});

test('site statistics count trucks', async () => {
  const mine = await makeTenant(app, { company: { timeZone: zoneAt(12) } });
  const stats = () => mine.must('GET', mine.path(`/sites/${mine.pickup.id}/stats`));
  expect(await stats()).toEqual({
    id: mine.pickup.id,
    site: expect.objectContaining({ id: mine.pickup.id, name: 'Quarry' }),
    on_site_equipment_count: 0,
    en_route_equipment_count: 0,
    avg_onsite_time_minutes: 0,
    last_geofence_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const order = await makeOrder(mine, { truck_count: 4, load_at: new Date().toISOString() });
  const jobs = await mine.must('GET', `/v1/orders/${order.id}/jobs`);
  const em = app.orm.em.fork();
  const set = async (at: number, fields: object) =>
    em.nativeUpdate(Load, { job: jobs[at].id }, fields as never, { filters: { tenant: false } });
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await set(0, { state: 'arrived_pickup' });
  await set(1, { state: 'to_pickup' });
  await set(2, { state: 'to_dropoff', loadSummary: { arrivedPickupAt: minutesAgo(60), loadedAt: minutesAgo(40) } });
  await set(3, { state: 'completed', loadSummary: { arrivedPickupAt: minutesAgo(60), loadedAt: minutesAgo(50) } });
  const load = await em.findOneOrFail(Load, { job: jobs[2].id }, { filters: { tenant: false } });
  await mine.save(JobEvent, {
    companyId: mine.company.id,
    job: ref(Job, jobs[2].id),
    loadId: load.id,
    eventName: 'AtPickup',
    state: 'arrived_pickup',
    eventSource: 'geofence',
    occurredAt: new Date('2026-11-20T10:00:00Z'),
    createdByType: 'System',
  });
  expect(await stats()).toMatchObject({
    on_site_equipment_count: 1,
    en_route_equipment_count: 1,
    avg_onsite_time_minutes: 15,
    last_geofence_at: '2026-11-20T10:00:00.000Z',
  });
  expect(await mine.must('GET', mine.path(`/sites/${mine.dropoff.id}/stats`))).toMatchObject({
    en_route_equipment_count: 1,
    last_geofence_at: expect.anything(),
  });
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', stranger.path(`/sites/${mine.pickup.id}/stats`))).status).toBe(404);
});

test('a company counts its trucks at a site that is shared with it, whoever owns their work', async () => {
  const { owner, middle, last, hired } = await makeChain(app);
  await share(owner, middle, 'Site', owner.pickup.id);
  const { id } = await jobOf(owner, { load_at: new Date().toISOString() });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await middle.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: middle.driver.id });
  await act(middle, id, 'request');
  await drive(middle.driver, id, 'accept', 'enroute');
  const counts = async (of: StaffedTenant) => {
    const stats = await of.must('GET', of.path(`/sites/${owner.pickup.id}/stats`));
    return [stats.en_route_equipment_count, stats.on_site_equipment_count];
  };
  expect([await counts(owner), await counts(middle)]).toEqual(Array(2).fill([1, 0]));
  await drive(middle.driver, id, 'arrive');
  expect([await counts(owner), await counts(middle)]).toEqual(Array(2).fill([0, 1]));
  expect((await last.http('GET', last.path(`/sites/${owner.pickup.id}/stats`))).status).toBe(404);
});
