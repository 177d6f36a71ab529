import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ACCOUNT_FIELDS } from '../../helpers/accounts.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { companyInput, fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const sql = <T>(text: string, values: unknown[] = []) => app.orm.em.getConnection().execute<T[]>(text, values);
const connect = (tenant: Tenant, other: Tenant, types = ['vendor'], token?: string) =>
  tenant.http('POST', tenant.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: types }, token);
const connectedOf = (tenant: Tenant, query = '') => tenant.must('GET', tenant.path(`/accounts/connected${query}`));

test("a company's billing status and settings are hidden from connected companies", async () => {
  const standing = { billingStatus: 'overdue', saasBillingPlan: 'pro', usageStatus: 'churned' } as const;
  const settings = { language: 'es', unitOfDistance: 'mile', systemOfMeasure: 'imperial' } as const;
  const [tenant, other] = [await makeTenant(app), await makeTenant(app, { company: { ...standing, ...settings } })];
  await connect(tenant, other);
  const [reported] = await tenant.must('GET', tenant.path('/connected_companies'));
  expect(reported).toMatchObject({
    id: other.company.id,
    billing_status: 'free_trial',
    saas_billing_plan: 'standard',
    usage_status: 'active',
  });
  const query =
    'query($id: ID!) { connectedCompanies(companyId: $id) { nodes { billingStatus saasBillingPlan usageStatus language unitOfDistance systemOfMeasure } } }';
  const { data } = await tenant.gql(query, { id: tenant.company.id });
  expect(data.connectedCompanies.nodes).toEqual([
    {
      billingStatus: null,
      saasBillingPlan: null,
      usageStatus: null,
      language: 'en',
      unitOfDistance: 'kilometer',
      systemOfMeasure: 'metric',
    },
  ]);
  const own = { billing_status: 'overdue', saas_billing_plan: 'pro', usage_status: 'churned' };
  expect(await other.must('GET', `/v1/companies/${other.company.id}`)).toMatchObject(own);
});

test('connecting creates an account on both sides, with opposite types', async () => {
  for (const [types, opposite] of [
    [['vendor'], ['customer']],
    [['customer'], ['vendor']],
    [
      ['customer', 'vendor'],
      ['vendor', 'customer'],
    ],
  ]) {
    const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
    const answer = await connect(tenant, other, types);
    expect(answer.status).toBe(201);
    const ours = answer.body.data;
    expect(Object.keys(ours).sort()).toEqual(ACCOUNT_FIELDS);
    expect(ours).toMatchObject({
      name: other.company.legalName,
      account_types: types,
      company: { id: tenant.company.id },
      connected_company: { id: other.company.id, platform_id: other.company.platformId },
      managed: false,
    });
    const [theirs] = await connectedOf(other);
    expect(theirs).toMatchObject({
      name: tenant.company.legalName,
      account_types: opposite,
      connected_company: { id: tenant.company.id },
      connected_account: { id: ours.id, account_types: types, discarded_at: null, truck_count: 0, auto_accept_orders: false },
    });
    expect(ours.connected_account).toEqual({
      id: theirs.id,
      account_types: opposite,
      discarded_at: null,
      truck_count: 0,
      auto_accept_orders: false,
    });
    expect((await other.must('GET', other.path('/connected_companies'))).map((one: { id: string }) => one.id)).toEqual([tenant.company.id]);
  }
});

test('both sides find in their audit log who connected them', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  await connect(tenant, other);
  const rows = await sql<{ company_id: string; created_by_name: string }>(
    "select company_id, created_by_name from audit_entry where subject_type = 'Account' and company_id in (?, ?)",
    [tenant.company.id, other.company.id],
  );
  expect(rows.map((row) => row.company_id).sort()).toEqual([tenant.company.id, other.company.id].sort());
  expect(new Set(rows.map((row) => row.created_by_name))).toEqual(new Set(['Office system']));
});

test('nobody is connected twice, not even concurrently from both sides', async () => {
  for (let round = 0; round < 5; round++) {
    const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
    const answers = await Promise.all([connect(tenant, other), connect(other, tenant), connect(tenant, other)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 422, 422]);
    expect([await connectedOf(tenant), await connectedOf(other)].map((list) => list.length)).toEqual([1, 1]);
  }
});

test('a discarded connection is used again, under the same id', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const { id } = (await connect(tenant, other)).body.data;
  await sql('update account set discarded_at = now() where id = ?', [id]);
  expect(await connectedOf(tenant)).toEqual([]);
  expect(await connectedOf(tenant, '?filter[discarded]=true')).toHaveLength(1);
  const again = await connect(tenant, other, ['customer']);
  expect(again.body.data).toMatchObject({ id, account_types: ['customer'], discarded_at: null });
  expect((await connectedOf(other))[0].account_types).toEqual(['vendor']);
});

test('wrong digits, the own company, no type and no permission connect nobody', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const post = (body: object, token?: string) => tenant.http('POST', tenant.path('/accounts/connected'), body, token);
  for (const [body, fields] of [
    [{ platform_id: 'FFFFFF', account_types: ['vendor'] }, ['platform_id']],
    [{ platform_id: 'FF', account_types: ['vendor'] }, ['platform_id']],
    [{ platform_id: tenant.company.platformId, account_types: ['vendor'] }, ['platform_id']],
    [{ platform_id: other.company.platformId, account_types: [] }, ['account_types']],
    [{ platform_id: other.company.platformId, account_types: ['friend'] }, ['account_types.0']],
    [{}, ['account_types', 'platform_id']],
  ] as const) {
    const answer = await post(body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await connect(tenant, other, ['vendor'], token)).status).toBe(403);
  expect((await connect(tenant, other, ['vendor'], other.token)).status).toBe(404);
  expect(await connectedOf(tenant)).toEqual([]);
});

test('a platform administrator connects any two companies, others two of their family', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const body = { sender_company_id: tenant.company.id, receiver_company_id: other.company.id, sender_account_types: ['customer'] };
  const refused = await tenant.http('POST', '/v1/accounts/connected', body);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['receiver_company_id']]);
  const { token } = await other.person({ roles: ['platform_admin'] });
  expect(await tenant.must('POST', '/v1/accounts/connected', body, token)).toMatchObject({
    company: { id: tenant.company.id },
    account_types: ['customer'],
  });
  expect((await connectedOf(other))[0].account_types).toEqual(['vendor']);
  const child = await tenant.must('POST', '/v1/companies', companyInput());
  expect(await tenant.must('POST', '/v1/accounts/connected', { ...body, receiver_company_id: child.id })).toMatchObject({
    connected_company: { id: child.id },
  });
});

test('connected accounts are found by type and by text', async () => {
  const [tenant, first, second] = [await makeTenant(app), await makeTenant(app), await makeTenant(app)];
  await connect(tenant, first, ['vendor']);
  await connect(tenant, second, ['customer']);
  const names = async (query: string) => (await connectedOf(tenant, query)).map((one: { name: string }) => one.name);
  expect(await names('')).toEqual([second.company.legalName, first.company.legalName]);
  expect(await names('?filter[account_types][]=vendor')).toEqual([first.company.legalName]);
  expect(await names(`?search[datagrid]=${second.company.legalName.replace(' ', '%20')}`)).toEqual([second.company.legalName]);
  expect(await tenant.must('GET', '/v1/accounts/connected?page[limit]=1')).toHaveLength(1);
  const { data } = await tenant.gql('{ connectedAccounts(sort: { name: asc }) { nodes { name connectedAccount { accountTypes } } } }');
  expect(data.connectedAccounts.nodes).toHaveLength(2);
});
