import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { queryIn } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { onDuty } from '../../helpers/on-duty.ts';
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
    // An event that was undone says nothing of when it was: a person may know an earlier time.
    for (const step of steps) await road.press(step, from[0] - 1);
  }
  expect((await road.load()).state).toBe('completed');
  const byHand = (await tenant.must('GET', `/v1/jobs/${road.jobId}/job_events`)).find(
    (one: { event_source: string }) => one.event_source === 'web',
  );
  expect(codeOf(await undo(byHand.id))).toBe('conflict');
  const stranger = await makeTenant(app);
  expect(codeOf(await undo(byHand.id, stranger.token))).toBe('object_not_found');
});

test('a step is not undone as long as the load that it added has a ticket', async () => {
  const road = await makeRoad(tenant);
  await road.go([0, 0], [5, 0]);
  await road.go([20, 300], [22, 2_000]);
  await road.go([30, 5_000], [32, 5_000]);
  await road.go([40, 4_700], [42, 3_000]);
  const event = (await road.triggers()).at(-1).job_event_id;
  const loads = (): Promise<Json[]> => tenant.must('GET', `/v1/jobs/${road.jobId}/loads`);
  const isUndoable = async (): Promise<boolean> =>
    (await tenant.must('GET', `/v1/geofence_triggers?job_id=${road.jobId}`)).find((one: Json) => one.job_event_id === event).undoable;
  expect(await isUndoable()).toBe(true);
  const added = (await loads()).find(({ state }) => state === 'created');
  const made = { load_id: added.id, ticket_number: `Ahead ${added.load_id}`, quantity: 5, unit_of_measure: 'Ton' };
  const ticket = await tenant.must('POST', '/v1/tickets', made);
  expect(await isUndoable()).toBe(false);
  expect(codeOf(await undo(event))).toBe('conflict');
  expect((await tenant.must('GET', `/v1/tickets/${ticket.id}`)).load_id).toBe(added.id);
  await tenant.must('PUT', `/v1/tickets/${ticket.id}/void`, {});
  expect(await isUndoable()).toBe(true);
  expect((await undo(event)).errors).toBeUndefined();
  expect((await loads()).map(({ state }) => state)).toEqual(['arrived_dropoff']);
});

