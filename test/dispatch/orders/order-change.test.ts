import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  other = await makeTenant(app);
});
afterAll(() => app.close());

const patch = (order: Json, body: object, token?: string) => tenant.http('PATCH', tenant.path(`/orders/${order.id}`), body, token);
const changed = async (order: Json, body: object): Promise<Json> => {
  const answer = await patch(order, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const jobsOf = async (order: Json): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));

test('absent fields are kept, null clears, values change', async () => {
  const order = await makeOrder(tenant, { notes: 'keep', zone: 'old', name: 'gone', quantity: 10, sales_contact: { name: 'Mo' } });
  const after = await changed(order, { zone: 'new', name: null });
  expect(after).toMatchObject({ notes: 'keep', zone: 'new', name: null, quantity: order.quantity, sales_contact: { name: 'Mo' } });
  expect(after.waypoints).toEqual(order.waypoints);
  expect(after.updated_at > order.updated_at).toBe(true);
  const ignored = new Set(['zone', 'name', 'updated_at', 'version']);
  for (const field of Object.keys(order)) if (!ignored.has(field)) expect([field, after[field]]).toEqual([field, order[field]]);
});

test('required fields of an order cannot be cleared', async () => {
  const order = await makeOrder(tenant);
  const answer = await patch(order, { load_at: null, truck_count: null, truck_delay: null, service_id: null });
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['load_at', 'service_id', 'truck_count', 'truck_delay']]);
});

test('nothing changes if one field is wrong', async () => {
  const order = await makeOrder(tenant, { zone: 'old' });
  expect(fieldsOf(await patch(order, { zone: 'new', material_id: other.material.id, tax_rate: 1.23456 }))).toEqual([
    'material_id',
    'tax_rate',
  ]);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).zone).toBe('old');
});

test('waypoints are changed by id, added, removed; those not named are kept', async () => {
  const order = await makeOrder(tenant);
  const [first, last] = order.waypoints;
  const after = await changed(order, {
    waypoints: [
      { id: first.id, site_id: tenant.dropoff.id },
      { type: 'staging', site_id: tenant.pickup.id, ordinality: 5, contact: { name: 'Gate' } },
    ],
  });
  expect(after.waypoints.map((w: Json) => [w.id === first.id || w.id === last.id, w.type, w.site.id, w.contact?.name])).toEqual([
    [true, 'pickup', tenant.dropoff.id, undefined],
    [true, 'drop_off', tenant.dropoff.id, undefined],
    // A staging area, to clients of the contract.
    [false, 'weigh_point', tenant.pickup.id, 'Gate'],
  ]);
  const fewer = await changed(order, { waypoints: [{ id: after.waypoints[2].id, _destroy: 1 }] });
  expect(fewer.waypoints.map((w: Json) => w.id)).toEqual([first.id, last.id]);
  const none = await patch(order, { waypoints: [first, last].map(({ id }: Json) => ({ id, _destroy: 1 })) });
  expect([none.status, fieldsOf(none)]).toEqual([422, ['waypoints']]);
  expect(fieldsOf(await patch(order, { waypoints: [{ id: first.id, site_id: other.pickup.id }] }))).toEqual(['waypoints.0.site_id']);
});

test('a new primary phase replaces the old one, and an unknown id is reported', async () => {
  const order = await makeOrder(tenant, { phases: [{ name: 'Base', primary: true }] });
  const after = await changed(order, { phases: [{ name: 'Top', primary: true }] });
  expect(after.phases.map((p: Json) => [p.name, p.primary])).toEqual([
    ['Base', false],
    ['Top', true],
  ]);
  const [base] = after.phases;
  expect((await changed(order, { phases: [{ id: base.id, _destroy: 1 }] })).phases.map((p: Json) => p.name)).toEqual(['Top']);
  expect(fieldsOf(await patch(order, { phases: [{ id: base.id, name: 'Again' }] }))).toEqual(['phases.0.id']);
  // Parts are changed by their ids. A null would change nothing, and is no mistake that is answered with 200.
  for (const field of ['phases', 'waypoints']) {
    const none = await patch(order, { [field]: null });
    expect([none.status, fieldsOf(none)]).toEqual([422, [field]]);
  }
});

test('more trucks add jobs, fewer cancel the last ones that were not sent', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, truck_delay: 10 });
  expect((await changed(order, { truck_count: 4 })).order_summary.jobs_count).toBe(4);
  expect((await jobsOf(order)).map((job) => job.job_start_at.slice(11, 16))).toEqual(['12:00', '12:10', '12:20', '12:30']);
  expect((await changed(order, { truck_count: 1 })).truck_count).toBe(1);
  expect((await jobsOf(order)).map((job) => job.state)).toEqual(['created', 'canceled', 'canceled', 'canceled']);
  expect((await changed(order, { truck_count: 2 })).truck_count).toBe(2);
  expect((await jobsOf(order)).map((job) => job.state)).toEqual(['created', 'canceled', 'canceled', 'canceled', 'created']);
  // Sent back as it was read it brings no canceled truck back.
  await tenant.must('PUT', `/v1/jobs/${(await jobsOf(order)).at(-1)!.id}/cancel`);
  const { order_summary: before } = await tenant.must('GET', `/v1/orders/${order.id}`);
  expect((await changed(order, { truck_count: 2 })).order_summary.jobs_count).toBe(before.jobs_count);
});

