import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { subscribed } from '../../events/subscribed.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { became, makeRoad, type Road } from './road.ts';

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
