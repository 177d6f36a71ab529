import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const EVENTS = ['request', 'accept', 'reject', 'hold', 'weather_hold', 'start', 'complete', 'cancel'];
const put = (order: Json, event: string, body?: object) => tenant.http('PUT', `/v1/orders/${order.id}/${event}`, body ?? {});
const move = (order: Json, event: string) => tenant.must('PUT', tenant.path(`/orders/${order.id}/${event}`), {});
const jobsOf = (order: Json): Promise<Json[]> => tenant.must('GET', `/v1/orders/${order.id}/jobs`);

/** Events that lead to a state, and those legal there (DOMAIN 1.1), while no job has started. */
const STATES: [path: string[], state: string, open: string[]][] = [
  [[], 'created', ['request', 'accept', 'hold', 'weather_hold', 'cancel']],
  [['request'], 'pending_request', ['accept', 'reject', 'hold', 'weather_hold', 'cancel']],
  [['request', 'reject'], 'rejected', ['request', 'accept', 'cancel']],
  [['accept'], 'accepted', ['hold', 'weather_hold', 'start', 'complete', 'cancel']],
  [['accept', 'start'], 'in_progress', ['hold', 'weather_hold', 'complete', 'cancel']],
  [['hold'], 'hold', ['request', 'accept', 'weather_hold', 'cancel']],
  [['accept', 'hold'], 'hold', ['accept', 'weather_hold', 'cancel']],
  [['accept', 'start', 'hold'], 'hold', ['accept', 'start', 'weather_hold', 'cancel']],
  [['accept', 'start', 'weather_hold'], 'weather_hold', ['accept', 'start', 'hold', 'cancel']],
  [['accept', 'complete'], 'completed', []],
  [['cancel'], 'canceled', []],
];

test.each(STATES)('after %j an order is %s and only its open events are possible', async (path, state, open) => {
  const make = async () => {
    let order = await makeOrder(tenant);
    for (const event of path) order = await move(order, event);
    return order;
  };
  const order = await make();
  expect([order.state, [...order.state_events].sort(), order.editable]).toEqual([state, [...open].sort(), open.length > 0]);
  for (const event of EVENTS.filter((one) => !open.includes(one))) {
    const refused = await put(order, event);
    expect([event, refused.status, refused.body.error.code]).toEqual([event, 409, 'conflict']);
    expect(refused.body.error.errors).toMatchObject([{ model: 'Order', field: 'state', state, event, message: expect.any(String) }]);
  }
  for (const event of open) expect([event, (await put(await make(), event)).status]).toEqual([event, 200]);
});

test('GraphQL refuses like REST', async () => {
  const order = await makeOrder(tenant);
  const { errors } = await tenant.gql('mutation($id: ID!) { completeOrder(id: $id) { id } }', { id: order.id });
  expect(errors[0].extensions).toMatchObject({ code: 'conflict', errors: [{ state: 'created', event: 'complete' }] });
});

test('rejecting stores reason, person and time; requesting again clears them', async () => {
  const order = await makeOrder(tenant, { state: 'pending_request' });
  const rejected = (await put(order, 'reject', { reject_reason: 'no trucks' })).body.data;
  expect(rejected).toMatchObject({ state: 'rejected', reject_reason: 'no trucks', rejected_by: 'Office system' });
  expect(Math.abs(Date.parse(rejected.rejected_at) - Date.now())).toBeLessThan(60_000);
  expect(await move(order, 'request')).toMatchObject({
    state: 'pending_request',
    reject_reason: null,
    rejected_by: null,
    rejected_at: null,
  });
});

test('a hold during a weather hold still remembers the state before', async () => {
  const order = await makeOrder(tenant);
  for (const event of ['accept', 'start', 'hold', 'weather_hold', 'hold']) await move(order, event);
  expect((await move(order, 'start')).state).toBe('in_progress');
});

test('an order is not accepted for a discarded account', async () => {
  const account = await tenant.save(Account, { company: ref(tenant.company), name: 'Leaving', accountTypes: ['customer'] });
  const order = await makeOrder(tenant, { account_id: account.id });
  await app.orm.em.fork().nativeUpdate(Account, { id: account.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  const refused = await put(order, 'accept');
  expect([refused.status, refused.body.error.errors[0].message]).toEqual([409, 'the account has been discarded']);
});

test('canceling cancels every open job and load', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, loads_per_truck: 2 });
  await move(order, 'cancel');
  expect((await jobsOf(order)).map((job) => job.state)).toEqual(['canceled', 'canceled']);
  const loads: Json[] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  expect(new Set(loads.map((load) => load.state))).toEqual(new Set(['canceled']));
});

test('completing waits for trucks on the road, and cancels what never left', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_id: tenant.driver.id });
  await move(order, 'accept');
  const [job] = await jobsOf(order);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).state).toBe('in_progress');
  const refused = await put(order, 'complete');
  expect([refused.status, refused.body.error.errors[0].event]).toEqual([409, 'complete']);
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  expect((await move(order, 'complete')).state).toBe('completed');
  expect((await jobsOf(order)).map((one) => one.state).sort()).toEqual(['canceled', 'completed']);
});

test('auto_complete_order completes an order whose jobs are all done', async () => {
  const own = await makeTenant(app, { company: { autoCompleteOrder: true } });
  const order = await makeOrder(own, { driver_id: own.driver.id });
  await own.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  await own.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  await own.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  expect((await own.must('GET', `/v1/orders/${order.id}`)).state).toBe('completed');
});

test.each([
  ['canceled', (own: Tenant, job: Json) => own.must('PUT', `/v1/jobs/${job.id}/cancel`, {})],
  ['deleted', (own: Tenant, job: Json) => own.must('DELETE', `/v1/jobs/${job.id}`)],
  ['wanted no more', (own: Tenant, job: Json) => own.must('PATCH', `/v1/orders/${job.order.id}`, { truck_count: 1 })],
])('it also completes when the only truck that was still out is %s', async (_how, take) => {
  const own = await makeTenant(app, { company: { autoCompleteOrder: true } });
  const order = await makeOrder(own, { driver_id: own.driver.id, truck_count: 2 });
  await own.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job, spare] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
  await own.must('PUT', `/v1/jobs/${job.id}/enroute`, {});
  await own.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  expect((await own.must('GET', `/v1/orders/${order.id}`)).state).toBe('in_progress');
  await take(own, spare);
  expect((await own.must('GET', `/v1/orders/${order.id}`)).state).toBe('completed');
  // An order without any truck waits for one.
  const empty = await makeOrder(own);
  await own.must('PUT', `/v1/orders/${empty.id}/accept`, {});
  const [only] = await own.must('GET', `/v1/orders/${empty.id}/jobs`);
  await own.must('DELETE', `/v1/jobs/${only.id}`);
  expect((await own.must('GET', `/v1/orders/${empty.id}`)).state).toBe('accepted');
});

test('of two concurrent requests, one moves the order and the other is refused', async () => {
  const order = await makeOrder(tenant);
  const answers = await Promise.all([put(order, 'accept'), put(order, 'accept'), put(order, 'accept')]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
});

test("a parent's people act in a child company", async () => {
  const parent = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company) } });
  const order = await makeOrder(child);
  const { token } = await parent.person({ roles: ['dispatcher'] });
  const answer = await child.http('PUT', child.path(`/orders/${order.id}/accept`), {}, token);
  expect([answer.status, answer.body.data?.state]).toEqual([200, 'accepted']);
  expect((await parent.http('PUT', parent.path(`/orders/${order.id}/hold`), {}, token)).status).toBe(404);
});
