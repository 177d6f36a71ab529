import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { GUESSES } from '../../../src/directory/companies/find-company.ts';
import { takePoint } from '../../../src/platform/http/attempt-limits.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { companyInput, fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const MOVE = 'mutation($id: ID!, $to: ID) { moveCompany(id: $id, parentCompanyId: $to) { id parentCompany { id } } }';
const parentOf = async (id: string): Promise<string | null> => {
  const [row] = await app.orm.em
    .getConnection()
    .execute<{ parent_company_id: string | null }[]>('select parent_company_id from company where id = ?', [id]);
  return row!.parent_company_id;
};
const childIn = (tenant: Tenant, more: object = {}) => tenant.must('POST', '/v1/companies', companyInput(more));
const platformAdmin = async () => (await (await makeTenant(app)).person({ roles: ['platform_admin'] })).token;

test('a company is created below the own one, with all fields of the request', async () => {
  const tenant = await makeTenant(app);
  const body = companyInput({
    dba_name: 'Little',
    fuel_surcharge_percentage: 3.25,
    auth_methods: ['password'],
    default_lat: 30.25,
    default_lon: -97.5,
    site_radius: '120',
  });
  const made = await childIn(tenant, body);
  const { address, primary_contact: primary, billing_contact: billing, ...plain } = body;
  expect(made).toMatchObject({
    ...plain,
    platform_customer: false,
    fuel_surcharge_percentage: '3.25',
    default_lat: '30.25',
    default_lon: '-97.5',
    parent_company: { id: tenant.company.id },
    auto_complete_order: false,
    default_geofence_delay_seconds: 0,
  });
  expect(made.address).toMatchObject(address);
  expect([made.primary_contact, made.billing_contact]).toMatchObject([{ ...primary, phone: '+15125550199' }, billing]);
  expect(made.platform_id).toMatch(/^[0-9A-F]{6}$/);
  expect(await tenant.must('GET', `/v1/companies/${made.id}`)).toEqual(made);
  expect((await tenant.must('GET', tenant.path('/children'))).map((child: { id: string }) => child.id)).toEqual([made.id]);
});

test('missing and wrong fields are reported at once, and nothing is created', async () => {
  const tenant = await makeTenant(app);
  const required = await tenant.http('POST', '/v1/companies', {});
  expect([required.status, fieldsOf(required)]).toEqual([
    422,
    [
      'address',
      'billing_contact',
      'billing_status',
      'company_type',
      'currency',
      'date_format',
      'language',
      'legal_name',
      'primary_contact',
      'saas_billing_plan',
      'system_of_measure',
      'time_format',
      'time_zone',
      'unit_of_distance',
      'usage_status',
    ],
  ]);
  const stranger = await makeTenant(app);
  const wrong = companyInput({ parent_company_id: stranger.company.id, time_zone: 'Nowhere', billing_contact: { email: 'x' } });
  const answer = await tenant.http('POST', '/v1/companies', wrong);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['billing_contact.email', 'parent_company_id', 'time_zone']]);
  expect(await tenant.must('GET', tenant.path('/children'))).toEqual([]);
});

test('a company can be created below a child, and only a platform administrator creates one without a parent', async () => {
  const tenant = await makeTenant(app);
  const child = await childIn(tenant);
  const grandchild = await childIn(tenant, { parent_company_id: child.id });
  expect(grandchild.parent_company).toMatchObject({ id: child.id });
  expect((await childIn(tenant, { parent_company_id: null })).parent_company).toMatchObject({ id: tenant.company.id });
  const admin = await platformAdmin();
  expect((await tenant.must('POST', '/v1/companies', companyInput(), admin)).parent_company).toBeNull();
});

test("a parent's dispatcher works in a child by its path, and the child has services to sell", async () => {
  const tenant = await makeTenant(app);
  const child = await childIn(tenant);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const account = (await tenant.must('GET', `/v1/companies/${child.id}/orders`, undefined, token)) as unknown[];
  expect(account).toEqual([]);
  const services = await app.orm.em.getConnection().execute('select name, system from service where company_id = ?', [child.id]);
  expect(services).toHaveLength(3);
  const inChild = await tenant.http('POST', `/v1/companies/${child.id}/orders`, orderInput(tenant), token);
  // The parent's account, service and sites are not the child's.
  expect([inChild.status, fieldsOf(inChild)]).toEqual([422, ['account_id', 'service_id', 'waypoints.0.site_id', 'waypoints.1.site_id']]);
});

