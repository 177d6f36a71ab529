import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, inviteInput, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const one = (id: string) => `/v1/accounts/${id}`;
const ADDRESS = { thoroughfare: '1 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' };
const make = (name: string, more: object = {}, to = tenant): Promise<Json> =>
  to.must('POST', '/v1/accounts', { name, account_types: ['customer'], auto_accept_orders: false, ...more });
const namesOf = (list: Json[]) => list.map((account) => account.name).sort();
/** Two companies that are connected; the vendor's trucks haul for the customer. */
async function connected(): Promise<{ customer: Tenant; vendor: Tenant; theirs: Json; ours: Json }> {
  const [customer, vendor] = [await makeTenant(app), await makeTenant(app)];
  const body = { platform_id: vendor.company.platformId, account_types: ['vendor'] };
  const ours = await customer.must('POST', customer.path('/accounts/connected'), body);
  const [theirs] = await vendor.must('GET', vendor.path('/accounts/connected'));
  return { customer, vendor, ours, theirs };
}

test('an account is created with all fields of the contract, changed in place and read', async () => {
  const department = await tenant.must('POST', '/v1/departments', { name: 'North' });
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Key', color: '#112233' });
  const made = await make(' Big Builder ', {
    account_types: ['customer', 'vendor', 'customer'],
    department: 'north',
    primary_contact: { name: 'Pia', email: ' pia@example.com ', phone: '(512) 555-0142' },
    billing_contact: { email: 'books@example.com' },
    address: ADDRESS,
    notes: 'Pays late',
    external_id: ' BB ',
    accounting_id: 'AC-9',
    truck_count: 12,
    auto_accept_orders: true,
    label_ids: [label.id],
  });
  expect(made).toMatchObject({
    name: 'Big Builder',
    discarded_at: null,
    account_types: ['customer', 'vendor'],
    external_id: 'BB',
    accounting_id: 'AC-9',
    company: { id: tenant.company.id },
    address: { ...ADDRESS, premise: null },
    billing_address: null,
    primary_contact: { name: 'Pia', email: 'pia@example.com', phone: '+15125550142' },
    billing_contact: { name: null, email: 'books@example.com', phone: null },
    notes: 'Pays late',
    truck_count: 12,
    auto_accept_orders: true,
    connected_company: null,
    connected_account: null,
    managed: false,
    schedule_on: false,
    department: { id: department.id, name: 'North' },
    labels: [{ id: label.id, name: 'Key', color: '#112233' }],
  });
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
  const changed = await tenant.must('PATCH', one(made.id), {
    primary_contact: { phone: '' },
    billing_contact: { _destroy: 1 },
    address: { locality: 'Waco' },
    department_id: null,
    notes: null,
    truck_count: null,
    label_ids: [],
  });
  expect(changed).toEqual({
    ...made,
    primary_contact: { ...made.primary_contact, phone: null },
    billing_contact: null,
    address: { ...made.address, locality: 'Waco' },
    department: null,
    notes: null,
    truck_count: 0,
    labels: [],
    updated_at: changed.updated_at,
  });
});

test('GraphQL creates the same record as REST', async () => {
  const { data } = await tenant.gql(
    `mutation ($input: CreateAccountInput!) { createAccount(input: $input) { id accountTypes truckCount autoAcceptOrders primaryContact { phone } } }`,
    { input: { name: 'By graph', accountTypes: ['vendor'], primaryContact: { phone: '+15125550143' } } },
  );
  expect(data.createAccount).toMatchObject({
    accountTypes: ['vendor'],
    truckCount: 0,
    autoAcceptOrders: false,
    primaryContact: { phone: '+15125550143' },
  });
  expect(await tenant.must('GET', one(data.createAccount.id))).toMatchObject({ name: 'By graph', account_types: ['vendor'] });
});

