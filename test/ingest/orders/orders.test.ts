import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { ordering, payload } from './ordering.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const { send, orderOf } = ordering(() => ({ app, tenant }));

test('a payload becomes an order with its jobs and loads', async () => {
  const record = await send(
    payload({
      name: 'Base for SH 71',
      material: { external_id: 'M-1', name: 'Flex base' },
      equipment_type: 'Side dump',
      quantity: 12.5,
      unit_of_measure: 'tons',
      truck_count: 2,
      truck_delay: 15,
      loads_per_truck: 2,
      sites: [
        { waypoint: 'pickup', external_id: 'S-1', full_address: '1 Pit Road' },
        { waypoint: 'drop_off', name: 'Bridge works', lat: 30.1, lon: -97.2 },
      ],
    }),
  );
  expect(record).toMatchObject({
    state: 'processed',
    last_error: null,
    imported_for: 'A-1',
    kind: 'order',
    attempts: 1,
    payload: payload({ name: 'Base for SH 71' }).customer ? expect.any(Object) : null,
  });
  const order = await orderOf('A-1');
  expect(order).toMatchObject({
    id: record.result_id,
    state: 'created',
    name: 'Base for SH 71',
    quantity: '12.5',
    unitOfMeasure: 'Ton',
    account: { name: 'Acme', externalId: 'C-1' },
    material: { name: 'Flex base' },
    equipmentType: { name: 'Side dump' },
  });
  expect(order.waypoints.map((one: Json) => [one.type, one.site.name, one.site.routable])).toEqual([
    ['pickup', '1 Pit Road', false],
    ['drop_off', 'Bridge works', true],
  ]);
  expect(order.jobs.nodes.map((job: Json) => [job.jobId, job.state, job.jobStartAt, job.loads.nodes.length]).sort()).toEqual([
    [`${order.orderId}-1`, 'created', '2026-12-01T07:00:00.000Z', 2],
    [`${order.orderId}-2`, 'created', '2026-12-01T07:15:00.000Z', 2],
  ]);
});

test.each([
  [{ external_id: 'A-1', load_at: '2026-12-01T07:00:00Z' }, 'missing_field: /customer/external_id: is required'],
  [{ external_id: 'A-1', customer: { external_id: 'C' } }, 'missing_field: /load_at: is required'],
  [payload({ load_at: 'tomorrow' }), 'invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00'],
  [payload({ truck_count: 201 }), 'invalid_number: /truck_count: must be between 1 and 200'],
  [payload({ quantity: 'many' }), 'invalid_number: /quantity: is not a number'],
  [payload({ state: 'paid' }), 'invalid_enum: /state: must be one of created, pending_request, hold, canceled'],
  [payload({ sites: {} }), 'invalid_list: /sites: is not a list'],
  [payload({ sites: [{ name: 'Pit' }] }), 'missing_field: /sites/0/waypoint: is required'],
  [payload({ sites: [{ waypoint: 'moon' }] }), 'invalid_enum: /sites/0/waypoint: must be one of pickup, staging, drop_off, weigh_point'],
  [payload({ customer: 7 }), 'invalid_object: /customer: is not an object'],
])('a wrong payload fails with a reason: %j', async (wrong, reason) => {
  expect(await send(wrong)).toMatchObject({ state: 'failed', last_error: reason, result_id: null });
  expect(await orderOf('A-1')).toBeUndefined();
});

test('a failed payload does not delay the others of its batch', async () => {
  const answer = await tenant.http('POST', '/ingest/orders', {
    orders: [payload(), { external_id: 'A-2' }, payload({ external_id: 'A-3' })],
  });
  await app.settled();
  const states = await Promise.all(
    answer.body.data.records.map(async ({ id }: Json) => (await tenant.must('GET', `/v1/imported_records/${id}`)).state),
  );
  expect(states).toEqual(['processed', 'failed', 'processed']);
});