test('trucks that are sent or on the road cannot be removed', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_id: tenant.driver.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  for (const job of await jobsOf(order)) await tenant.must('PUT', `/v1/jobs/${job.id}/request`, {});
  const answer = await patch(order, { truck_count: 1 });
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['truck_count']]);
  expect((await jobsOf(order)).map((job) => job.state)).toEqual(['sent', 'sent']);
});

test('jobs that have not left follow the order', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, truck_delay: 10 });
  await changed(order, { load_at: '2026-11-24T06:00:00.000Z', truck_delay: 30, material_id: tenant.material.id, job_notes: 'wet' });
  expect((await jobsOf(order)).map((job) => [job.job_start_at, job.notes, job.material?.id])).toEqual([
    ['2026-11-24T06:00:00.000Z', 'wet', tenant.material.id],
    ['2026-11-24T06:30:00.000Z', 'wet', tenant.material.id],
  ]);
});

test('a stale version and a closed order are conflicts', async () => {
  const order = await makeOrder(tenant);
  await changed(order, { zone: 'a', version: order.version });
  const stale = await patch(order, { zone: 'b', version: order.version });
  expect([stale.status, fieldsOf(stale)]).toEqual([409, ['version']]);
  await tenant.must('PUT', `/v1/orders/${order.id}/cancel`, {});
  const closed = await patch(order, { zone: 'c' });
  expect([closed.status, closed.body.error.errors[0].state]).toEqual([409, 'canceled']);
});

test('edit_order_pre_accept permits changes only until the order is accepted', async () => {
  const early = await makeTenant(app, { permissions: ['create_order', 'edit_order_pre_accept'] });
  const order = await makeOrder(early);
  const path = `/v1/orders/${order.id}`;
  expect((await early.http('PATCH', path, { zone: 'a' })).status).toBe(200);
  expect((await early.http('PUT', `${path}/accept`, {})).status).toBe(403);
  const { token } = await early.person({ roles: ['dispatcher'] });
  await early.must('PUT', `${path}/accept`, {}, token);
  expect((await early.http('PATCH', path, { zone: 'b' })).status).toBe(403);
});

test('a copy is a new order on another day, at the same local time, with its trucks', async () => {
  const order = await makeOrder(tenant, {
    truck_count: 2,
    external_id: 'COPY',
    driver_id: tenant.driver.id,
    job_start_at: '2026-11-23T13:00:00.000Z',
    phases: [{ name: 'Base', primary: true }],
    load_at: '2026-10-30T12:00:00.000Z',
  });
  await tenant.must('PUT', `/v1/orders/${order.id}/cancel`, {});
  const plain = await tenant.must('POST', tenant.path(`/orders/${order.id}/copy`), { date: '2026-11-30', truck_count: 3 });
  // 07:00 in Chicago on both days: clocks changed in between.
  expect(plain).toMatchObject({
    state: 'created',
    external_id: null,
    truck_count: 3,
    load_at: '2026-11-30T13:00:00.000Z',
    phases: [{ name: 'Base' }],
  });
  expect(plain.id).not.toBe(order.id);
  expect(plain.waypoints.map((w: Json) => w.site.id)).toEqual(order.waypoints.map((w: Json) => w.site.id));
  expect((await jobsOf(plain)).map((job) => job.state)).toEqual(['created', 'created', 'created']);
  const assigned = await tenant.must('POST', `/v1/orders/${order.id}/copy`, { include_assignee: true });
  expect(assigned.load_at).toBe(order.load_at);
  expect((await jobsOf(assigned)).map((job) => [job.state, job.driver.id])).toEqual([
    ['assigned', tenant.driver.id],
    ['assigned', tenant.driver.id],
  ]);
  const wrong = await tenant.http('POST', `/v1/orders/${order.id}/copy`, { date: '2026-02-30', truck_count: 201 });
  expect(wrong.status).toBe(422);
});

test("another company's order is not found, and its ids are not accepted", async () => {
  const order = await makeOrder(tenant);
  for (const path of [`/v1/orders/${order.id}`, tenant.path(`/orders/${order.id}`), other.path(`/orders/${order.id}`)]) {
    for (const [method, end, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['PUT', '/accept', {}],
      ['GET', '/jobs'],
      ['GET', '/loads'],
      ['POST', '/copy', {}],
    ] as const) {
      const answer = await other.http(method, path + end, body);
      expect([method, path + end, answer.status]).toEqual([method, path + end, 404]);
    }
  }
  expect((await other.must('GET', '/v1/orders')).map((one: Json) => one.id)).not.toContain(order.id);
  expect(fieldsOf(await other.http('POST', '/v1/orders', orderInput(tenant)))).toEqual([
    'account_id',
    'service_id',
    'waypoints.0.site_id',
    'waypoints.1.site_id',
  ]);
  expect(fieldsOf(await other.http('POST', '/v1/orders', orderInput(other, { company_id: tenant.company.id })))).toEqual(['company_id']);
  expect((await other.http('POST', tenant.path('/orders'), orderInput(other))).status).toBe(404);
});
