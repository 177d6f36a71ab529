import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { makeRoad, type Road } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const became = async (road: Road) =>
  (await road.triggers()).map(({ geofence_trigger_type: type, waypoint_type: place, state, skip_reason: reason }) =>
    [type, place, state, ...(reason ? [reason] : [])].join(' '),
  );
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
