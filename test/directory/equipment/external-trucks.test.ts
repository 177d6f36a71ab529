import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const at = (tenant: Tenant, rest = '') => tenant.path(`/account_external_truck_identifiers${rest}`);
let tickets = 0;
const ticket = (truck_id: string, vendor: string): Json => ({
  ticket_number: `T-${++tickets}`,
  service_date: '2026-11-23T15:00:00Z',
  quantity: 12,
  unit_of_measure: 'Ton',
  truck_id,
  vendor: { name: vendor },
});
/** The ticket that came of a payload. */
async function sent(tenant: Tenant, body: object): Promise<Json> {
  const { records } = await tenant.must('POST', '/ingest/tickets', { tickets: [body] });
  await app.settled();
  const { result_id } = await tenant.must('GET', `/v1/imported_records/${records[0].id}`);
  return tenant.must('GET', `/v1/tickets/${result_id}`);
}
/** A customer, and a connected vendor that shares a truck with it. */
async function connected() {
  const [customer, vendor] = [await makeTenant(app), await makeTenant(app)];
  const account = await customer.must('POST', customer.path('/accounts/connected'), {
    platform_id: vendor.company.platformId,
    account_types: ['vendor'],
  });
  const type = await vendor.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const truck = await vendor.must('POST', '/v1/equipment', { name: 'Big Red', equipment_type_id: type.id });
  const share = await vendor.must('POST', '/v1/company_shares', {
    receiver_company_id: customer.company.id,
    company_shareable_id: truck.id,
    company_shareable_type: 'Equipment',
    dispatchable: true,
  });
  return { customer, vendor, account, truck, share };
}

test("a vendor's ticket stores its name for a truck, and later tickets find the truck once somebody assigned it", async () => {
  const { customer, account, truck, share } = await connected();
  expect(await sent(customer, ticket('RED 1', account.name))).toMatchObject({ state: 'new', job_id: null });
  const [named] = await customer.must('GET', at(customer));
  expect(named).toMatchObject({
    account: { id: account.id, name: account.name, connected_company: { id: account.connected_company.id } },
    vendor_account: { id: account.id },
    company_share: null,
    external_truck_id: 'RED 1',
    last_ticket_received_at: expect.any(String),
  });
  expect('customer_account' in named).toBe(false);
  await customer.must('PATCH', `/v1/accounts/${account.id}`, { account_types: ['vendor', 'customer'] });
  expect((await customer.must('GET', at(customer)))[0]).toMatchObject({
    vendor_account: { id: account.id },
    customer_account: { id: account.id },
  });
  await customer.must('PATCH', `/v1/accounts/${account.id}`, { account_types: ['vendor'] });
  await sent(customer, ticket('RED 1', account.name));
  const [again, ...others] = await customer.must('GET', at(customer));
  expect([again.id, others]).toEqual([named.id, []]);
  expect(Date.parse(again.last_ticket_received_at)).toBeGreaterThan(Date.parse(named.last_ticket_received_at));
  const meant = await customer.must('PATCH', at(customer, `/${named.id}`), { company_share_id: share.id });
  expect(meant).toMatchObject({ id: named.id, company_share: { id: share.id, company_shareable: { id: truck.id, name: 'Big Red' } } });
  expect(await customer.must('GET', at(customer, `/${named.id}`))).toEqual(meant);
  const order = await makeOrder(customer);
  const [job] = await customer.must('GET', `/v1/orders/${order.id}/jobs`);
  await customer.must('POST', `/v1/jobs/${job.id}/equipment`, { equipment_id: truck.id });
  const found = await sent(customer, { ...ticket('RED 1', account.name), platform_order_id: order.id });
  expect(found).toMatchObject({ state: 'pending', job_id: job.id });
  expect((await customer.must('PATCH', at(customer, `/${named.id}`), {})).company_share.id).toBe(share.id);
  expect((await customer.must('PATCH', at(customer, `/${named.id}`), { company_share_id: null })).company_share).toBeNull();
});

test('names without a truck can be filtered, and a name whose share has ended is among them again', async () => {
  const { customer, vendor, account, share } = await connected();
  await sent(customer, ticket('A', account.name));
  await sent(customer, ticket('B', account.name));
  await sent(customer, ticket('C', 'Vendor'));
  const list = async (query: string) =>
    (await customer.must('GET', at(customer, `?${query}`))).map((one: Json) => one.external_truck_id).sort();
  expect(await list(`filter[account_id]=${account.id}`)).toEqual(['A', 'B']);
  const [b] = (await customer.must('GET', at(customer))).filter((one: Json) => one.external_truck_id === 'B');
  await customer.must('PATCH', at(customer, `/${b.id}`), { company_share_id: share.id });
  expect([await list('filter[missing_company_share]=true'), await list('filter[missing_company_share]=false')]).toEqual([
    ['A', 'C'],
    ['B'],
  ]);
  expect((await app.countStatements(() => list(''))).statements).toHaveLength(1);
  expect((await vendor.http('DELETE', `/v1/company_shares/${share.id}`)).status).toBe(204);
  expect(await list('filter[missing_company_share]=true')).toEqual(['A', 'B', 'C']);
});

test("only a valid share of this vendor's truck is accepted, with the permission; a name can be deleted", async () => {
  const { customer, vendor, account, share } = await connected();
  const other = await connected();
  await sent(customer, ticket('X', account.name));
  const [{ id }] = await customer.must('GET', at(customer));
  const driver = await vendor.must('POST', '/v1/company_shares', {
    receiver_company_id: customer.company.id,
    company_shareable_id: vendor.driver.id,
    company_shareable_type: 'User',
  });
  for (const company_share_id of [driver.id, other.share.id, 'seven']) {
    const refused = await customer.http('PATCH', at(customer, `/${id}`), { company_share_id });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['company_share_id']]);
  }
  const { token } = await customer.person({ roles: ['driver'] });
  for (const [method, body] of [['PATCH', { company_share_id: share.id }], ['DELETE']] as const) {
    expect((await customer.http(method, at(customer, `/${id}`), body, token)).status).toBe(404);
    expect((await vendor.http(method, at(vendor, `/${id}`), body)).status).toBe(404);
  }
  expect((await vendor.http('GET', at(vendor, `/${id}`))).status).toBe(404);
  expect((await customer.http('DELETE', at(customer, `/${id}`))).status).toBe(204);
  expect(await customer.must('GET', at(customer))).toEqual([]);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event from audit_entry where subject_id = ? order by created_at', [id]);
  expect(rows.map((row: Json) => row.event)).toEqual(['create', 'destroy']);
});
