import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const named = (records: { name: string }[]) => records.map(({ name }) => name);

test('an add-on is created, read, changed and discarded, over both interfaces', async () => {
  const made = await tenant.must('POST', tenant.path('/add_ons'), {
    name: ' Washout ',
    add_on_types: ['invoicing', 'job', 'job'],
    revenue_rate_value: 35.5,
    cost_rate_value: '20',
    external_id: 'WO',
    taxable: true,
  });
  expect(made).toEqual({
    ...{ id: expect.any(String), name: 'Washout', add_on_types: ['invoicing', 'job'], quantity: '1', percentage: '0', taxable: true },
    ...{ revenue_rate_value: '35.5', rate: '35.5', cost_rate_value: '20', external_id: 'WO', accounting_id: null },
    ...{ revenue_cost_rate_type: 'RateForEach', add_on_rate_type: 'RateForEach', created_at: made.created_at, updated_at: made.updated_at },
    company: expect.objectContaining({ id: tenant.company.id }),
  });
  expect(await tenant.must('GET', `/v1/add_ons/${made.id}`)).toEqual(made);
  const changed = await tenant.must('PATCH', `/v1/add_ons/${made.id}`, { cost_rate_value: null, add_on_rate_type: 'PerLoad' });
  expect(changed).toEqual({
    ...made,
    ...{ cost_rate_value: null, revenue_cost_rate_type: 'PerLoad', add_on_rate_type: 'PerLoad', updated_at: changed.updated_at },
  });
  const { data } = await tenant.gql('mutation($id: ID!) { deleteAddOn(id: $id) }', { id: made.id });
  expect(data.deleteAddOn).toBe(made.id);
  expect((await tenant.http('GET', `/v1/add_ons/${made.id}`)).status).toBe(404);
  expect(await tenant.must('GET', tenant.path('/add_ons'))).toEqual([]);
  // It frees its name.
  await tenant.must('POST', '/v1/add_ons', { name: 'Washout', add_on_types: ['job'] });
  const audit = await app.orm.em
    .fork()
    .execute<{ event: string }[]>('select event from audit_entry where subject_id = ? order by created_at, id', [made.id]);
  expect(audit.map(({ event }) => event)).toEqual(['create', 'update', 'update']);
});

test('the newer name of a rate takes precedence over the older one', async () => {
  const both = { revenue_rate_value: 2, rate: 1, revenue_cost_rate_type: 'PerLoad', add_on_rate_type: 'RateForEach' };
  const made = await tenant.must('POST', '/v1/add_ons', { name: 'Both', add_on_types: ['settlement'], ...both });
  expect([made.rate, made.revenue_rate_value, made.add_on_rate_type]).toEqual(['2', '2', 'PerLoad']);
  const older = await tenant.must('PATCH', `/v1/add_ons/${made.id}`, { rate: 3 });
  expect([older.rate, older.revenue_rate_value]).toEqual(['3', '3']);
});

test('null in a field that cannot be empty changes nothing', async () => {
  const nulls = { quantity: null, percentage: null, revenue_rate_value: null, cost_rate_value: null, taxable: null, rate: null };
  const made = await tenant.must('POST', '/v1/add_ons', { name: 'Bare', add_on_types: ['job'], revenue_cost_rate_type: null, ...nulls });
  const bare = { quantity: '1', percentage: '0', revenue_rate_value: '0', cost_rate_value: null, taxable: false };
  expect(made).toMatchObject({ ...bare, revenue_cost_rate_type: 'RateForEach' });
  const taxed = await tenant.must('PATCH', `/v1/add_ons/${made.id}`, { taxable: true, quantity: 3 });
  const same = await tenant.http('PATCH', `/v1/add_ons/${made.id}`, { add_on_types: null, ...nulls });
  expect([same.status, same.body.data]).toMatchObject([200, { ...taxed, updated_at: expect.any(String) }]);
});