test('what was approved in the field is not undone before that is taken back', async () => {
  const road = await makeRoad(tenant);
  const admin = await tenant.administrator();
  await road.go([0, 0], [5, 0]);
  await road.go([20, 300], [22, 2_000]);
  await road.go([30, 5_000], [32, 5_000]);
  await road.go([40, 4_700], [42, 3_000]);
  const { id, state } = await road.load();
  expect(state).toBe('completed');
  const last = (await road.triggers()).at(-1);
  const undoable = async () => {
    const { data } = await tenant.gql('query ($job: ID!) { geofenceTriggers(jobId: $job) { nodes { id undoable } } }', { job: road.jobId });
    return data.geofenceTriggers.nodes.find((one: Json) => one.id === last.id).undoable;
  };
  expect(await undoable()).toBe(true);
  const inField = (what: 'approve' | 'unapprove') => tenant.must('PUT', `/v1/loads/${id}/${what}`, { approval_type: 'foreman' }, admin);
  expect(await inField('approve')).toMatchObject({ approved: false, approval_status: { foreman_approved: true } });
  expect([await undoable(), codeOf(await undo(last.job_event_id))]).toEqual([false, 'conflict']);
  await inField('unapprove');
  expect([await undoable(), codeOf(await undo(last.job_event_id))]).toEqual([true, undefined]);
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

test('a crossing is not confirmed for somebody who got the job after it', async () => {
  const road = await makeRoad(tenant);
  await road.drive([0, 0], [2, 0]);
  const [proposed] = await road.triggers();
  expect(proposed.state).toBe('proposed');
  const second = await tenant.person({ roles: ['driver'] });
  await onDuty(tenant, second.id, { startedAt: new Date(road.at(-60)) });
  await tenant.must('PATCH', `/v1/jobs/${road.jobId}`, { driver_id: second.id });
  await second.must('PUT', `/v1/jobs/${road.jobId}/accept`, {});
  const { status, body } = await tenant.http('PUT', `/v1/geofence_triggers/${proposed.id}/confirm`, {});
  const message = 'no longer fits what has happened to the job since';
  expect([status, body.error?.errors]).toEqual([409, [{ model: 'GeofenceTrigger', field: 'state', message }]]);
  expect((await road.job()).state).toBe('accepted');
  expect((await decideOn('dismissTrigger', proposed.id)).data.dismissTrigger).toEqual({ state: 'skipped', skipReason: 'dismissed' });
});

test('an entry that waits for the pickup to be left moves nobody who got the job after it', async () => {
  const road = await makeRoad(tenant, { bridge: 200 });
  await road.go([0, 0], [5, 0]);
  await road.go([6, 100], [8, 100]);
  expect(await became(road)).toEqual(['enter pickup applied', 'enter drop_off proposed overlap']);
  await undo((await road.triggers())[0].job_event_id);
  const second = await tenant.person({ roles: ['driver'] });
  await onDuty(tenant, second.id, { startedAt: new Date(road.at(-60)) });
  await tenant.must('PATCH', `/v1/jobs/${road.jobId}`, { driver_id: second.id });
  await second.must('PUT', `/v1/jobs/${road.jobId}/accept`, {});
  const next = road.by(second);
  await next.go([30, 0], [33, 0]);
  expect((await road.job()).state).toBe('arrived_pickup');
  // To the south, away from the bridge at which the first truck was.
  await next.go([40, -300], [43, -400]);
  expect(await became(next)).toEqual(['enter pickup applied', 'exit pickup applied']);
  const { load_summary: stamps, state } = await road.load();
  expect([state, stamps.loaded_at, stamps.arrived_dropoff_at]).toEqual(['to_dropoff', road.at(40), null]);
  // What the first truck did is no part of the day of the second one's driver.
  const [{ day }]: Json = await app.orm.em.getConnection().execute('select driver_day_id as day from job where id = ?', [road.jobId]);
  const seen = { first_geofence_entry_at: road.at(30), last_geofence_exit_at: road.at(40) };
  expect(await tenant.must('GET', `/v1/driver_days/${day}`)).toMatchObject(seen);
});

test('of several who confirm a crossing at once, and then undo it at once, one does', async () => {
  const road = await makeRoad(tenant);
  const before = await stateOf(road);
  await road.drive([0, 0], [2, 0]);
  const put = (path: string) => tenant.http('PUT', `/v1/${path}`, {});
  const outcomes = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
  const [{ id }] = await road.triggers();
  expect(outcomes(await Promise.all([1, 2, 3].map(() => put(`geofence_triggers/${id}/confirm`))))).toEqual([200, 409, 409]);
  const [{ job_event_id: event }] = await road.triggers();
  expect((await road.job()).state).toBe('arrived_pickup');
  const revert = `job_events/${event}/undo`;
  expect(outcomes(await Promise.all([revert, `geofence_triggers/${id}/dismiss`, revert].map(put)))).toEqual([200, 409, 409]);
  expect(await stateOf(road)).toEqual(before);
  expect(await became(road)).toEqual(['enter pickup skipped undone']);
});

test('a page of crossings is read from an index in its order', async () => {
  const [list] = await app.overhear(
    () => tenant.must('GET', '/v1/geofence_triggers'),
    ({ sql }) => sql.includes('from "geofence_trigger" t0'),
  );
  const plan = await asCompanies([tenant.company.id], () =>
    app.productOrm.em.fork().transactional(async (em) => {
      // Whatever other tests have left in the table.
      for (const way of ['seqscan', 'bitmapscan', 'sort']) await queryIn(em, `set local enable_${way} = off`);
      return (await queryIn<{ 'QUERY PLAN': string }>(em, `explain ${list!.sql}`, [tenant.company.id]))
        .map((row) => row['QUERY PLAN'])
        .join('\n');
    }),
  );
  expect(plan).toContain('using geofence_trigger_company_idx');
  expect(plan).not.toMatch(/Sort Key: t0\.occurred_at/);
  expect((await tenant.http('GET', `/v1/geofence_triggers?job_id=${crypto.randomUUID()}`)).status).toBe(404);
});
