import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, other] = [await makeTenant(app), await makeTenant(app)];
});
afterAll(() => app.close());

test('the timeline shows who changed what, newest first, and rates only to those who see them', async () => {
  const order = await makeOrder(tenant, { zone: 'old', customer_rate_value: 10 });
  const { user, token: manager } = await tenant.person({ roles: ['manager'] });
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { zone: 'new', customer_rate_value: 12 }, manager);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {}, manager);
  const path = tenant.path(`/orders/${order.id}/timeline`);
  const [accepted, changed, created]: Json[] = await tenant.must('GET', path);
  expect(accepted).toMatchObject({
    created_by: { type: 'User', id: user.id, name: 'Ada Gravel' },
    object_changes: { state: ['created', 'accepted'] },
  });
  expect(changed.object_changes).toMatchObject({ zone: ['old', 'new'], customer_rate_value: ['10', '12'] });
  expect(created.created_by).toMatchObject({ type: 'M2MClient', name: 'Office system' });
  const seen: Json[] = await tenant.must('GET', `/v1/orders/${order.id}/timeline`, undefined, token);
  expect(seen.map((entry) => 'customer_rate_value' in entry.object_changes)).toEqual([false, false, false]);
  expect(seen[1].object_changes.zone).toEqual(['old', 'new']);
  const [first] = await tenant.must('GET', `${path}?page[limit]=1`);
  expect(first).toEqual(accepted);
});

test('an entry of rates alone is not listed to who sees no rates, and pages are as full as if it were not there', async () => {
  const order = await makeOrder(tenant, { zone: 'zone 0', customer_rate_value: 10 });
  for (const turn of [1, 2, 3]) {
    await tenant.must('PATCH', `/v1/orders/${order.id}`, { customer_rate_value: 10 + turn });
    await tenant.must('PATCH', `/v1/orders/${order.id}`, { zone: `zone ${turn}` });
  }
  const { token: dispatcher } = await tenant.person({ roles: ['dispatcher'] });
  const path = `/v1/orders/${order.id}/timeline`;
  const all: Json[] = await tenant.must('GET', path);
  expect(all.map(({ object_changes: { zone, customer_rate_value: rate } }) => (zone ?? rate)[1])).toEqual([
    ...['zone 3', '13', 'zone 2', '12', 'zone 1', '11', 'zone 0'],
  ]);
  const seen: Json[] = await tenant.must('GET', path, undefined, dispatcher);
  expect(seen.map(({ object_changes }) => object_changes.zone[1])).toEqual(['zone 3', 'zone 2', 'zone 1', 'zone 0']);
  const page = async (after: string | null): Promise<Json> => {
    const query = `query ($id: ID!, $after: String) {
      orderTimeline(orderId: $id, first: 2, after: $after) { nodes { objectChanges } pageInfo { hasNextPage endCursor } } }`;
    return (await tenant.gql(query, { id: order.id, after }, dispatcher)).data.orderTimeline;
  };
  const first = await page(null);
  const second = await page(first.pageInfo.endCursor);
  expect([first, second].map(({ nodes }) => nodes.map((node: Json) => node.objectChanges.zone[1]))).toEqual([
    ['zone 3', 'zone 2'],
    ['zone 1', 'zone 0'],
  ]);
  expect([first, second].map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, false]);
});

test("another company's order has no timeline", async () => {
  const order = await makeOrder(tenant);
  expect((await other.http('GET', `/v1/orders/${order.id}/timeline`)).status).toBe(404);
});

test('the person who creates an order is its requester, unless somebody else is named', async () => {
  const { user, token } = await tenant.person({ roles: ['foreman'] });
  const body = {
    load_at: '2026-11-23T12:00:00Z',
    truck_count: 1,
    truck_delay: 0,
    account_id: tenant.account.id,
    service_id: tenant.service.id,
    waypoints: [{ type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 }],
  };
  const asked = async (more: object) => (await tenant.must('POST', '/v1/orders', { ...body, ...more }, token)).requester?.id;
  expect([await asked({}), await asked({ requester_id: tenant.driver.id }), await asked({ requester_id: null })]).toEqual([
    user.id,
    tenant.driver.id,
    undefined,
  ]);
  expect((await makeOrder(tenant)).requester).toBeNull();
});