test('wrong input names its fields and creates nothing', async () => {
  const wrong: [object, string[]][] = [
    [{}, ['add_on_types', 'name']],
    [{ name: ' ', add_on_types: [] }, ['add_on_types', 'name']],
    [{ name: 'Wrong', add_on_types: ['tip'] }, ['add_on_types.0']],
    [{ name: 'Wrong', add_on_types: ['job'], percentage: -100.01 }, ['percentage']],
    [{ name: 'Wrong', add_on_types: ['job'], percentage: '2.00001' }, ['percentage']],
    [{ name: 'Wrong', add_on_types: ['job'], quantity: -1 }, ['quantity']],
    [{ name: 'Wrong', add_on_types: ['job'], quantity: '1.00001' }, ['quantity']],
    [
      { name: 'Wrong', add_on_types: ['job'], revenue_rate_value: 1e12, cost_rate_value: '0.00001' },
      ['cost_rate_value', 'revenue_rate_value'],
    ],
    [{ name: 'Wrong', add_on_types: ['job'], rate: '1.00001' }, ['rate']],
    [{ name: 'Wrong', add_on_types: ['job'], fuel_surcharge_schedule_id: tenant.pickup.id }, ['fuel_surcharge_schedule_id']],
  ];
  for (const [body, fields] of wrong) {
    const answer = await tenant.http('POST', '/v1/add_ons', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  await tenant.must('POST', '/v1/add_ons', { name: 'Taken', add_on_types: ['job'] });
  const twice = await tenant.http('POST', '/v1/add_ons', { name: 'TAKEN', add_on_types: ['job'] });
  expect([twice.status, fieldsOf(twice)]).toEqual([422, ['name']]);
  expect(named(await tenant.must('GET', '/v1/add_ons'))).not.toContain('Wrong');
});

test('a form offers add-ons by their type and rate type', async () => {
  const own = await makeTenant(app);
  for (const [name, add_on_types, revenue_cost_rate_type] of [
    ['Tarp', ['job', 'invoicing'], 'RateForEach'],
    ['Wäsche', ['invoicing'], 'PerLoad'],
    ['Lease fee', ['driver_pay'], 'RatePercentOfTotal'],
  ])
    await own.must('POST', '/v1/add_ons', { name, add_on_types, revenue_cost_rate_type });
  const offered = async (query: string) => named(await own.must('GET', own.path(`/add_ons/typeahead?${query}`)));
  expect(await offered('')).toEqual(['Lease fee', 'Tarp', 'Wäsche']);
  expect(await offered('search[query]=WASCHE')).toEqual(['Wäsche']);
  expect(await offered('filter[add_on_types][]=invoicing')).toEqual(['Tarp', 'Wäsche']);
  expect(await offered('filter[add_on_rate_types]=PerLoad,RatePercentOfTotal')).toEqual(['Lease fee', 'Wäsche']);
  expect((await own.http('GET', own.path('/add_ons/typeahead?filter[add_on_types]=tip'))).status).toBe(422);
  const [first] = await own.must('GET', own.path('/add_ons/typeahead'));
  expect(first).toEqual({ id: expect.any(String), name: 'Lease fee', add_on_rate_type: 'RatePercentOfTotal' });
});

test('a caller who may not see rates gets none, and keeps them by sending the record back', async () => {
  const made = await tenant.must('POST', '/v1/add_ons', {
    name: 'Night',
    add_on_types: ['job'],
    revenue_rate_value: 9,
    cost_rate_value: 8,
  });
  const { token } = await tenant.person({ roles: ['driver'] });
  const shown = await tenant.must('GET', `/v1/add_ons/${made.id}`, undefined, token);
  expect([shown.revenue_rate_value, shown.rate, shown.percentage, shown.cost_rate_value]).toEqual([null, null, null, null]);
  const list = await tenant.http('GET', '/v1/add_ons', undefined, token);
  expect([list.status, JSON.stringify(list.body)]).toEqual([200, expect.not.stringMatching(/"[89]"/)]);
  expect((await tenant.http('PATCH', `/v1/add_ons/${made.id}`, { name: 'Day' }, token)).status).toBe(403);
  expect((await tenant.http('POST', '/v1/add_ons', { name: 'Day', add_on_types: ['job'] }, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/v1/add_ons/${made.id}`)).status).toBe(404);
  expect((await stranger.http('PATCH', `/v1/add_ons/${made.id}`, { name: 'Mine' })).status).toBe(404);
});