test('the same payload again is skipped, even with other metadata; A, B, A ends in A', async () => {
  await send(payload({ name: 'A', metadata: { run: 1 } }));
  expect(await send(payload({ name: 'A', metadata: { run: 2 } }))).toMatchObject({ state: 'skipped', last_error: 'duplicate' });
  await send(payload({ name: 'B' }));
  expect(await send(payload({ name: 'A' }))).toMatchObject({ state: 'processed' });
  expect((await orderOf('A-1')).name).toBe('A');
});

test('a match on external_id, case-sensitive, updates root fields; absent ones are kept', async () => {
  await send(payload({ name: 'first', notes: 'keep me' }));
  await send(payload({ name: 'second' }), payload({ external_id: 'a-1', name: 'other' }));
  expect(await orderOf('A-1')).toMatchObject({ name: 'second', notes: 'keep me' });
  expect(await orderOf('a-1')).toMatchObject({ name: 'other' });
});

test('a canceled order that comes again is renamed X-{N} and created again', async () => {
  await send(payload());
  await send(payload({ state: 'canceled' }));
  expect(await orderOf('A-1')).toMatchObject({
    state: 'canceled',
    jobs: { nodes: [{ state: 'canceled', loads: { nodes: [{ state: 'canceled' }] } }] },
  });
  await send(payload({ name: 'again' }));
  expect(await orderOf('A-1')).toMatchObject({ state: 'created', name: 'again' });
  expect(await orderOf('A-1-1')).toMatchObject({ state: 'canceled' });
  await send(payload({ state: 'canceled' }));
  await send(payload({ name: 'third' }));
  expect(await orderOf('A-1-2')).toMatchObject({ state: 'canceled', name: 'again' });
});

test('a field that a person edited is kept; a payload that changes nothing else is skipped_update', async () => {
  await send(payload({ name: 'sent', notes: 'one' }));
  const { id } = await orderOf('A-1');
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('PATCH', `/v1/orders/${id}`, { name: 'edited' }, token);
  const only = await send(payload({ name: 'sent again', notes: 'one' }));
  expect(only).toMatchObject({
    state: 'skipped_update',
    warnings: [{ code: 'user_edit_kept', pointer: '/name', given: 'sent again', used: 'edited' }],
  });
  expect(only.last_error).toContain('/name');
  expect(await send(payload({ name: 'sent again', notes: 'two' }))).toMatchObject({ state: 'processed' });
  expect(await orderOf('A-1')).toMatchObject({ name: 'edited', notes: 'two' });
});

/** Local 07:00 around the changes of tzdata 2026f: British Columbia, Alberta and Manitoba stay on daylight time. */
test.each([
  ['America/Vancouver', '2026-10-31', '14:00'],
  ['America/Vancouver', '2026-11-01', '14:00'],
  ['America/Vancouver', '2026-11-02', '14:00'],
  ['America/Vancouver', '2027-03-13', '14:00'],
  ['America/Vancouver', '2027-03-14', '14:00'],
  ['America/Vancouver', '2027-03-15', '14:00'],
  ['America/Edmonton', '2026-10-31', '13:00'],
  ['America/Edmonton', '2026-11-01', '13:00'],
  ['America/Edmonton', '2026-11-02', '13:00'],
  ['America/Edmonton', '2027-03-13', '13:00'],
  ['America/Edmonton', '2027-03-14', '13:00'],
  ['America/Edmonton', '2027-03-15', '13:00'],
  ['America/Winnipeg', '2026-10-31', '12:00'],
  ['America/Winnipeg', '2026-11-01', '12:00'],
  ['America/Winnipeg', '2026-11-02', '12:00'],
  ['America/Winnipeg', '2027-03-13', '12:00'],
  ['America/Winnipeg', '2027-03-14', '12:00'],
  ['America/Winnipeg', '2027-03-15', '12:00'],
  ['America/Toronto', '2026-10-31', '11:00'],
  ['America/Toronto', '2026-11-01', '12:00'],
  ['America/Toronto', '2026-11-02', '12:00'],
  ['America/Toronto', '2027-03-13', '12:00'],
  ['America/Toronto', '2027-03-14', '11:00'],
  ['America/Toronto', '2027-03-15', '11:00'],
  ['America/St_Johns', '2026-10-31', '09:30'],
  ['America/St_Johns', '2026-11-01', '10:30'],
  ['America/St_Johns', '2026-11-02', '10:30'],
  ['America/St_Johns', '2027-03-13', '10:30'],
  ['America/St_Johns', '2027-03-14', '09:30'],
  ['America/St_Johns', '2027-03-15', '09:30'],
])('07:00 in %s on %s is %s UTC', async (timeZone, day, utc) => {
  tenant = await makeTenant(app, { company: { timeZone } });
  await send(payload({ load_at: `${day}T07:00:00` }));
  expect((await orderOf('A-1')).loadAt).toBe(`${day}T${utc}:00.000Z`);
});

