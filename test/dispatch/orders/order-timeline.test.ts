import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeYard, type Yard } from '../../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
let other: Yard;
beforeAll(async () => {
  app = await startTestApp();
  [yard, other] = [await makeYard(app), await makeYard(app)];
});
afterAll(() => app.close());

test('the timeline shows who changed what, newest first, and rates only to those who see them', async () => {
  const order = await makeOrder(yard, { zone: 'old', customer_rate_value: 10 });
  const { user, token: manager } = await yard.person({ roles: ['manager'] });
  const { token } = await yard.person({ roles: ['dispatcher'] });
  await yard.must('PATCH', `/v1/orders/${order.id}`, { zone: 'new', customer_rate_value: 12 }, manager);
  await yard.must('PUT', `/v1/orders/${order.id}/accept`, {}, manager);
  const path = yard.path(`/orders/${order.id}/timeline`);
  const [accepted, changed, created]: Json[] = await yard.must('GET', path);
  expect(accepted).toMatchObject({
    created_by: { type: 'User', id: user.id, name: 'Ada Gravel' },
    object_changes: { state: ['created', 'accepted'] },
  });
  expect(changed.object_changes).toMatchObject({ zone: ['old', 'new'], customer_rate_value: ['10', '12'] });
  expect(created.created_by).toMatchObject({ type: 'M2MClient', name: 'Office system' });
  const seen: Json[] = await yard.must('GET', `/v1/orders/${order.id}/timeline`, undefined, token);
  expect(seen.map((entry) => 'customer_rate_value' in entry.object_changes)).toEqual([false, false, false]);
  expect(seen[1].object_changes.zone).toEqual(['old', 'new']);
  const [first] = await yard.must('GET', `${path}?page[limit]=1`);
  expect(first).toEqual(accepted);
});

test("another company's order has no timeline", async () => {
  const order = await makeOrder(yard);
  expect((await other.http('GET', `/v1/orders/${order.id}/timeline`)).status).toBe(404);
});

test('the person who creates an order is its requester, unless somebody else is named', async () => {
  const { user, token } = await yard.person({ roles: ['foreman'] });
  const body = {
    load_at: '2026-11-23T12:00:00Z',
    truck_count: 1,
    truck_delay: 0,
    account_id: yard.account.id,
    service_id: yard.service.id,
    waypoints: [{ type: 'pickup', site_id: yard.pickup.id, ordinality: 0 }],
  };
  const asked = async (more: object) => (await yard.must('POST', '/v1/orders', { ...body, ...more }, token)).requester?.id;
  expect([await asked({}), await asked({ requester_id: yard.driver.id }), await asked({ requester_id: null })]).toEqual([
    user.id,
    yard.driver.id,
    undefined,
  ]);
  expect((await makeOrder(yard)).requester).toBeNull();
});
