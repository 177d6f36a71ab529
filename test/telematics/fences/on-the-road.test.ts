// Rows of PROOF A12 that happen on the road.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { remind } from '../../../src/dispatch/notifications/remind.ts';
import { Decimal } from '../../../src/platform/decimal.ts';
import { LocationHistory } from '../../../src/telematics/positions/location-history.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { makeRoad, type Road, settled } from './road.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = <T extends object>(text: string, values: unknown[] = []) => app.orm.em.fork().execute<T[]>(text, values);
const crossings = async (road: Road) =>
  (await road.triggers())
    .filter(({ state }) => state !== 'superseded')
    .map(({ geofence_trigger_type: type, waypoint_type: place, occurred_at: at }) => [type, place, new Date(at).toISOString()]);
const STEPS = ['ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted'];
const stepsOf = async (road: Road): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`)).filter((one: Json) => STEPS.includes(one.event_name));

test('A12: a truck that waits at the gate, inside the geofence of the neighbour pit, is nowhere yet', async () => {
  const road = await makeRoad(tenant);
  await road.site('Neighbour', 400);
  await road.go([0, 400], [15, 400]);
  expect([await crossings(road), (await road.job()).state]).toEqual([[], 'accepted']);
  await road.go([16, 0], [18, 0]);
  expect([await crossings(road), (await road.job()).state]).toEqual([[['enter', 'pickup', road.at(16)]], 'arrived_pickup']);
});

test('A12: who drives past the plant on the highway does not enter it, however slowly, within the delay', async () => {
  const road = await makeRoad(tenant);
  // Three positions in 40 seconds are inside, and the delay is a minute.
  await road.drive([0, -400], [1 / 3, -120], [2 / 3, 0], [1, 120], [4 / 3, 400], [2, 1_200], [3, 2_000]);
  expect(await crossings(road)).toEqual([]);
  const queue = await makeRoad(tenant, { order: { geofence_delay_seconds: 300 } });
  await queue.go([0, -140], [4.5, 140]);
  await queue.go([5.5, 400], [11, 2_000]);
  expect([await crossings(queue), (await queue.job()).state]).toEqual([[], 'accepted']);
});

/** The truck of two roads reports where it is, as its fleet sends it. */
async function fleetOf(truckId: string) {
  const { data } = await tenant.gql(
    'mutation($input: ConnectTelematicsFleetInput!) { connectTelematicsFleet(input: $input) { id pushUrl pushPassword } }',
    { input: { name: 'Trucks', provider: 'verizon_reveal' } },
  );
  const { id, pushUrl, pushPassword } = data.connectTelematicsFleet;
  const Authorization = `Basic ${btoa(`${id}:${pushPassword}`)}`;
  const send = async (messages: Json[]) => {
    const body = JSON.stringify(messages.map((one) => ({ VehicleNumber: 'T7', VehicleName: 'Truck 7', Speed: 20, Heading: 0, ...one })));
    expect((await app.http('POST', new URL(pushUrl).pathname, { body, headers: { Authorization } })).status).toBe(204);
  };
  await send([{ Latitude: 1, Longitude: 1, UpdateUtc: new Date().toISOString() }]);
  const [vehicle] = await tenant.must('GET', `/v1/telematics/fleets/${id}/remote_vehicles`);
  await tenant.must('PATCH', `/v1/telematics/remote_vehicles/${vehicle.id}`, { equipment_id: truckId });
  await sql("update telematics_remote_vehicle set linked_at = now() - interval '1 day' where id = ?", [vehicle.id]);
  return send;
}

test('A12: of two drivers who share a truck on one day, each is where the truck was while they had the job', async () => {
  const type = await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const truck = await tenant.must('POST', '/v1/equipment', { name: 'Truck 7', equipment_type_id: type.id });
  const send = await fleetOf(truck.id);
  const first = await makeRoad(tenant, { duty: false, order: { equipment_id: truck.id } });
  const { waypoints } = await tenant.must('GET', `/v1/orders/${first.orderId}`);
  const same = waypoints.map(({ type, site, ordinality }: Json) => ({ type, site_id: site.id, ordinality }));
  // The second one goes to the same pit, an hour later.
  const second = await makeRoad(tenant, {
    ...{ duty: false, accept: false },
    order: { equipment_id: truck.id, waypoints: same, load_at: first.at(60) },
  });
  const { lat, lon } = await tenant.must('GET', `/v1/sites/${same[0].site_id}`);
  const bridge = await tenant.must('GET', `/v1/sites/${same[1].site_id}`);
  const work = async (road: Road, from: number) => {
    await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(from - 5) });
    await road.press('enroute', from);
  };
  await work(first, 0);
  const stays = (from: number, until: number, at: { lat: string; lon: string }) =>
    Array.from({ length: (until - from) * 2 + 1 }, (_, i) => ({
      ...{ UpdateUtc: first.at(from + i / 2), Latitude: Number(at.lat), Longitude: Number(at.lon) },
    }));
  const away = { lat: String((Number(lat) + Number(bridge.lat)) / 2), lon };
  const turn = (from: number) => [
    ...[...stays(from + 1, from + 2, away), ...stays(from + 3, from + 8, { lat, lon }), ...stays(from + 10, from + 12, away)],
    ...[...stays(from + 15, from + 20, bridge), ...stays(from + 22, from + 25, away)],
  ];
  await send(turn(0));
  await settled(tenant);
  expect((await first.load()).state).toBe('completed');
  await first.driver.must('PUT', `/v1/jobs/${first.jobId}/complete`, {});
  // As if it had been completed before the second driver took the truck.
  await sql("update job_event set occurred_at = ? where job_id = ? and event_name = 'JobCompleted'", [first.at(30), first.jobId]);
  await sql('update job set state_changed_at = ? where id = ?', [first.at(30), first.jobId]);
  await second.driver.must('PUT', `/v1/jobs/${second.jobId}/accept`, {});
  await work(second, 60);
  await send([...turn(60), ...turn(0)]);
  await settled(tenant);
  const [one, other] = [await crossings(first), await crossings(second)];
  const expected = (from: number) => [
    ['enter', 'pickup', first.at(from + 3)],
    ['exit', 'pickup', first.at(from + 10)],
    ['enter', 'drop_off', first.at(from + 15)],
    ['exit', 'drop_off', first.at(from + 22)],
  ];
  expect([one, other]).toEqual([expected(0), expected(60)]);
  const dayOf = async (road: Road) => road.driver.must('GET', '/v1/users/me/driver_day');
  const days = [await dayOf(first), await dayOf(second)];
  expect(days.map(({ driver, jobs_count }) => [driver.id, jobs_count])).toEqual([
    [first.driver.id, 1],
    [second.driver.id, 1],
  ]);
});

test('A12: a paver moves 400 m while three trucks stand, and none of them has left', async () => {
  const type = await tenant.must('POST', '/v1/equipment_types', { name: 'Paver' });
  const paver = await tenant.must('POST', '/v1/equipment', { name: 'P-1', equipment_type_id: type.id });
  const north = (metres: number) => (30.5 + (metres / 6_371_008.8) * (180 / Math.PI)).toFixed(9);
  const pit = await tenant.must('POST', '/v1/sites', { name: 'Pit of the paver', lat: north(-9_000), lon: '-99.5' });
  const site = await tenant.must('POST', '/v1/sites', {
    ...{ name: 'Paving', lat: north(0), lon: '-99.5', moving_site: { equipment_id: paver.id, polling_interval_seconds: 60 } },
    routing_geofence: { moving_geofence: true, geofence: { circle_radius: 100 } },
  });
  const waypoints = [pit, site].map(({ id }, ordinality) => ({ type: ordinality === 0 ? 'pickup' : 'drop_off', site_id: id, ordinality }));
  const roads: Road[] = [];
  for (let n = 0; n < 3; n++) roads.push(await makeRoad(tenant, { order: { waypoints } }));
  for (const road of roads)
    for (const [event, minutes] of [
      ['enroute', 0],
      ['arrive', 2],
      ['load_material', 5],
      ['enroute', 6],
    ] as const)
      await road.press(event, minutes);
  // It does not move until minute 20, and is 400 m further five minutes later.
  const metres = (minute: number) => Math.min(400, Math.max(0, (minute - 20) * 80));
  const at = roads[0]!.at;
  const em = app.orm.em.fork();
  for (let minute = 0; minute <= 40; minute++)
    em.create(LocationHistory, {
      ...{ companyId: tenant.company.id, equipmentId: paver.id, deviceId: 'paver', source: 'telematics', occurredAt: new Date(at(minute)) },
      ...{ lat: new Decimal(north(metres(minute))), lon: new Decimal('-99.5') },
    } as never);
  await em.flush();
  const times = Array.from({ length: 51 }, (_, i) => 10 + i / 2);
  for (const road of roads) {
    const locations = times.map((minutes) => ({
      ...{ occurred_at: road.at(minutes), lat: north(minutes < 12 ? -500 : 0), lon: '-99.5', job_id: road.jobId, accuracy: 8 },
    }));
    await road.driver.must('POST', '/v1/users/me/locations', { device_id: 'phone', locations });
  }
  await settled(tenant);
  for (const road of roads) {
    const found = (await road.triggers()).map(({ geofence_trigger_type: type, state, skip_reason: reason, caused_by: by }) => [
      type,
      state,
      reason,
      by,
    ]);
    // That the paver is gone is known, and moves no job.
    expect(found).toEqual([
      ['enter', 'applied', null, 'asset'],
      ['exit', 'skipped', 'fence_moved', 'fence'],
    ]);
    expect([(await road.job()).state, (await road.load()).state]).toEqual(['arrived_dropoff', 'arrived_dropoff']);
  }
});

test('A12: a telephone that was offline for two hours sends 240 positions and nine events, and nothing happens twice', async () => {
  const turns: [string, number][] = [
    ...[['enroute', 2] as const, ['arrive', 10] as const, ['load_material', 20] as const, ['enroute', 21] as const],
    ...[['arrive', 40] as const, ['unload_material', 55] as const, ['complete_load', 56] as const],
    ...[['enroute', 58] as const, ['arrive', 90] as const],
  ] as [string, number][];
  const way = Array.from({ length: 240 }, (_, i): [number, number] => {
    const minute = i / 2;
    const metres = minute < 10 || (minute >= 56 && minute < 90) ? -1_000 : minute < 21 || minute >= 90 ? 0 : minute < 40 ? 2_500 : 5_000;
    return [minute, metres];
  });
  const report = async (road: Road, ids: readonly string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const [at, [event, minute]] of turns.entries())
      statuses.push(
        (await road.driver.http('PUT', `/v1/jobs/${road.jobId}/${event}`, { id: ids[at], occurred_at: road.at(minute) })).status,
      );
    return statuses;
  };
  for (const positionsFirst of [false, true]) {
    const road = await makeRoad(tenant);
    const ids = turns.map(() => randomUUID());
    if (positionsFirst) await road.drive(...way);
    const statuses = await report(road, ids);
    await road.drive(...way.slice(120), ...way.slice(0, 130));
    await report(road, ids);
    const steps = (await stepsOf(road)).map(({ load_id, event_name }) => `${load_id} ${event_name}`);
    expect(new Set(steps).size).toBe(steps.length);
    expect(steps).toHaveLength(9);
    expect((await road.job()).state).toBe('arrived_pickup');
    const { load_summary: stamps } = await road.load();
    if (positionsFirst) {
      // The event that the geofences showed first is true, too: whoever reports it again is refused, and no time goes back.
      expect(statuses.filter((status) => ![200, 400, 409, 422].includes(status))).toEqual([]);
      expect([stamps.arrived_pickup_at, stamps.arrived_dropoff_at]).toEqual([road.at(10), road.at(40)]);
    } else {
      expect(statuses).toEqual(turns.map(() => 200));
      expect((await stepsOf(road)).map(({ id }) => id).sort()).toEqual(ids.toSorted());
      expect(stamps).toMatchObject({
        ...{ arrived_pickup_at: road.at(10), loaded_at: road.at(20), arrived_dropoff_at: road.at(40) },
        ...{ unloaded_at: road.at(55), load_completed_at: road.at(56) },
      });
    }
  }
});

test('A12: a driver who deletes the app at noon is missed once; times stay those that people note, and nothing is invented', async () => {
  const road = await makeRoad(tenant, { duty: false });
  await road.driver.must('POST', '/v1/users/me/device_tokens', { token: `${road.driver.id}-0` });
  await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(-20) });
  await road.press('enroute', 0);
  await road.go([1, -1_000], [10, -300]);
  for (let look = 0; look < 3; look++) await remind(app.productOrm.em);
  const alerts = await sql('select from notification where user_id = ? and kind = ?', [road.driver.id, 'no_location_alert']);
  expect(alerts).toHaveLength(1);
  const noted = [
    ['arrive', 20],
    ['load_material', 40],
    ['enroute', 41],
    ['arrive', 90],
    ['unload_material', 110],
    ['complete_load', 120],
  ] as const;
  for (const [event, minutes] of noted) await tenant.must('PUT', `/v1/jobs/${road.jobId}/${event}`, { occurred_at: road.at(minutes) });
  await tenant.must('PUT', `/v1/jobs/${road.jobId}/complete`, {});
  await sql('update position_task set due_at = now()');
  await app.settled();
  expect((await stepsOf(road)).every(({ event_source }) => event_source !== 'geofence')).toBe(true);
  expect(await crossings(road)).toEqual([]);
  expect((await road.load()).load_summary).toMatchObject({
    ...{ arrived_pickup_at: road.at(20), loaded_at: road.at(40), arrived_dropoff_at: road.at(90) },
    ...{ unloaded_at: road.at(110), load_completed_at: road.at(120) },
  });
  const summary = await tenant.must('GET', `/v1/jobs/${road.jobId}/summary`);
  expect(summary).toMatchObject({ gps_confidence_level: 'low', gps_total_pings: 19, first_geofence_entry_at: null });
});