test('a batch of one and a batch of a hundred take the same number of statements', async () => {
  const batch = (tag: string, size: number) =>
    Array.from({ length: size }, (_, i) =>
      payload({
        external_id: `${tag}-${i}`,
        truck_count: 2,
        sites: [{ waypoint: 'pickup', external_id: `S-${i % 7}`, full_address: 'Here' }],
      }),
    );
  await send(...batch('warm', 1));
  const written = async (tag: string, size: number) =>
    (await app.countStatements(() => send(...batch(tag, size)))).statements.flatMap((sql) =>
      [...sql.matchAll(/insert into "?(orders|job|load|waypoint|audit_entry|outbox_event)\b/g)].map(([, table]) => table),
    );
  // Something else that is written in the background may be counted as well, so the shorter of two counts is taken.
  const least = async (tag: string, size: number) => {
    const [a, b] = [await written(`${tag}-a`, size), await written(`${tag}-b`, size)];
    return a.length < b.length ? a : b;
  };
  const one = await least('one', 1);
  expect(one).toContain('load');
  expect(await least('many', 100)).toEqual(one);
});

test('two concurrent batches that create the same customer create one', async () => {
  await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      tenant.http('POST', '/ingest/orders', {
        orders: [payload({ external_id: `P-${i}`, customer: { external_id: 'NEW', name: 'New customer' } })],
      }),
    ),
  );
  await app.settled();
  const { data } = await tenant.gql('{ orders(first: 10) { nodes { account { id } } } }');
  expect(new Set(data.orders.nodes.map((order: Json) => order.account.id)).size).toBe(1);
});

test('imported records are listed newest first, by kind and state', async () => {
  await send(payload());
  await send({ external_id: 'A-2' });
  const all = await tenant.must('GET', '/v1/imported_records');
  expect(all.map((one: Json) => one.imported_for)).toEqual(['A-2', 'A-1']);
  const failed = await tenant.must('GET', '/v1/imported_records?filter[states][]=failed&filter[kind]=order');
  expect(failed.map((one: Json) => one.imported_for)).toEqual(['A-2']);
  expect(await tenant.must('GET', '/v1/imported_records?filter[kind]=ticket')).toEqual([]);
});

test.each([
  [{}, 'is required'],
  [{ orders: {} }, 'is not a list'],
  [{ orders: [] }, 'needs at least one'],
  [{ orders: Array.from({ length: 1001 }, () => ({})) }, 'has more than 1000 elements'],
])('a request that is no batch is refused as a whole (%#)', async (body, message) => {
  const answer = await tenant.http('POST', '/ingest/orders', body);
  expect(answer.status).toBe(422);
  expect(answer.body.error.errors).toEqual([{ model: 'Request', field: 'orders', message }]);
});

test('an element that is no object is a separate record, not a refused batch', async () => {
  const answer = await tenant.http('POST', '/ingest/orders', { orders: [payload(), null, 7, 'x', []] });
  expect(answer.status).toBe(202);
  await app.settled();
  const states = await Promise.all(
    answer.body.data.records.map(async ({ id }: Json) => (await tenant.must('GET', `/v1/imported_records/${id}`)).state),
  );
  expect(states).toEqual(['processed', 'exhausted', 'exhausted', 'exhausted', 'exhausted']);
});
