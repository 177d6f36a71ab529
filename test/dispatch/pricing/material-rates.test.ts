import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let project: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  project = await tenant.must('POST', '/v1/projects', { name: 'Ring Road', account_id: tenant.account.id });
});
afterAll(() => app.close());

let materials = 0;
const material = async (): Promise<string> =>
  (await tenant.save(Material, { company: ref(tenant.company), name: `Stone ${++materials}` })).id;
const create = (body: object, token?: string) => tenant.http('POST', '/v1/material_rates', { unit_of_measure: 'Ton', ...body }, token);
const made = async (body: object = {}): Promise<Json> => {
  const answer = await create({ material_id: (body as Json).material_id ?? (await material()), ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
const ids = async (path: string): Promise<string[]> => (await tenant.must('GET', path)).map((one: Json) => one.id);

test('a price is created, changed and discarded over both interfaces, exact to four decimals', async () => {
  const material_id = await material();
  const rate = await made({ material_id, buy_price: '8.1255', sell_price: 12.5, site_id: tenant.pickup.id });
  expect(rate).toMatchObject({
    buy_price: '8.1255',
    sell_price: '12.5',
    unit_of_measure: 'Ton',
    material: { id: material_id },
    site: { id: tenant.pickup.id },
    project: null,
    customer_account: null,
    company: { id: tenant.company.id },
  });
  expect(await tenant.must('GET', `/v1/material_rates/${rate.id}`)).toEqual(rate);
  const { data } = await tenant.gql(
    'mutation($id: ID!, $input: UpdateMaterialRateInput!) { updateMaterialRate(id: $id, input: $input) { buyPrice sellPrice site { id } unitOfMeasure } }',
    { id: rate.id, input: { buyPrice: null, siteId: null, unitOfMeasure: 'Tonne' } },
  );
  expect(data.updateMaterialRate).toEqual({ buyPrice: null, sellPrice: '12.5', site: null, unitOfMeasure: 'Tonne' });
  const rows: Json[] = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by id', [rate.id]);
  expect(rows.map((row) => [row.event, row.object_changes.buy_price])).toEqual([
    ['create', [null, '8.1255']],
    ['update', ['8.1255', null]],
  ]);
  expect((await tenant.http('DELETE', `/v1/material_rates/${rate.id}`)).status).toBe(204);
  expect((await tenant.http('GET', `/v1/material_rates/${rate.id}`)).status).toBe(404);
  expect((await create({ material_id })).status).toBe(201);
});

test('a material has one price for each combination, even for concurrent requests', async () => {
  const material_id = await material();
  const combinations = [
    {},
    { site_id: tenant.pickup.id },
    { customer_account_id: tenant.account.id },
    { customer_account_id: tenant.account.id, site_id: tenant.pickup.id },
    { project_id: project.id },
    { project_id: project.id, site_id: tenant.pickup.id },
  ];
  for (const body of combinations) expect([body, (await create({ material_id, ...body })).status]).toEqual([body, 201]);
  for (const body of [...combinations, { project_id: project.id, customer_account_id: tenant.account.id }])
    expect([body, fieldsOf(await create({ material_id, unit_of_measure: 'Yard', ...body }))]).toEqual([body, ['material_id']]);
  const fresh = await material();
  const both = await Promise.all([create({ material_id: fresh }), create({ material_id: fresh })]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  const moved = await made();
  expect(fieldsOf(await tenant.http('PATCH', `/v1/material_rates/${moved.id}`, { material_id }))).toEqual(['material_id']);
});

test('errors are reported on their fields', async () => {
  const material_id = await material();
  const stranger = await makeTenant(app);
  const gone = await tenant.save(Material, { company: ref(tenant.company), name: 'Gone', discardedAt: new Date() });
  for (const [body, fields] of [
    [{}, ['material_id']],
    [{ material_id: gone.id }, ['material_id']],
    [{ material_id: stranger.material.id }, ['material_id']],
    [{ material_id, sell_price: -1, buy_price: 'much' }, ['buy_price', 'sell_price']],
    [{ material_id, unit_of_measure: 'Bucket' }, ['unit_of_measure']],
    [{ material_id, customer_account_id: tenant.vendor.id }, ['customer_account_id']],
    [{ material_id, site_id: stranger.pickup.id, project_id: stranger.company.id }, ['project_id', 'site_id']],
  ] as const)
    expect([body, fieldsOf(await create(body))]).toEqual([body, fields]);
  const { id: other } = await tenant.must('POST', '/v1/projects', {
    name: 'Of another',
    account_id: (await makeCustomer()).id,
  });
  expect(fieldsOf(await create({ material_id, project_id: other, customer_account_id: tenant.account.id }))).toEqual([
    'customer_account_id',
  ]);
  const rate = await made();
  expect(fieldsOf(await tenant.http('PATCH', `/v1/material_rates/${rate.id}`, { material_id: null, unit_of_measure: null }))).toEqual([
    'material_id',
    'unit_of_measure',
  ]);
  expect((await stranger.http('PATCH', `/v1/material_rates/${rate.id}`, { sell_price: 1 })).status).toBe(404);
});

const makeCustomer = (): Promise<Account> =>
  tenant.save(Account, { company: ref(tenant.company), name: 'Another', accountTypes: ['customer'] });

test('prices are shown to those who may see that side, and not cleared by sending back what was shown', async () => {
  const rate = await made({ buy_price: 3, sell_price: 5 });
  const clerk = await tenant.person({ roles: ['dispatcher'] });
  expect(await tenant.must('GET', `/v1/material_rates/${rate.id}`, undefined, clerk.token)).toMatchObject({
    buy_price: null,
    sell_price: null,
  });
  const company = await tenant.must('PATCH', tenant.path('/permission_toggles'), { dispatcher_edits_rates: true });
  expect(company.dispatcher_edits_rates).toBe(true);
  const fresh = (await tenant.person({ roles: ['dispatcher'] })).token;
  await tenant.must('PATCH', `/v1/material_rates/${rate.id}`, { buy_price: null, sell_price: null, unit_of_measure: 'Yard' }, fresh);
  expect(await tenant.must('GET', `/v1/material_rates/${rate.id}`)).toMatchObject({
    buy_price: '3',
    sell_price: '5',
    unit_of_measure: 'Yard',
  });
});

test('lists find prices by their conditions, a project has its own, and forms offer the fitting ones, the most specific first', async () => {
  const material_id = await material();
  const any = await made({ material_id, sell_price: 1 });
  const atSite = await made({ material_id, site_id: tenant.pickup.id });
  const ofCustomer = await made({ material_id, customer_account_id: tenant.account.id });
  const onProject = await made({ material_id, project_id: project.id });
  const elsewhere = await made({ material_id, site_id: tenant.dropoff.id });
  const list = (query: string) => ids(tenant.path(`/material_rates?filter[material_ids][]=${material_id}&${query}`));
  expect(await list('filter[default_only]=true')).toEqual([any.id]);
  expect((await list('filter[default_only]=false')).length).toBe(5);
  expect(await list(`filter[site_ids][]=${tenant.pickup.id}`)).toEqual([atSite.id]);
  expect(await list(`filter[customer_account_id]=${tenant.account.id}`)).toEqual([ofCustomer.id]);
  expect(await list(`filter[project_ids][]=${project.id}`)).toEqual([onProject.id]);
  expect(await ids(`/v1/projects/${project.id}/material_rates`)).toContain(onProject.id);
  expect(await ids(`/v1/projects/${project.id}/material_rates`)).not.toContain(any.id);
  const fits = `filter[material_id]=${material_id}&filter[site_id]=${tenant.pickup.id}&filter[customer_account_id]=${tenant.account.id}`;
  const offered = (query: string) => ids(tenant.path(`/material_rates/typeahead?${query}`));
  expect(await offered(`${fits}&filter[project_id]=${project.id}`)).toEqual([onProject.id, ofCustomer.id, atSite.id, any.id]);
  expect(await offered(`filter[material_id]=${material_id}&search[site][query]=brid`)).toEqual([elsewhere.id]);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/v1/projects/${project.id}/material_rates`)).status).toBe(404);
  for (const [path, most] of [
    [tenant.path('/material_rates'), 1],
    [tenant.path('/material_rates/typeahead'), 1],
    [`/v1/projects/${project.id}/material_rates`, 2],
  ] as const) {
    await tenant.must('GET', path);
    expect([path, (await app.countStatements(() => tenant.must('GET', path))).statements.length]).toEqual([path, most]);
  }
});

test('a load has the most specific price that fits its order, and the order’s own price precedes all', async () => {
  const material_id = await material();
  const other = await makeCustomer();
  const others = [
    { site_id: tenant.dropoff.id, sell_price: 90 },
    { customer_account_id: other.id, sell_price: 91 },
    { customer_account_id: tenant.account.id, site_id: tenant.dropoff.id, sell_price: 92 },
  ];
  const combinations = [
    { project_id: project.id, site_id: tenant.pickup.id },
    { project_id: project.id },
    { customer_account_id: tenant.account.id, site_id: tenant.pickup.id },
    { customer_account_id: tenant.account.id },
    { site_id: tenant.pickup.id },
    {},
  ];
  for (const body of others) await made({ material_id, ...body });
  const rates: Json[] = [];
  for (const [i, body] of combinations.entries()) rates.push(await made({ material_id, sell_price: i + 10, buy_price: i, ...body }));
  const priced = async (more: object = {}) => {
    const order = await makeOrder(tenant, { material_id, project_id: project.id, ...more });
    const [load] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
    return { order, price: load.material_rate_assignment };
  };
  for (const [i, rate] of rates.entries()) {
    const { price } = await priced();
    expect([i, price]).toMatchObject([i, { sell_price: `${i + 10}`, buy_price: `${i}`, unit_of_measure: 'Ton' }]);
    expect(price.site?.id).toBe(rate.site?.id);
    const own = await priced({ material_rate_sell_price: 5, material_rate_unit_of_measure: 'Yard' });
    expect(own.price).toMatchObject({ sell_price: '5', buy_price: null, unit_of_measure: 'Yard', site: null });
    expect((await tenant.http('DELETE', `/v1/material_rates/${rate.id}`)).status).toBe(204);
  }
  const { order, price } = await priced();
  expect(price).toBeNull();
  // Another material, another price, for the trucks that have not left.
  const dear = await made({ sell_price: 77 });
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { material_id: dear.material.id });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  expect(job.material_rate_assignment).toMatchObject({ sell_price: '77', unit_of_measure: 'Ton' });
});

const assigned = (one: Json) =>
  one.material_rate_assignment && [one.material_rate_assignment.sell_price, one.material_rate_assignment.buy_price];
const pricesOf = async (order: Json): Promise<Json[]> => {
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const loads = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  const by = (one: Json) => `${one.job_id ?? one.load_id}`;
  return [...jobs, ...loads].sort((a, b) => by(a).localeCompare(by(b))).map(assigned);
};

test('loads have the price of their job, whatever changes it before the truck leaves', async () => {
  const material_id = await material();
  const dear = await material();
  await made({ material_id, sell_price: 30, buy_price: 3 });
  await made({ material_id, sell_price: 40, buy_price: 4, site_id: tenant.pickup.id });
  await made({ material_id: dear, sell_price: 77, buy_price: 7 });
  const order = await makeOrder(tenant, { material_id });
  const patch = (body: object) => tenant.must('PATCH', `/v1/orders/${order.id}`, body);
  expect(await pricesOf(order)).toEqual([
    ['40', '4'],
    ['40', '4'],
  ]);
  const pickup = order.waypoints.find((one: Json) => one.type === 'pickup');
  await patch({ waypoints: [{ id: pickup.id, site_id: tenant.dropoff.id }] });
  expect(await pricesOf(order)).toEqual([
    ['30', '3'],
    ['30', '3'],
  ]);
  await patch({ material_id: dear });
  expect(await pricesOf(order)).toEqual([
    ['77', '7'],
    ['77', '7'],
  ]);
  await patch({ material_rate_sell_price: 15, material_rate_buy_price: 9 });
  expect(await pricesOf(order)).toEqual([
    ['15', '9'],
    ['15', '9'],
  ]);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { material_rate_assignment: { sell_price: 66 } });
  expect(await pricesOf(order)).toEqual([
    ['66', '9'],
    ['66', '9'],
  ]);
  await patch({ material_rate_buy_price: 8 });
  expect(await pricesOf(order)).toEqual([
    ['66', '8'],
    ['66', '8'],
  ]);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { material_rate_assignment: { sell_price: 15 } });
  await patch({ material_rate_sell_price: 16 });
  expect(await pricesOf(order)).toEqual([
    ['16', '8'],
    ['16', '8'],
  ]);
});

test('a job with another material or pickup has its own price, and so have its planned loads, except a price set on a load', async () => {
  const material_id = await material();
  const dear = await material();
  await made({ material_id, sell_price: 30 });
  await made({ material_id, sell_price: 40, site_id: tenant.pickup.id });
  await made({ material_id: dear, sell_price: 77 });
  const order = await makeOrder(tenant, { material_id, truck_count: 2, loads_per_truck: 2 });
  const [first, second] = (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) =>
    a.job_id.localeCompare(b.job_id),
  );
  const loadsOf = (job: Json) => tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  await tenant.must('PATCH', `/v1/loads/${(await loadsOf(first))[1].id}`, { material_rate_assignment: { sell_price: 5 } });
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { material_id: dear });
  const stop = second.waypoints.find((one: Json) => one.type === 'pickup');
  await tenant.must('PATCH', `/v1/jobs/${second.id}`, { waypoints: [{ id: stop.id, site_id: tenant.dropoff.id }] });
  const sold = async () => (await pricesOf(order)).map((price) => price?.[0] ?? null);
  expect(await sold()).toEqual(['77', '77', '5', '30', '30', '30']);
  expect((await loadsOf(first)).map((load: Json) => load.material.id)).toEqual([dear, dear]);
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { material_id: await material() });
  expect([(await loadsOf(first))[0].material.id, (await loadsOf(second))[0].material.id !== material_id]).toEqual([dear, true]);
  expect(await sold()).toEqual(['77', '77', '5', null, null, null]);
});
