import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inProcessWaker } from '../../../src/platform/queue/in-process-waker.ts';
import { startPositionWorker } from '../../../src/telematics/positions/position-worker.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { became, makeRoad, type Road, settled } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const undo = (jobEventId: string) =>
  tenant.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { state } }', { id: jobEventId });
const looksAt = async ({ jobId }: Road) =>
  (await tenant.gql('query ($job: ID!) { loads(jobId: $job) { nodes { needsReview } } }', { job: jobId })).data.loads.nodes.map(
    (load: { needsReview: boolean }) => load.needsReview,
  );

test('late positions that disprove an applied crossing undo nothing, and propose to undo it', async () => {
  const road = await makeRoad(tenant);
  await road.drive([0, -400], [2, 0], [2.5, 0], [3, 0]);
  expect([(await road.job()).state, await looksAt(road)]).toEqual(['arrived_pickup', [false]]);
  // In between the truck was outside again and again, as its telephone had kept for itself.
  await road.drive([2.25, 400], [2.75, 400], [3.25, 400]);
  expect(await became(road)).toEqual(['enter pickup superseded']);
  expect([(await road.job()).state, await looksAt(road)]).toEqual(['arrived_pickup', [true]]);
  const [trigger] = await road.triggers();
  const proposed = await tenant.gql('query ($job: ID!) { geofenceTriggers(jobId: $job, needsReview: true) { nodes { id undoable } } }', {
    job: road.jobId,
  });
  expect(proposed.data.geofenceTriggers.nodes).toEqual([{ id: trigger.id, undoable: true }]);
  expect((await undo(trigger.job_event_id)).data.undoAutomaticEvent.state).toBe('accepted');
  expect(await looksAt(road)).toEqual([false]);
  expect((await undo(trigger.job_event_id)).errors[0].extensions.code).toBe('conflict');
});

test('a crossing that was undone does not fire again when late positions date it anew, but after the other one', async () => {
  const road = await makeRoad(tenant);
  await road.go([3, 0], [5, 0]);
  await undo((await road.triggers())[0].job_event_id);
  await road.drive([2.5, 0]);
  expect(await became(road)).toEqual(['enter pickup skipped undone', 'enter pickup superseded undone']);
  expect((await road.job()).state).toBe('accepted');
  await road.go([6, 600], [8, 600]);
  await road.go([9, 0], [11, 0]);
  expect((await became(road)).slice(2)).toEqual(['exit pickup skipped state', 'enter pickup applied']);
  expect((await road.load()).load_summary.arrived_pickup_at).toBe(road.at(9));
});

test('A-I6: of a load that is approved in the field late crossings change nothing, and a load before it gets the time that it lacks', async () => {
  const admin = await tenant.administrator();
  const approve = (id: string, what: 'approve' | 'unapprove') =>
    tenant.must('PUT', `/v1/loads/${id}/${what}`, { approval_type: 'foreman' }, admin);
  const road = await makeRoad(tenant);
  const loads = async () =>
    (await tenant.must('GET', `/v1/jobs/${road.jobId}/loads`)).toSorted(
      (a: { ordinality: number }, b: { ordinality: number }) => a.ordinality - b.ordinality,
    );
  // Two loads, of neither of which anybody knows when it arrived at the bridge.
  for (const from of [0, 60]) {
    const steps = [0, 5, 10, 11, 30, 31].entries();
    const events = ['enroute', 'arrive', 'load_material', 'enroute', 'unload_material', 'complete_load'];
    for (const [i, minutes] of steps) await road.press(events[i]!, from + minutes);
    const { id } = (await loads()).findLast(({ state }: { state: string }) => state === 'completed');
    await tenant.must('PATCH', `/v1/loads/${id}/summary`, { arrived_dropoff_at: null });
  }
  const [first, second] = await loads();
  await approve(second.id, 'approve');
  const before = (await loads())[1];
  expect(before).toMatchObject({ approved: false, field_approved_at: expect.any(String), load_summary: { arrived_dropoff_at: null } });
  await road.go([80, 5_000], [84, 5_000]);
  expect(await became(road)).toEqual(['enter drop_off skipped approved']);
  expect((await loads())[1]).toEqual(before);
  // Of the load before it, nobody has approved anything.
  await road.go([20, 5_000], [24, 5_000]);
  await road.go([26, 4_000], [28, 3_000]);
  const [filled, kept] = await loads();
  expect([filled.id, filled.load_summary.arrived_dropoff_at, kept]).toEqual([first.id, road.at(20), before]);
  // Taken back, it follows again what comes then.
  await approve(second.id, 'unapprove');
  await road.go([75, 5_000], [79.5, 5_000]);
  expect((await loads())[1].load_summary.arrived_dropoff_at).toBe(road.at(75));
});