test("a role of the parent counts in every child, and a child's role nowhere above", async () => {
  const parent = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company) } });
  const order = await makeOrder(child);
  const dispatcher = await parent.person({ roles: ['dispatcher'] });
  const foreman = await parent.person({ roles: ['foreman'] });
  const below = await child.person({ roles: ['company_admin'] });
  const path = `${child.path('')}/orders/${order.id}`;
  expect((await parent.must('PATCH', path, { notes: 'from above' }, dispatcher.token)).notes).toBe('from above');
  expect((await parent.http('PATCH', path, { notes: 'no' }, foreman.token)).status).toBe(403);
  const mine = await makeOrder(parent);
  expect((await child.http('GET', `/v1/orders/${mine.id}`, undefined, below.token)).status).toBe(404);
  expect((await child.http('GET', parent.path('/orders'), undefined, below.token)).status).toBe(404);
});

test('without the permission nothing is created, moved or discarded', async () => {
  const tenant = await makeTenant(app);
  const child = await childIn(tenant);
  for (const role of ['dispatcher', 'biller', 'foreman', 'driver', 'manager', 'it_admin']) {
    const { token } = await tenant.person({ roles: [role] });
    expect([role, (await tenant.http('POST', '/v1/companies', companyInput(), token)).status]).toEqual([role, 403]);
    expect([role, (await tenant.http('DELETE', `/v1/companies/${child.id}`, undefined, token)).status]).toEqual([role, 403]);
  }
});

test('a company moves within its family, not out of it', async () => {
  const tenant = await makeTenant(app);
  const [north, south] = [await childIn(tenant), await childIn(tenant)];
  const { token } = await tenant.person({ roles: ['company_admin'] });
  expect((await tenant.gql(MOVE, { id: south.id, to: north.id }, token)).data.moveCompany.parentCompany.id).toBe(north.id);
  const problems = async (id: string, to: string | null, as = token) => (await tenant.gql(MOVE, { id, to }, as)).errors[0].extensions;
  expect(await problems(south.id, null)).toMatchObject({ code: 'unprocessable_content' });
  expect(await problems(north.id, south.id)).toMatchObject({ code: 'unprocessable_content' });
  expect(await problems(tenant.company.id, south.id)).toMatchObject({ code: 'unprocessable_content' });
  const stranger = await makeTenant(app);
  expect(await problems(south.id, stranger.company.id)).toMatchObject({ code: 'unprocessable_content' });
  expect(await problems(stranger.company.id, south.id)).toMatchObject({ code: 'object_not_found' });
  const admin = await platformAdmin();
  // A change without the parent takes nobody out of a family.
  expect((await tenant.gql(MOVE, { id: south.id }, admin)).data.moveCompany.parentCompany.id).toBe(north.id);
  expect((await tenant.gql(MOVE, { id: south.id, to: null }, admin)).data.moveCompany.parentCompany).toBeNull();
});

test('of concurrent moves that would close a circle at least one is refused, and the family stays a tree', async () => {
  const tenant = await makeTenant(app);
  for (let round = 0; round < 4; round++) {
    const ring = await Promise.all([childIn(tenant), childIn(tenant), childIn(tenant)]);
    const { token } = await tenant.person({ roles: ['company_admin'] });
    const answers = await Promise.all(ring.map((one, i) => tenant.gql(MOVE, { id: one.id, to: ring[(i + 1) % ring.length].id }, token)));
    const refused = answers.filter((answer) => answer.errors);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { errors } of refused) expect(['unprocessable_content', 'conflict']).toContain(errors[0].extensions.code);
    for (const one of ring) {
      let at: string | null = one.id;
      for (let steps = 0; at !== tenant.company.id; steps++) {
        expect(steps).toBeLessThan(10);
        at = await parentOf(at!);
      }
    }
  }
});

test('a discarded company disappears: its people, its addresses, its place in lists', async () => {
  const tenant = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const grandchild = await child.must('POST', '/v1/companies', companyInput());
  const path = `/v1/companies/${child.company.id}`;
  expect((await tenant.http('DELETE', path)).status).toBe(422);
  expect((await tenant.http('DELETE', `/v1/companies/${grandchild.id}`)).status).toBe(204);
  expect((await tenant.http('DELETE', path)).status).toBe(204);
  expect((await tenant.http('GET', path)).status).toBe(404);
  expect((await tenant.http('GET', `${path}/orders`)).status).toBe(404);
  expect(await tenant.must('GET', tenant.path('/children'))).toEqual([]);
  expect((await child.http('GET', '/v1/orders')).status).toBe(401);
  expect((await tenant.http('DELETE', path)).status).toBe(404);
  expect((await tenant.http('DELETE', `/v1/companies/${tenant.company.id}`)).status).toBe(422);
  const stranger = await makeTenant(app);
  expect((await stranger.http('DELETE', `/v1/companies/${tenant.company.id}`)).status).toBe(404);
  const late = await tenant.http('POST', '/v1/companies', companyInput({ parent_company_id: child.company.id }));
  expect([late.status, fieldsOf(late)]).toEqual([422, ['parent_company_id']]);
});