test('wrong input names every field and changes nothing', async () => {
  const made = await make('Steady', { address: ADDRESS });
  const stranger = await makeTenant(app);
  const theirs = await stranger.must('POST', '/v1/departments', { name: 'Theirs' });
  for (const [body, fields] of [
    [{ name: ' ', account_types: [] }, ['account_types', 'name']],
    [{ account_types: ['supplier'], truck_count: -1 }, ['account_types.0', 'truck_count']],
    [{ department: 'Theirs' }, ['department']],
    [{ department_id: theirs.id, label_ids: [theirs.id] }, ['department_id', 'label_ids.0']],
    [
      { primary_contact: { email: 'nowhere', phone: '12' }, billing_contact: { phone: 'call me' } },
      ['billing_contact.phone', 'primary_contact.email', 'primary_contact.phone'],
    ],
    [
      { address: { country: 'ZZ' }, billing_address: { locality: 'Waco' } },
      expect.arrayContaining(['address.country', 'billing_address.thoroughfare']),
    ],
    [{ connected_account: { truck_count: 3 } }, ['connected_account']],
  ] as [Json, Json][]) {
    const refused = await tenant.http('PATCH', one(made.id), body);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, fields]);
  }
  expect(fieldsOf(await tenant.http('POST', '/v1/accounts', {}))).toEqual(['account_types', 'name']);
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
});

test('an external id is taken until its account is discarded; two businesses may have one name', async () => {
  const first = await make('Smith Hauling', { external_id: 'S-1' });
  const refused = await tenant.http('POST', '/v1/accounts', { name: 'Other', account_types: ['vendor'], external_id: 'S-1' });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['external_id']]);
  const body = { name: 'Twin', account_types: ['vendor'], external_id: 'S-2' };
  const twins = await Promise.all([1, 2].map(() => tenant.http('POST', '/v1/accounts', body)));
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 422]);
  await make('Smith Hauling');
  await make('Elsewhere', { external_id: 'S-1' }, await makeTenant(app));
  await tenant.must('DELETE', one(first.id));
  await make('Smith Hauling', { external_id: 'S-1' });
});

test('a discarded account stays in its orders, leaves lists and forms, and takes no new orders', async () => {
  const made = await make('Old Customer');
  const order = await makeOrder(tenant, { account_id: made.id });
  expect((await tenant.http('DELETE', one(made.id))).status).toBe(204);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).account).toMatchObject({ id: made.id, name: 'Old Customer' });
  const found = async (query: string) => namesOf(await tenant.must('GET', tenant.path(`/accounts${query}`)));
  expect(await found('?search[datagrid]=old customer')).toEqual([]);
  expect(await found('/typeahead?search[query]=old')).toEqual([]);
  expect(await found('?filter[discarded]=true&search[datagrid]=old')).toEqual(['Old Customer']);
  expect((await tenant.must('GET', one(made.id))).discarded_at).not.toBeNull();
  for (const [method, body] of [['PATCH', { name: 'Back' }], ['DELETE']] as const)
    expect((await tenant.http(method, one(made.id), body)).status).toBe(404);
  const refused = await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { account_id: made.id }));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['account_id']]);
});

test('the types of connected accounts never contradict each other, whoever changes them', async () => {
  const { customer, vendor, ours, theirs } = await connected();
  const types = async (at: Tenant, id: string) => (await at.must('GET', one(id))).account_types;
  await customer.must('PATCH', one(ours.id), { account_types: ['vendor', 'customer'], name: 'Our hauler', notes: 'Secret' });
  expect(await types(vendor, theirs.id)).toEqual(['customer', 'vendor']);
  await vendor.must('PATCH', one(theirs.id), { account_types: ['customer'] });
  expect(await types(customer, ours.id)).toEqual(['vendor']);
  expect(await customer.must('GET', one(ours.id))).toMatchObject({ name: 'Our hauler', notes: 'Secret' });
  expect(await vendor.must('GET', one(theirs.id))).toMatchObject({ name: theirs.name, notes: null });
});

test('a vendor sets how many trucks it can send, and changes nothing else of the other account', async () => {
  const { customer, vendor, ours, theirs } = await connected();
  const changed = await vendor.must('PATCH', one(theirs.id), {
    connected_account: { truck_count: 7, notes: 'x', auto_accept_orders: true },
  });
  expect(changed).toMatchObject({ truck_count: 0, connected_account: { id: ours.id, truck_count: 7, auto_accept_orders: false } });
  expect(await customer.must('GET', one(ours.id))).toMatchObject({ truck_count: 7, notes: null });
  expect((await vendor.http('PATCH', one(ours.id), { truck_count: 1 })).status).toBe(404);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute("select company_id, object_changes from audit_entry where subject_id = ? and event = 'update'", [ours.id]);
  expect(rows.map((row: Json) => [row.company_id, row.object_changes.truck_count])).toContainEqual([customer.company.id, [0, 7]]);
});

