// Which job of a driver a crossing belongs to, and whose geofences are looked at (PROOF A5).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
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

/** A further accepted job of the driver of a road, between the same sites. */
async function another(road: Road, loadAt: string): Promise<string> {
  const { waypoints } = await tenant.must('GET', `/v1/orders/${road.orderId}`);
  const same = waypoints.map(({ type, site, ordinality }: Json) => ({ type, site_id: site.id, ordinality }));
  const more = { load_at: loadAt, driver_id: road.driver.id, geofence_delay_seconds: 60, waypoints: same };
  const order = await makeOrder(tenant, more);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await road.driver.must('PUT', `/v1/jobs/${id}/accept`, {});
  return id;
}

/** The driver of a road stands at its pit for some minutes. The telephone names no job. */
async function atPit(road: Road, from: number, until: number): Promise<void> {
  const { waypoints } = await tenant.must('GET', `/v1/orders/${road.orderId}`);
  const { lat, lon } = await tenant.must('GET', `/v1/sites/${waypoints[0].site.id}`);
  const locations = Array.from({ length: (until - from) * 2 + 1 }, (_, i) => ({
    occurred_at: road.at(from + i / 2),
    lat,
    lon,
    accuracy: 8,
  }));
  await road.driver.must('POST', '/v1/users/me/locations', { device_id: 'phone', locations });
  await settled(tenant);
}

const stateOf = async (jobId: string): Promise<string> => (await tenant.must('GET', `/v1/jobs/${jobId}`)).state;

test('a load that stayed open when its job ended with the shift keeps its driver from no other job', async () => {
  const road = await makeRoad(tenant);
  await road.press('enroute', 0);
  await road.press('load_material', 5);
  for (const [state, minutes] of [
    ['off_duty', 10],
    ['on_duty', 20],
  ] as const)
    await road.driver.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: road.at(minutes) });
  expect([await stateOf(road.jobId), (await road.load()).state]).toEqual(['ended', 'loaded']);
  const next = await another(road, road.at(30));
  await atPit(road, 30, 34);
  expect(await became(road)).toEqual(['enter pickup applied']);
  expect(await stateOf(next)).toBe('arrived_pickup');
});

test('a job that was begun long before its planned start is followed', async () => {
  const road = await makeRoad(tenant, { order: { load_at: new Date(Date.now() + 5 * 3_600_000).toISOString() } });
  await atPit(road, 0, 4);
  expect(await became(road)).toEqual([]);
  await road.press('enroute', 10);
  await atPit(road, 12, 16);
  expect(await became(road)).toEqual(['enter pickup applied']);
  expect(await stateOf(road.jobId)).toBe('arrived_pickup');
});

test('of two jobs at one pit the crossing is of the one that the driver accepted', async () => {
  const road = await makeRoad(tenant, { accept: false });
  const accepted = await another(road, road.at(20));
  await atPit(road, 20, 24);
  expect(await became(road)).toEqual(['enter pickup applied']);
  expect([await stateOf(accepted), ['assigned', 'sent'].includes(await stateOf(road.jobId))]).toEqual(['arrived_pickup', true]);
});

test('a job of last week that was accepted and never begun does not take the crossing of today', async () => {
  const road = await makeRoad(tenant);
  const stale = await another(road, new Date(Date.now() - 7 * 24 * 3_600_000).toISOString());
  await atPit(road, 2, 6);
  expect(await became(road)).toEqual(['enter pickup applied']);
  expect([await stateOf(road.jobId), await stateOf(stale)]).toEqual(['arrived_pickup', 'accepted']);
});
