import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

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
const statusOf = async (method: string, path: string, body: object | undefined, token: string) =>
  (await tenant.http(method, path, body, token)).status;

test('a foreman requests orders and changes their own until they are accepted', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const made = await tenant.must(
    'POST',
    '/v1/orders',
    orderInput(tenant, { requester_id: foreman.user.id, state: 'pending_request' }),
    foreman.token,
  );
  const crewed = await makeOrder(tenant, { foreman_ids: [foreman.user.id] });
  const foreign = await makeOrder(tenant);
  const patch = (order: Json) => statusOf('PATCH', `/v1/orders/${order.id}`, { zone: 'Z' }, foreman.token);
  expect([await patch(made), await patch(crewed), await patch(foreign)]).toEqual([200, 200, 403]);
  for (const event of EVENTS)
    expect([event, await statusOf('PUT', `/v1/orders/${made.id}/${event}`, {}, foreman.token)]).toEqual([event, 403]);
  await tenant.must('PUT', `/v1/orders/${made.id}/accept`, {});
  expect(await patch(made)).toBe(403);
});

test('a dispatcher moves orders, and a driver reads the orders of their jobs', async () => {
  const order = await makeOrder(tenant, { driver_id: tenant.driver.id });
  expect(await statusOf('GET', `/v1/orders/${order.id}`, undefined, tenant.driver.token)).toBe(200);
  expect(await statusOf('PATCH', `/v1/orders/${order.id}`, { zone: 'Z' }, tenant.driver.token)).toBe(403);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect(await statusOf('PUT', `/v1/orders/${order.id}/accept`, {}, token)).toBe(200);
});

test('a vendor sees the order of its job and cannot change it', async () => {
  const hired = await makeTenant(app);
  const account = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Hired',
    accountTypes: ['vendor'],
    connectedCompany: ref(hired.company),
  });
  const order = await makeOrder(tenant, { vendor_id: account.id, truck_count: 2, customer_rate_value: 20, internal_notes: 'owes us' });
  const seen = await hired.must('GET', `/v1/orders/${order.id}`);
  expect([seen.id, seen.customer_rate_value, seen.internal_notes, order.internal_notes]).toEqual([order.id, null, null, 'owes us']);
  for (const event of EVENTS)
    expect([event, (await hired.http('PUT', `/v1/orders/${order.id}/${event}`, {})).status]).toEqual([event, 403]);
  expect((await hired.http('PATCH', `/v1/orders/${order.id}`, { zone: 'Z' })).status).toBe(403);
  expect((await hired.http('POST', `/v1/orders/${order.id}/copy`, {})).status).toBe(403);
  expect((await hired.http('GET', `/v1/orders/${order.id}/timeline`)).status).toBe(404);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).state).toBe('created');
});