test('lists are found by type, department, label, words and the type of the connected company, in one statement', async () => {
  const at = await makeTenant(app);
  const department = await at.must('POST', '/v1/departments', { name: 'East' });
  const label = await at.must('POST', at.path('/labels'), { name: 'Gold' });
  await make('East hauler', { account_types: ['vendor'], department_id: department.id }, at);
  const gold = await make('Gold customer', { label_ids: [label.id], external_id: 'GC-77' }, at);
  const price = { material_id: at.material.id, unit_of_measure: 'Ton', sell_price: '9', customer_account_id: gold.id };
  await at.must('POST', '/v1/material_rates', price);
  const business = await at.must('POST', '/v1/accounts/invite', inviteInput({ name: `Zed ${process.pid}`, company_type: 'broker' }));
  for (const [query, names] of [
    ['filter[account_types][]=vendor', ['East hauler', 'Vendor', business.name]],
    [`filter[department_ids][]=${department.id}`, ['East hauler']],
    [`filter[label_ids][]=${label.id}`, ['Gold customer']],
    ['search[datagrid]=gc-77', ['Gold customer']],
    ['filter[connected_company][company_types][]=broker', [business.name]],
    ['filter[material_rates]=true', ['Gold customer']],
    ['filter[material_rates]=false&search[datagrid]=customer', ['Customer']],
    ['filter[auto_add_ons]=true', []],
    ['filter[department_ids][]=none&filter[account_types][]=customer', ['Customer', 'Gold customer']],
  ] as const) {
    const path = at.path(`/accounts?${query}`);
    expect([query, namesOf(await at.must('GET', path))]).toEqual([query, names]);
    expect((await app.countStatements(() => at.must('GET', path))).statements).toHaveLength(1);
  }
  expect(await at.must('GET', '/v1/accounts/typeahead?filter[connected]=true')).toEqual([
    { id: business.id, name: business.name, connected_company: { id: business.connected_company.id }, schedule_on: false },
  ]);
  expect(namesOf(await at.must('GET', at.path('/accounts/typeahead?search[query]=HAUL east')))).toEqual(['East hauler']);
});

test("a managed company's accounts are changed by its manager, and by nobody else", async () => {
  const business = await tenant.must('POST', '/v1/accounts/invite', inviteInput());
  const managed = business.connected_company.id;
  const [theirs] = await app.orm.em.fork().getConnection().execute('select id from account where company_id = ?', [managed]);
  const path = tenant.path(`/managed_companies/${managed}/accounts/${theirs!.id}`);
  expect((await tenant.http('PATCH', path, { name: 'Early' })).status).toBe(404);
  await tenant.must('PUT', tenant.path(`/managed_companies/${managed}`), {});
  expect(await tenant.must('PATCH', path, { name: 'Our manager' })).toMatchObject({ name: 'Our manager', company: { id: managed } });
  expect((await tenant.http('PATCH', one(theirs!.id), { name: 'Mine' })).status).toBe(404);
});

test('without the permission it is refused, and strangers find nothing', async () => {
  const made = await make('Guarded');
  const [{ token }, stranger] = [await tenant.person({ roles: ['driver'] }), await makeTenant(app)];
  for (const [method, path, body] of [
    ['POST', '/v1/accounts', { name: 'New', account_types: ['customer'] }],
    ['PATCH', one(made.id), { name: 'Mine' }],
    ['DELETE', one(made.id)],
  ] as const) {
    expect((await tenant.http(method, path, body, token)).status).toBe(403);
    if (method !== 'POST') expect((await stranger.http(method, path, body)).status).toBe(404);
  }
  const { token: dispatcher } = await tenant.person({ roles: ['dispatcher'] });
  expect((await tenant.http('DELETE', one(made.id), undefined, dispatcher)).status).toBe(403);
  expect((await tenant.http('PATCH', one(made.id), { name: 'Mine' }, dispatcher)).status).toBe(200);
});
