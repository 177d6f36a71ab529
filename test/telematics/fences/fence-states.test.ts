import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { subscribed } from '../../events/subscribed.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, orderInput, type Person, type Tenant } from '../../helpers/tenant.ts';
import { became, makeRoad, type Road, settled } from './road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const eventsOf = async (road: Road) =>
  (await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`))
    .filter(({ event_source }: { event_source: string }) => event_source === 'geofence')
    .map(({ event_name }: { event_name: string }) => event_name)
    .toReversed();

test('a load is driven by positions alone, from accepted to completed, with the times of the crossings', async () => {
  const road = await makeRoad(tenant);
  await road.go([0, -1_000], [3, 0]);
  // Inside, and not for a minute yet.
  expect((await road.job()).state).toBe('accepted');
  await road.go([3.5, 0], [20, 0]);
  expect((await road.job()).state).toBe('arrived_pickup');
  await road.go([20.5, 300], [30, 4_500]);
  expect((await road.job()).state).toBe('to_dropoff');
  await road.go([30.5, 5_000], [40, 5_000]);
  expect((await road.job()).state).toBe('arrived_dropoff');
  await road.go([40.5, 4_700], [44, 3_000]);
  expect(await became(road)).toEqual(['enter pickup applied', 'exit pickup applied', 'enter drop_off applied', 'exit drop_off applied']);
  const { state, load_summary: stamps, needs_review } = await road.load();
  expect(state).toBe('completed');
  expect(stamps).toEqual(
    expect.objectContaining({
      ...{ arrived_pickup_at: road.at(3), loaded_at: road.at(20.5), arrived_dropoff_at: road.at(30.5), unloaded_at: road.at(40.5) },
      ...{ load_completed_at: road.at(40.5), pickup_time_minutes: 17, dropoff_time_minutes: 10 },
    }),
  );
  expect(needs_review).toBeFalsy();
  expect((await road.job()).state).toBe('load_completed');
  expect(await eventsOf(road)).toEqual(
    expect.arrayContaining(['ToPickup', 'AtPickup', 'GeofenceEntered', 'GeofenceExited', 'LoadCompleted']),
  );
});

test("a person's event goes before that of a geofence, and a late one fills only a time that nobody noted", async () => {
  const road = await makeRoad(tenant);
  await road.press('enroute', 0);
  await road.press('arrive', 2);
  await road.go([1, 0], [8, 0]);
  expect(await became(road)).toEqual(['enter pickup skipped done_by_hand']);
  await road.press('load_material', 9);
  await road.press('enroute', 12);
  await road.go([10, 400], [11.5, 900]);
  expect((await became(road)).at(-1)).toBe('exit pickup skipped done_by_hand');
  await road.press('unload_material', 40);
  await road.go([30, 5_000], [33, 5_000]);
  expect((await became(road)).at(-1)).toMatch(/^enter drop_off skipped/);
  expect((await road.load()).load_summary).toEqual(
    expect.objectContaining({
      arrived_pickup_at: road.at(2),
      loaded_at: road.at(9),
      arrived_dropoff_at: road.at(40),
      unloaded_at: road.at(40),
    }),
  );
});

test('a crossing changes nothing where the work does not allow it, and says why', async () => {
  const reason = async (more: Parameters<typeof makeRoad>[1], prepare: (road: Road) => Promise<unknown> = async () => undefined) => {
    const road = await makeRoad(tenant, more);
    await prepare(road);
    await road.go([0, 0], [2, 0]);
    return (await became(road)).at(-1);
  };
  const { id: subscription } = await subscribed(tenant, 'Job::error');
  expect(await reason({ accept: false })).toBe('enter pickup skipped not_accepted');
  const path = (road: Road, rest: string) =>
    tenant.must('PUT', `/v1/${rest.replace('{job}', road.jobId).replace('{order}', road.orderId)}`, {});
  expect(await reason({}, (road) => path(road, 'orders/{order}/hold'))).toBe('enter pickup skipped order_on_hold');
  expect(await reason({}, (road) => path(road, 'jobs/{job}/complete'))).toBe('enter pickup skipped over');
  expect(
    await reason({}, async (road) => {
      await road.press('enroute', 0);
      await path(road, 'jobs/{job}/pause');
    }),
  ).toBe('enter pickup skipped paused');
  // Of what somebody could have avoided those learn who wait for failures.
  const deliveries = await app.orm.em
    .fork()
    .getConnection()
    .execute('select change from webhook_delivery where subscription_id = ? order by created_at, id', [subscription]);
  expect(deliveries.map(({ change }: Json) => change)).toEqual([
    { automation: 'geofence', reason: 'not_accepted' },
    { automation: 'geofence', reason: 'order_on_hold' },
  ]);
  // Two minutes outside, and the truck was there for less than a minute.
  const short = await makeRoad(tenant, { order: { geofence_delay_seconds: 0 } });
  await short.drive([0, -400], [0.4, 0], [0.5, 0], [1, 400], [1.2, 500]);
  expect(await became(short)).toEqual(['enter pickup applied', 'exit pickup proposed too_short']);
  // On the road past the pit.
  const past = await makeRoad(tenant);
  await past.drive([0, -400], [0.5, 400], [1, 1_200]);
  expect(await became(past)).toEqual(['enter pickup skipped crossed']);
});

const METRE = 180 / Math.PI / 6_371_008.8;
const graphql = async (by: Pick<Person, 'gql'>, query: string, variables: object): Promise<Json> => {
  const { data, errors } = await by.gql(query, variables as Record<string, unknown>);
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
};

/** The acts of a new user, by either interface alone. */
interface Client {
  site(name: string, lat: string, lon: string): Promise<string>;
  order(driverId: string, loadAt: string, from: string, to: string): Promise<{ order: string; job: string }>;
  accept(driver: Person, order: string, job: string): Promise<void>;
  duty(driver: Person, state: string, occurredAt: string): Promise<{ id: string }>;
  report(driver: Person, jobId: string, way: { at: string; lat: string; lon: string }[]): Promise<void>;
  states(job: string): Promise<{ job: string; load: string }>;
  approve(by: Person, day: string): Promise<{ approved: boolean; minutes: number }>;
}

const REST: Client = {
  site: async (name, lat, lon) => (await tenant.must('POST', '/v1/sites', { name, lat, lon })).id,
  async order(driver_id, load_at, from, to) {
    const waypoints = [from, to].map((site_id, ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', site_id, ordinality }));
    const { id } = await tenant.must(
      'POST',
      '/v1/orders',
      orderInput(tenant, { driver_id, load_at, waypoints, geofence_delay_seconds: 60 }),
    );
    const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
    return { order: id, job: job.id };
  },
  async accept(driver, order, job) {
    await tenant.must('PUT', `/v1/orders/${order}/accept`, {});
    await driver.must('PUT', `/v1/jobs/${job}/accept`, {});
  },
  duty: (driver, state, occurred_at) => driver.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at }),
  report: (driver, job_id, way) =>
    driver.must('POST', '/v1/users/me/locations', {
      device_id: 'phone',
      locations: way.map(({ at: occurred_at, lat, lon }) => ({ occurred_at, lat, lon, job_id, accuracy: 8 })),
    }),
  async states(job) {
    const { state } = await tenant.must('GET', `/v1/jobs/${job}`);
    return { job: state, load: (await tenant.must('GET', `/v1/jobs/${job}/loads`))[0].state };
  },
  async approve(by, day) {
    const { approved, total_shift_minutes: minutes } = await by.must('PUT', `/v1/driver_days/${day}/approve`, {});
    return { approved, minutes };
  },
};
const GRAPHQL: Client = {
  site: async (name, lat, lon) =>
    (await graphql(tenant, 'mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }', { input: { name, lat, lon } })).id,
  async order(driverId, loadAt, from, to) {
    const waypoints = [from, to].map((siteId, ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', siteId, ordinality }));
    const input = {
      driverId,
      loadAt,
      waypoints,
      geofenceDelaySeconds: 60,
      truckCount: 1,
      truckDelay: 0,
      accountId: tenant.account.id,
      serviceId: tenant.service.id,
    };
    const query = 'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { id jobs { nodes { id } } } }';
    const { id, jobs } = await graphql(tenant, query, { input });
    return { order: id, job: jobs.nodes[0].id };
  },
  async accept(driver, order, job) {
    await graphql(tenant, 'mutation ($id: ID!) { acceptOrder(id: $id) { id } }', { id: order });
    await graphql(driver, 'mutation ($id: ID!) { acceptJob(id: $id) { id } }', { id: job });
  },
  duty: (driver, state, occurredAt) =>
    graphql(driver, 'mutation ($state: DriverState!, $input: DriverStateInput) { setMyDriverDay(state: $state, input: $input) { id } }', {
      state,
      input: { occurredAt },
    }),
  report: (driver, jobId, way) =>
    graphql(driver, 'mutation ($input: MobileDeviceLocationsInput!) { recordPositions(input: $input) }', {
      input: { deviceId: 'phone', locations: way.map(({ at: occurredAt, ...place }) => ({ occurredAt, ...place, jobId, accuracy: 8 })) },
    }),
  async states(id) {
    const { state, loads } = await graphql(tenant, 'query ($id: ID!) { job(id: $id) { state loads { nodes { state } } } }', { id });
    return { job: state, load: loads.nodes[0].state };
  },
  async approve(by, id) {
    const query = 'mutation ($id: ID!) { approveDriverDay(id: $id) { approved totalShiftMinutes warnings { number } } }';
    const { approved, totalShiftMinutes: minutes } = await graphql(by, query, { id });
    return { approved, minutes };
  },
};

test.each([
  ['REST', REST],
  ['GraphQL', GRAPHQL],
])('by %s alone: a shift with a break, a load that positions drive from accepted to completed, and its approval', async (name, client) => {
  const began = Date.now() - 120 * 60_000;
  const at = (minutes: number) => new Date(began + minutes * 60_000).toISOString();
  const [lat, lon] = [31, name === 'REST' ? '-101' : '-102'];
  const north = (metres: number) => (lat + metres * METRE).toFixed(9);
  const [pit, bridge] = [await client.site('Pit', north(0), lon), await client.site('Bridge', north(5_000), lon)];
  const driver = await tenant.person({ roles: ['driver'] });
  const { order, job } = await client.order(driver.id, at(0), pit, bridge);
  await client.accept(driver, order, job);
  await client.duty(driver, 'on_duty', at(-30));
  const stay = (from: number, to: number, metres: number) =>
    Array.from({ length: (to - from) * 2 + 1 }, (_, i) => ({ at: at(from + i / 2), lat: north(metres), lon }));
  await client.report(driver, job, [...stay(0, 1, -800), ...stay(3, 20, 0), ...stay(22, 24, 2_500)]);
  await settled(tenant);
  expect(await client.states(job)).toEqual({ job: 'to_dropoff', load: 'to_dropoff' });
  await client.report(driver, job, [...stay(30, 40, 5_000), ...stay(42, 44, 3_000)]);
  await settled(tenant);
  expect((await client.states(job)).load).toBe('completed');
  await client.duty(driver, 'break', at(60));
  await client.duty(driver, 'on_duty', at(90));
  const { id } = await client.duty(driver, 'off_duty', at(110));
  const biller = await tenant.person({ roles: ['biller'] });
  expect(await client.approve(biller, id)).toEqual({ approved: true, minutes: 140 });
});
