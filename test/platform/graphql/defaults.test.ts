import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
/** Orders by their loading time and quantity, so that each of two sorts by both has an order of its own. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  for (const [name, load_at, quantity] of [
    ['early and little', '2026-11-23T12:00:00.000Z', '1'],
    ['early and much', '2026-11-23T12:00:00.000Z', '3'],
    ['late and little', '2026-11-24T12:00:00.000Z', '1'],
  ] as const)
    ids[name] = (await makeOrder(tenant, { load_at, quantity, unit_of_measure: 'Ton' })).id;
});
afterAll(() => app.close());

/** The names of the orders of a page, in their order. */
async function named(query: string, variables: object = {}): Promise<(string | undefined)[]> {
  const { data, errors } = await tenant.gql(query, variables as Record<string, unknown>);
  expect(errors).toBeUndefined();
  return data.orders.nodes.map((order: { id: string }) => Object.keys(ids).find((name) => ids[name] === order.id));
}

test('the default of a sort counts by its first key, as a sort that is sent does', async () => {
  const byTime = ['early and little', 'early and much', 'late and little'];
  const byQuantity = ['early and little', 'late and little', 'early and much'];
  const whole = (sort: string) => `query ($sort: OrderSort = ${sort}) { orders(sort: $sort) { nodes { id } } }`;
  expect(await named(whole('{ loadAt: asc, quantity: asc }'))).toEqual(byTime);
  expect(await named(whole('{ quantity: asc, loadAt: asc }'))).toEqual(byQuantity);
  expect(await named(whole('{ loadAt: asc, quantity: asc }'), { sort: { quantity: 'asc', loadAt: 'asc' } })).toEqual(byQuantity);
  const part = 'query ($quantity: SortDirection = asc) { orders(sort: { loadAt: asc, quantity: $quantity }) { nodes { id } } }';
  expect(await named(part)).toEqual(byTime);
  expect(await named(part, { quantity: 'desc' })).toEqual(['early and much', 'early and little', 'late and little']);
  const below = 'query ($sort: OrderSort = { quantity: asc, loadAt: asc }) { account(id: "ID") { orders(sort: $sort) { nodes { id } } } }';
  const { data } = await tenant.gql(below.replace('ID', tenant.account.id));
  expect(data.account.orders.nodes.map(({ id }: { id: string }) => id)).toEqual(byQuantity.map((name) => ids[name]));
});

test('defaults of moments and decimals are read as those that are sent', async () => {
  expect(await named(`query ($at: DateTime = "${new Date().toISOString()}") { orders(asOf: $at) { nodes { id } } }`)).toHaveLength(3);
  const least = 'query ($least: Decimal = 2.5) { orders(filter: { quantity: { min: $least } }) { nodes { id } } }';
  expect(await named(least)).toEqual(['early and much']);
  const below = `query ($least: Decimal = 2.5, $filter: OrderFilter = { loadAt: { before: "2026-11-24T00:00:00Z" }, states: created }) {
    account(id: "${tenant.account.id}") { much: orders(filter: { quantity: { min: $least } }) { nodes { id } } early: orders(filter: $filter) { count { value } } } }`;
  const { data, errors } = await tenant.gql(below);
  expect(errors).toBeUndefined();
  expect(data.account).toEqual({ much: { nodes: [{ id: ids['early and much'] }] }, early: { count: { value: 2 } } });
  const { id } = await makeOrder(tenant);
  const update = `mutation ($input: UpdateOrderInput = { quantity: 12345678901234.1235, loadAt: "2026-11-25T12:00:00Z" }) { updateOrder(id: "${id}", input: $input) { quantity loadAt } }`;
  const { data: done } = await tenant.gql(update.replace('UpdateOrderInput =', 'UpdateOrderInput! ='));
  expect(done.updateOrder).toEqual({ quantity: '12345678901234.1235', loadAt: '2026-11-25T12:00:00.000Z' });
});

test('a null that is sent takes no default, and a default may be what is required', async () => {
  const query = 'query ($first: Int = 1) { orders(first: $first) { nodes { id } } }';
  expect(await named(query)).toHaveLength(1);
  expect((await named(query, { first: null })).length).toBeGreaterThan(2);
  const one = `query ($id: ID! = "${ids['late and little']}") { order(id: $id) { id } }`;
  expect(await tenant.gql(one)).toEqual({ data: { order: { id: ids['late and little'] } } });
  const { errors } = await tenant.gql(one, { id: null });
  expect(errors[0].extensions).toMatchObject({ code: 'bad_request', variable: 'id' });
});
