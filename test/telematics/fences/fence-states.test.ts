import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { makeRoad, type Road } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
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

/** All columns of the order, the job and its loads but those of log and version. */
async function stateOf(road: Road): Promise<object> {
  const read = (sql: string) => app.orm.em.getConnection().execute<Record<string, unknown>[]>(sql, [road.jobId]);
  const strip = (rows: Record<string, unknown>[]) => rows.map(({ version: _, updated_at: __, ...row }) => row);
  return {
    job: strip(await read('select * from job where id = ?')),
    loads: strip(await read('select * from load where job_id = ? order by ordinality')),
    order: strip(await read('select * from orders where id = (select order_id from job where id = ?)')),
  };
}
const undo = (jobEventId: string, token?: string) =>
  tenant.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { id state } }', { id: jobEventId }, token);
const codeOf = ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code;
const decideOn = (name: string, id: string) => tenant.gql(`mutation ($id: ID!) { ${name}(id: $id) { state skipReason } }`, { id });

test('every automatic event can be undone, and leaves everything as it was, once', async () => {
  const road = await makeRoad(tenant);
  const legs: [[number, number], [number, number], string[]][] = [
    [
      [0, 0],
      [5, 0],
      ['enroute', 'arrive'],
    ],
    [
      [20, 300],
      [22, 2_000],
      ['load_material', 'enroute'],
    ],
    [[30, 5_000], [32, 5_000], ['arrive']],
    [
      [40, 4_700],
      [42, 3_000],
      ['unload_material', 'complete_load'],
    ],
  ];
  for (const [from, to, steps] of legs) {
    const before = await stateOf(road);
    await road.go(from, to);
    const event = (await road.triggers()).at(-1).job_event_id;
    expect(await stateOf(road)).not.toEqual(before);
    expect((await undo(event)).errors).toBeUndefined();
    expect(await stateOf(road)).toEqual(before);
    expect((await road.triggers()).at(-1)).toEqual(expect.objectContaining({ state: 'skipped', skip_reason: 'undone' }));
    expect(codeOf(await undo(event))).toBe('conflict');
    // The same positions again change nothing: the geofence was not crossed the other way.
    await road.go(from, to);
    expect(await stateOf(road)).toEqual(before);
    for (const step of steps) await road.press(step, to[0]);
  }
  expect((await road.load()).state).toBe('completed');
  const byHand = (await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events`)).find(
    (one: { event_source: string }) => one.event_source === 'web',
  );
  expect(codeOf(await undo(byHand.id))).toBe('conflict');
  const stranger = await makeTenant(app);
  expect(codeOf(await undo(byHand.id, stranger.token))).toBe('object_not_found');
});

/** The crossings about which a person should decide, or the others. */
const toDecide = async (road: Road, needsReview = true) =>
  (
    await tenant.gql(
      'query ($job: ID!, $needs: Boolean) { geofenceTriggers(jobId: $job, needsReview: $needs) { nodes { id undoable } } }',
      { job: road.jobId, needs: needsReview },
    )
  ).data.geofenceTriggers.nodes;

test('what moved a job without being certain is to be decided for as long as it can be undone', async () => {
  const road = await makeRoad(tenant);
  // A silence makes the arrival less certain.
  await road.drive([0, 0], [0.5, 0], [20, 0]);
  const [{ id, job_event_id: event }] = await road.triggers();
  expect(await toDecide(road)).toEqual([{ id, undoable: true }]);
  const later = (minutes: number) =>
    app.orm.em
      .getConnection()
      .execute(`update job_event set created_at = created_at - ? * interval '1 minute' where job_id = ?`, [minutes, road.jobId]);
  await later(61);
  expect([await toDecide(road), codeOf(await undo(event))]).toEqual([[], 'conflict']);
  await later(-61);
  expect(await toDecide(road)).toEqual([{ id, undoable: true }]);
  await road.press('load_material', 25);
  expect([await toDecide(road), codeOf(await undo(event))]).toEqual([[], 'conflict']);
});

test('what is not certain waits for a person, who confirms or refuses it', async () => {
  const road = await makeRoad(tenant);
  // One position in two minutes is too few to be certain.
  await road.drive([0, 0], [2, 0]);
  expect(await became(road)).toEqual(['enter pickup proposed uncertain']);
  const [proposed] = await road.triggers();
  const { data } = await tenant.gql('query ($job: ID!) { geofenceTriggers(jobId: $job, state: proposed) { nodes { id confidence } } }', {
    job: road.jobId,
  });
  expect(data.geofenceTriggers.nodes).toEqual([{ id: proposed.id, confidence: '0.43' }]);
  expect(await toDecide(road)).toEqual([{ id: proposed.id, undoable: false }]);
  expect((await decideOn('confirmTrigger', proposed.id)).data.confirmTrigger).toEqual({ state: 'applied', skipReason: null });
  expect((await road.load()).load_summary.arrived_pickup_at).toBe(road.at(0));
  expect(codeOf(await decideOn('confirmTrigger', proposed.id))).toBe('conflict');
  // Decided, and it could still be undone.
  expect([await toDecide(road), await toDecide(road, false)]).toEqual([[], [{ id: proposed.id, undoable: true }]]);
  await road.drive([20, 1_000], [22, 2_000]);
  const exit = (await road.triggers()).at(-1);
  expect((await decideOn('dismissTrigger', exit.id)).data.dismissTrigger).toEqual({ state: 'skipped', skipReason: 'dismissed' });
  expect((await road.job()).state).toBe('arrived_pickup');
  // The exit was not believed, so that the arrival at the bridge shows that it was loaded, and nobody knows when.
  await road.go([30, 5_000], [32, 5_000]);
  const { load_summary: stamps, state } = await road.load();
  expect([state, stamps.loaded_at, stamps.arrived_dropoff_at]).toEqual(['arrived_dropoff', null, road.at(30)]);
  const loads = await tenant.gql('query ($job: ID!) { loads(jobId: $job) { nodes { ordinality loadedInferred needsReview } } }', {
    job: road.jobId,
  });
  expect(loads.data.loads.nodes).toContainEqual({ ordinality: 1, loadedInferred: true, needsReview: false });
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
  // Two minutes outside, and the truck was there for less than a minute.
  const short = await makeRoad(tenant, { order: { geofence_delay_seconds: 0 } });
  await short.drive([0, -400], [0.4, 0], [0.5, 0], [1, 400], [1.2, 500]);
  expect(await became(short)).toEqual(['enter pickup applied', 'exit pickup proposed too_short']);
  // On the road past the pit.
  const past = await makeRoad(tenant);
  await past.drive([0, -400], [0.5, 400], [1, 1_200]);
  expect(await became(past)).toEqual(['enter pickup skipped crossed']);
});