test('typeaheads offer id and name, alphabetically, of the family', async () => {
  const tenant = await makeTenant(app, { company: { legalName: 'Middle' } });
  for (const name of ['zeta stone', 'Alpha Stone']) await childIn(tenant, { legal_name: name });
  const offered = await tenant.must('GET', '/v1/companies/typeahead?search[query]=stone');
  expect(offered.map((one: object) => Object.keys(one).sort())).toEqual([
    ['id', 'legal_name'],
    ['id', 'legal_name'],
  ]);
  expect(offered.map((one: { legal_name: string }) => one.legal_name)).toEqual(['Alpha Stone', 'zeta stone']);
});

test('connected companies are those of undiscarded accounts', async () => {
  const [tenant, other, gone] = [await makeTenant(app), await makeTenant(app), await makeTenant(app)];
  const save = (to: Tenant, more: object = {}) =>
    app.orm.em
      .fork()
      .nativeUpdate(
        Account,
        { id: to === other ? tenant.vendor.id : tenant.account.id },
        { connectedCompany: to.company.id, ...more },
        { filters: { tenant: false } },
      );
  await save(other);
  await save(gone, { discardedAt: new Date() });
  const connected = await tenant.must('GET', tenant.path('/connected_companies'));
  expect(connected.map((one: { id: string }) => one.id)).toEqual([other.company.id]);
  // Fields that are hidden from others.
  expect(connected[0]).toMatchObject({ billing_contact: null, idp_organization_id: null, fuel_surcharge_percentage: '0' });
  const { address } = companyInput();
  const named = { address, primary_contact: { name: 'Front' }, billing_contact: { name: 'Books' }, fuel_surcharge_percentage: 12 };
  await other.must('PATCH', `/v1/companies/${other.company.id}`, { ...named, billing_contact: undefined });
  const reported = async (of: Tenant) => (await of.must('GET', of === tenant ? tenant.path('/connected_companies') : '/v1/companies'))[0];
  expect((await reported(other)).billing_contact.name).toBe('Front');
  await other.must('PATCH', `/v1/companies/${other.company.id}`, named);
  expect(await reported(other)).toMatchObject({ billing_contact: { name: 'Books' }, fuel_surcharge_percentage: '12' });
  expect(await reported(tenant)).toMatchObject({ billing_contact: { name: 'Front' }, fuel_surcharge_percentage: '0', address });
  const offered = await tenant.must(
    'GET',
    tenant.path(`/connected_companies/typeahead?search[query]=${other.company.legalName.split(' ')[1]}`),
  );
  expect(offered).toEqual([{ id: other.company.id, legal_name: other.company.legalName }]);
  expect(await other.must('GET', other.path('/connected_companies'))).toEqual([]);
  expect((await other.http('GET', tenant.path('/connected_companies'))).status).toBe(404);
});

test('six digits name their company to those who may connect', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const path = (id: string) => `/v1/companies/platform_id/${id}`;
  expect(await tenant.must('GET', path(other.company.platformId.toLowerCase()))).toEqual({
    id: other.company.id,
    legal_name: other.company.legalName,
  });
  expect((await tenant.http('GET', path('FFFFFF'))).status).toBe(404);
  expect((await tenant.http('GET', path('nonsense'))).status).toBe(404);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await tenant.http('GET', path(other.company.platformId), undefined, token)).status).toBe(403);
  const { data } = await tenant.gql('query($p: String!) { companyByPlatformId(platformId: $p) { legalName } }', {
    p: other.company.platformId,
  });
  expect(data.companyByPlatformId.legalName).toBe(other.company.legalName);
});

test('nobody finds strangers by trying six digits one by one', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const look = (id: string) => tenant.http('GET', `/v1/companies/platform_id/${id}`);
  const connect = (id: string) => tenant.http('POST', tenant.path('/accounts/connected'), { platform_id: id, account_types: ['vendor'] });
  for (let guess = 2; guess < GUESSES.points; guess++) await takePoint(app.productOrm.em, GUESSES, tenant.company.id);
  // A company that one knows is found without end.
  for (let known = 0; known < 3; known++) expect((await look(other.company.platformId)).status).toBe(200);
  expect([(await look('FFFFFF')).status, (await connect('FFFFFE')).status]).toEqual([404, 422]);
  const refused = await look(other.company.platformId);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0, refused.headers.get('ratelimit-remaining')]).toEqual([
    429,
    true,
    '0',
  ]);
  expect((await connect(other.company.platformId)).status).toBe(429);
  expect((await other.http('GET', `/v1/companies/platform_id/${tenant.company.platformId}`)).status).toBe(200);
});
