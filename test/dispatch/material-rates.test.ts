import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/account.entity.ts';
import { Material } from '../../src/directory/named.entities.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
let project: Json;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
  project = await yard.must('POST', '/v1/projects', { name: 'Ring Road', account_id: yard.account.id });
});
afterAll(() => app.close());

let materials = 0;
const material = async (): Promise<string> => (await yard.save(Material, { company: ref(yard.company), name: `Stone ${++materials}` })).id;
const create = (body: object, token?: string) => yard.http('POST', '/v1/material_rates', { unit_of_measure: 'Ton', ...body }, token);
const made = async (body: object = {}): Promise<Json> => {
  const answer = await create({ material_id: (body as Json).material_id ?? (await material()), ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
const ids = async (path: string): Promise<string[]> => (await yard.must('GET', path)).map((one: Json) => one.id);

test('a price is made, changed and discarded over both faces, exact to four decimals', async () => {
  const material_id = await material();
  const rate = await made({ material_id, buy_price: '8.1255', sell_price: 12.5, site_id: yard.pickup.id });
  expect(rate).toMatchObject({
    buy_price: '8.1255',
    sell_price: '12.5',
    unit_of_measure: 'Ton',
    material: { id: material_id },
    site: { id: yard.pickup.id },
    project: null,
    customer_account: null,
    company: { id: yard.company.id },
  });
  expect(await yard.must('GET', `/v1/material_rates/${rate.id}`)).toEqual(rate);
  const { data } = await yard.gql(
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
  expect((await yard.http('DELETE', `/v1/material_rates/${rate.id}`)).status).toBe(204);
  expect((await yard.http('GET', `/v1/material_rates/${rate.id}`)).status).toBe(404);
  expect((await create({ material_id })).status).toBe(201);
});

test('a material has one price for each combination, whoever asks first', async () => {
  const material_id = await material();
  const combinations = [
    {},
    { site_id: yard.pickup.id },
    { customer_account_id: yard.account.id },
    { customer_account_id: yard.account.id, site_id: yard.pickup.id },
    { project_id: project.id },
    { project_id: project.id, site_id: yard.pickup.id },
  ];
  for (const body of combinations) expect([body, (await create({ material_id, ...body })).status]).toEqual([body, 201]);
  for (const body of [...combinations, { project_id: project.id, customer_account_id: yard.account.id }])
    expect([body, fieldsOf(await create({ material_id, unit_of_measure: 'Yard', ...body }))]).toEqual([body, ['material_id']]);
  const fresh = await material();
  const both = await Promise.all([create({ material_id: fresh }), create({ material_id: fresh })]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  const moved = await made();
  expect(fieldsOf(await yard.http('PATCH', `/v1/material_rates/${moved.id}`, { material_id }))).toEqual(['material_id']);
});

test('what is wrong is told on its field', async () => {
  const material_id = await material();
  const stranger = await makeYard(app);
  const gone = await yard.save(Material, { company: ref(yard.company), name: 'Gone', discardedAt: new Date() });
  for (const [body, fields] of [
    [{}, ['material_id']],
    [{ material_id: gone.id }, ['material_id']],
    [{ material_id: stranger.material.id }, ['material_id']],
    [{ material_id, sell_price: -1, buy_price: 'much' }, ['buy_price', 'sell_price']],
    [{ material_id, unit_of_measure: 'Bucket' }, ['unit_of_measure']],
    [{ material_id, customer_account_id: yard.vendor.id }, ['customer_account_id']],
    [{ material_id, site_id: stranger.pickup.id, project_id: stranger.company.id }, ['project_id', 'site_id']],
  ] as const)
    expect([body, fieldsOf(await create(body))]).toEqual([body, fields]);
  const { id: other } = await yard.must('POST', '/v1/projects', {
    name: 'Of another',
    account_id: (await makeCustomer()).id,
  });
  expect(fieldsOf(await create({ material_id, project_id: other, customer_account_id: yard.account.id }))).toEqual(['customer_account_id']);
  const rate = await made();
  expect(fieldsOf(await yard.http('PATCH', `/v1/material_rates/${rate.id}`, { material_id: null, unit_of_measure: null }))).toEqual([
    'material_id',
    'unit_of_measure',
  ]);
  expect((await stranger.http('PATCH', `/v1/material_rates/${rate.id}`, { sell_price: 1 })).status).toBe(404);
});

const makeCustomer = (): Promise<Account> =>
  yard.save(Account, { company: ref(yard.company), name: 'Another', accountTypes: ['customer'] });

test('prices are shown to those who may see that side, and not wiped out by sending back what was shown', async () => {
  const rate = await made({ buy_price: 3, sell_price: 5 });
  const clerk = await yard.person({ roles: ['dispatcher'] });
  expect(await yard.must('GET', `/v1/material_rates/${rate.id}`, undefined, clerk.token)).toMatchObject({
    buy_price: null,
    sell_price: null,
  });
  const company = await yard.must('PATCH', yard.path('/permission_toggles'), { dispatcher_edits_rates: true });
  expect(company.dispatcher_edits_rates).toBe(true);
  const fresh = (await yard.person({ roles: ['dispatcher'] })).token;
  await yard.must('PATCH', `/v1/material_rates/${rate.id}`, { buy_price: null, sell_price: null, unit_of_measure: 'Yard' }, fresh);
  expect(await yard.must('GET', `/v1/material_rates/${rate.id}`)).toMatchObject({
    buy_price: '3',
    sell_price: '5',
    unit_of_measure: 'Yard',
  });
});

test('lists find prices by what they are for, a project has its own, and forms are offered what fits, the most particular first', async () => {
  const material_id = await material();
  const any = await made({ material_id, sell_price: 1 });
  const atSite = await made({ material_id, site_id: yard.pickup.id });
  const ofCustomer = await made({ material_id, customer_account_id: yard.account.id });
  const onProject = await made({ material_id, project_id: project.id });
  const elsewhere = await made({ material_id, site_id: yard.dropoff.id });
  const list = (query: string) => ids(yard.path(`/material_rates?filter[material_ids][]=${material_id}&${query}`));
  expect(await list('filter[default_only]=true')).toEqual([any.id]);
  expect((await list('filter[default_only]=false')).length).toBe(5);
  expect(await list(`filter[site_ids][]=${yard.pickup.id}`)).toEqual([atSite.id]);
  expect(await list(`filter[customer_account_id]=${yard.account.id}`)).toEqual([ofCustomer.id]);
  expect(await list(`filter[project_ids][]=${project.id}`)).toEqual([onProject.id]);
  expect(await ids(`/v1/projects/${project.id}/material_rates`)).toContain(onProject.id);
  expect(await ids(`/v1/projects/${project.id}/material_rates`)).not.toContain(any.id);
  const fits = `filter[material_id]=${material_id}&filter[site_id]=${yard.pickup.id}&filter[customer_account_id]=${yard.account.id}`;
  const offered = (query: string) => ids(yard.path(`/material_rates/typeahead?${query}`));
  expect(await offered(`${fits}&filter[project_id]=${project.id}`)).toEqual([onProject.id, ofCustomer.id, atSite.id, any.id]);
  expect(await offered(`filter[material_id]=${material_id}&search[site][query]=brid`)).toEqual([elsewhere.id]);
  const stranger = await makeYard(app);
  expect((await stranger.http('GET', `/v1/projects/${project.id}/material_rates`)).status).toBe(404);
  for (const [path, most] of [
    [yard.path('/material_rates'), 1],
    [yard.path('/material_rates/typeahead'), 1],
    [`/v1/projects/${project.id}/material_rates`, 2],
  ] as const) {
    await yard.must('GET', path);
    expect([path, (await app.countStatements(() => yard.must('GET', path))).statements.length]).toEqual([path, most]);
  }
});

test('a load has the most particular price that fits its order, and the order’s own before all', async () => {
  const material_id = await material();
  const other = await makeCustomer();
  const others = [
    { site_id: yard.dropoff.id, sell_price: 90 },
    { customer_account_id: other.id, sell_price: 91 },
    { customer_account_id: yard.account.id, site_id: yard.dropoff.id, sell_price: 92 },
  ];
  const combinations = [
    { project_id: project.id, site_id: yard.pickup.id },
    { project_id: project.id },
    { customer_account_id: yard.account.id, site_id: yard.pickup.id },
    { customer_account_id: yard.account.id },
    { site_id: yard.pickup.id },
    {},
  ];
  for (const body of others) await made({ material_id, ...body });
  const rates: Json[] = [];
  for (const [i, body] of combinations.entries()) rates.push(await made({ material_id, sell_price: i + 10, buy_price: i, ...body }));
  const priced = async (more: object = {}) => {
    const order = await makeOrder(yard, { material_id, project_id: project.id, ...more });
    const [load] = await yard.must('GET', yard.path(`/orders/${order.id}/loads`));
    return { order, price: load.material_rate_assignment };
  };
  for (const [i, rate] of rates.entries()) {
    const { price } = await priced();
    expect([i, price]).toMatchObject([i, { sell_price: `${i + 10}`, buy_price: `${i}`, unit_of_measure: 'Ton' }]);
    expect(price.site?.id).toBe(rate.site?.id);
    const own = await priced({ material_rate_sell_price: 5, material_rate_unit_of_measure: 'Yard' });
    expect(own.price).toMatchObject({ sell_price: '5', buy_price: null, unit_of_measure: 'Yard', site: null });
    expect((await yard.http('DELETE', `/v1/material_rates/${rate.id}`)).status).toBe(204);
  }
  const { order, price } = await priced();
  expect(price).toBeNull();
  // Another material, another price, for the trucks that have not left.
  const dear = await made({ sell_price: 77 });
  await yard.must('PATCH', `/v1/orders/${order.id}`, { material_id: dear.material.id });
  const [job] = await yard.must('GET', `/v1/orders/${order.id}/jobs`);
  expect(job.material_rate_assignment).toMatchObject({ sell_price: '77', unit_of_measure: 'Ton' });
});