test('late positions that disprove a crossing of a load that is approved in the field have whoever bills look at it, and change nothing else', async () => {
  const admin = await tenant.administrator();
  const road = await makeRoad(tenant);
  await road.go([0, 0], [3, 0]);
  await road.press('load_material', 5);
  const { id } = await road.load();
  await tenant.must('PUT', tenant.path(`/loads/${id}/complete`), {});
  await tenant.must('PUT', `/v1/loads/${id}/approve`, { approval_type: 'foreman' }, admin);
  const known = async () => {
    const { state, quantity, approved, approval_status, field_approved_at, load_summary } = await road.load();
    return { state, quantity, approved, approval_status, field_approved_at, load_summary: { ...load_summary, updated_at: undefined } };
  };
  const before = await known();
  await road.drive(...[0.25, 0.75, 1.25, 1.75, 2.25, 2.75].map((minutes): [number, number] => [minutes, 400]));
  expect((await became(road))[0]).toBe('enter pickup superseded');
  expect([await looksAt(road), await known()]).toEqual([expect.arrayContaining([true]), before]);
  // It cannot be undone before the approval is taken back.
  const [trigger] = await road.triggers();
  expect((await undo(trigger.job_event_id)).errors[0].extensions.code).toBe('conflict');
  await tenant.must('PUT', `/v1/loads/${id}/approve`, {});
  expect(await looksAt(road)).not.toContain(true);
});

test('of two geofences that overlap, the drop-off waits until the pickup is left', async () => {
  const road = await makeRoad(tenant, { bridge: 200 });
  await road.go([0, 0], [5, 0]);
  await road.go([6, 100], [8, 100]);
  expect([(await road.job()).state, (await became(road)).at(-1)]).toEqual(['arrived_pickup', 'enter drop_off proposed overlap']);
  await road.go([9, 220], [11, 220]);
  expect(await became(road)).toEqual(['enter pickup applied', 'enter drop_off applied', 'exit pickup applied']);
  const { load_summary: stamps, state } = await road.load();
  expect([state, stamps.loaded_at, stamps.arrived_dropoff_at]).toEqual(['arrived_dropoff', road.at(9), road.at(9)]);
});

test('the home base stamps the day of who is on duty, and entries are counted whatever became of them', async () => {
  const road = await makeRoad(tenant, { duty: false });
  await road.site('Home', -2_000, 'EquipmentHomeBase');
  await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(-60) });
  await road.go([-10, -2_000], [-8, -2_000]);
  await road.go([-5, -1_000], [-3, -600]);
  await road.go([0, 0], [4, 0]);
  await road.go([6, 600], [8, 600]);
  // Back at the scale, and away again: nothing of the work changes, and it is an entry.
  await road.go([10, 0], [12, 0]);
  await road.go([14, 2_000], [16, 2_500]);
  await road.go([20, 5_000], [25, 5_000]);
  await road.go([27, 4_000], [30, 3_000]);
  await road.go([50, -2_000], [52, -2_000]);
  const [day] = await app.orm.em
    .getConnection()
    .execute('select first_homebase_exit_at as "left", last_homebase_entry_at as back from driver_day where driver_id = ?', [
      road.driver.id,
    ]);
  expect([day?.left, day?.back].map((at) => new Date(at as string).toISOString())).toEqual([road.at(-5), road.at(50)]);
  await tenant.must('PUT', `/v1/jobs/${road.jobId}/complete`, {});
  expect(await tenant.must('GET', `/v1/jobs/${road.jobId}/summary`)).toMatchObject({
    ...{ pickup_geofence_entry_count: 2, dropoff_geofence_entry_count: 1 },
    ...{ first_geofence_entry_at: road.at(0), last_geofence_exit_at: road.at(27) },
  });
});

test('of a company with many home bases those near the truck count, however many it made before, and the one it leaves', async () => {
  const many = await makeTenant(app);
  const road = await makeRoad(many, { duty: false });
  // Degrees away.
  for (let i = 1; i <= 21; i++) await road.site(`Far ${i}`, 100_000 * i, 'EquipmentHomeBase');
  await road.site('Home', -2_000, 'EquipmentHomeBase');
  await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(-60) });
  await road.go([-10, -2_000], [-8, -2_000]);
  // The telephone was silent until the truck was far from home.
  await road.drive([30, 100_900], [31, 101_500], [32, 102_500]);
  await road.go([90, -2_000], [92, -2_000]);
  const [day] = await app.orm.em
    .getConnection()
    .execute('select first_homebase_exit_at as "left", last_homebase_entry_at as back from driver_day where driver_id = ?', [
      road.driver.id,
    ]);
  expect([day?.left, day?.back].map((at) => at && new Date(at as string).toISOString())).toEqual([road.at(30), road.at(90)]);
});

test('whatever two workers, a person and telephones do at once, a load goes forward, and each step is noted once (A-I5, A-I6)', async () => {
  const em = app.orm.em;
  const second = startPositionWorker({ em, log: { warn: () => undefined }, waker: inProcessWaker(), sweepEvery: 20 });
  try {
    const roads = await Promise.all([0, 1, 2].map(() => makeRoad(tenant)));
    const way = (from: number, to: number, metres: number) =>
      Array.from({ length: (to - from) * 2 + 1 }, (_, i): [number, number] => [from + i / 2, metres]);
    const legs = [way(0, 4, 0), way(6, 8, 2_000), way(20, 24, 5_000), way(26, 28, 3_000)];
    await Promise.all(
      roads.flatMap((road, i) => [
        // In parts that overlap, the last of them first.
        ...legs.toReversed().map((leg) => road.drive(...leg)),
        ...legs.map((leg, at) => road.drive(...leg.slice(0, 3), ...(legs[at + 1] ?? []).slice(0, 2))),
        // A button that a person presses may come too late.
        ...(['enroute', 'arrive', 'load_material', 'enroute'] as const).map((step) =>
          road.driver.http('PUT', `/v1/jobs/${road.jobId}/${step}`, { occurred_at: road.at(i) }),
        ),
      ]),
    );
    await settled(tenant);
    for (const road of roads) {
      const { load_summary: stamps } = await road.load();
      const times = ['arrived_pickup_at', 'loaded_at', 'arrived_dropoff_at', 'unloaded_at', 'load_completed_at'].flatMap(
        (name) => stamps[name] ?? [],
      );
      expect(times).toEqual(times.toSorted());
      const events = await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`);
      const steps = events.flatMap(({ event_name: name, load_id: load }: { event_name: string; load_id: string }) =>
        ['AtPickup', 'Loaded', 'AtDropoff', 'Unloaded', 'LoadCompleted'].includes(name) ? `${load} ${name}` : [],
      );
      expect(steps.length).toBe(new Set(steps).size);
      // However the positions came, the crossings are those of the whole way.
      const seen = (await road.triggers()).filter(({ state }) => state !== 'superseded');
      expect(
        seen.map(({ geofence_trigger_type, waypoint_type, occurred_at }) => [
          geofence_trigger_type,
          waypoint_type,
          new Date(occurred_at).toISOString(),
        ]),
      ).toEqual([
        ['enter', 'pickup', road.at(0)],
        ['exit', 'pickup', road.at(6)],
        ['enter', 'drop_off', road.at(20)],
        ['exit', 'drop_off', road.at(26)],
      ]);
    }
  } finally {
    await second.stop();
  }
});

test('a position from before anybody looks at a geofence stops nothing that comes after it', async () => {
  // The geofences of a job count from three hours before its start: here since half a minute ago.
  const loadAt = new Date(Date.now() + 3 * 3_600_000 - 30_000).toISOString();
  const road = await makeRoad(tenant, { order: { load_at: loadAt, geofence_delay_seconds: 0 } });
  await road.drive([178, -400]);
  await road.drive([179.75, 0], [179.85, 0]);
  expect(await became(road)).toEqual(['enter pickup proposed uncertain']);
});

test('when the positions of a person are forgotten, crossings stay, and no place where the person was', async () => {
  const road = await makeRoad(tenant);
  await road.go([3, 0], [5, 0]);
  const progress = () =>
    app.orm.em.fork().execute<{ fences: object }[]>('select fences from fence_progress where asset_id = ?', [road.driver.id]);
  expect(JSON.stringify(await progress())).toMatch(/"lat":3/);
  const forget = 'mutation ($id: ID!) { forgetPositions(id: $id) }';
  const { data } = await tenant.gql(forget, { id: road.driver.id }, await tenant.administrator());
  expect(data.forgetPositions).toBeGreaterThan(3);
  expect(JSON.stringify(await progress())).not.toMatch(/"lat"|"point"/);
  expect(await became(road)).toEqual(['enter pickup applied']);
});
