import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const STOPS = () =>
  `{ type: pickup, siteId: "${tenant.pickup.id}", ordinality: 0 }, { type: drop_off, siteId: "${tenant.dropoff.id}", ordinality: 1 }`;

async function ask(query: string, variables: Record<string, unknown>): Promise<Json> {
  const { data, errors } = await tenant.gql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

test('a variable that was not sent leaves the field of an input as it is, and one that is null clears it', async () => {
  const { id } = await makeOrder(tenant, { notes: 'Use gate 3', quantity: '12.5', unit_of_measure: 'Ton', trucks_per_delay: 2 });
  const update = `mutation ($id: ID!, $notes: String, $quantity: Decimal, $trucks: Int) {
    updateOrder(id: $id, input: { notes: $notes, quantity: $quantity, trucksPerDelay: $trucks }) { notes quantity trucksPerDelay } }`;
  const kept = { notes: 'Use gate 3', quantity: '12.5', trucksPerDelay: 2 };
  expect(await ask(update, { id })).toEqual({ updateOrder: kept });
  expect(await ask(update, { id, notes: 'Use gate 4' })).toEqual({ updateOrder: { ...kept, notes: 'Use gate 4' } });
  expect(await ask(update, { id, notes: null, quantity: '13.25' })).toEqual({ updateOrder: { ...kept, notes: null, quantity: '13.25' } });
});

test.each([
  ['Account', { name: 'Builder', notes: 'Pays late' }, 'accountTypes: customer'],
  ['Material', { name: 'Sand', externalId: 'S-1' }, ''],
  ['Site', { name: 'Pit', notes: 'North gate' }, ''],
  ['Project', { name: 'Bridge', notes: 'Night work' }, 'accountId: "ACCOUNT"'],
])('so it is with a variable of an update of %s', async (type, fields: Record<string, string>, more) => {
  const [name, other] = Object.keys(fields) as [string, string];
  const create = `mutation ($name: String!, $other: String) { made: create${type}(input: { name: $name, ${other}: $other ${more.replace('ACCOUNT', tenant.account.id)} }) { id } }`;
  const { id } = (await ask(create, { name: fields[name], other: fields[other] })).made;
  const update = `mutation ($id: ID!, $name: String, $other: String) { done: update${type}(id: $id, input: { name: $name, ${other}: $other }) { name ${other} } }`;
  expect(await ask(update, { id })).toEqual({ done: fields });
  expect(await ask(update, { id, name: 'Other' })).toEqual({ done: { ...fields, name: 'Other' } });
  expect(await ask(update, { id, other: null })).toEqual({ done: { name: 'Other', [other]: null } });
});

test('a null for something that is required inside of an input is refused by the argument, and changes nothing', async () => {
  const { id } = await makeOrder(tenant);
  const move = `mutation ($id: ID!, $at: DateTime = "2026-11-24T12:00:00Z") {
    createOrder(input: { loadAt: $at, truckCount: 1, truckDelay: 0, accountId: "${tenant.account.id}", serviceId: "${tenant.service.id}", waypoints: [${STOPS()}] }) { loadAt }
    updateOrder(id: $id, input: { notes: "still done" }) { notes } }`;
  const { data, errors } = await tenant.gql(move, { id, at: null });
  expect(data).toEqual({ createOrder: null, updateOrder: { notes: 'still done' } });
  expect(errors).toHaveLength(1);
  expect(errors[0].extensions).toMatchObject({
    code: 'bad_request',
    errors: [{ field: 'input', message: 'has a null where a value is required' }],
  });
  expect((await ask(move, { id })).createOrder).toEqual({ loadAt: '2026-11-24T12:00:00.000Z' });
});

test('variables inside of filters narrow only where they are sent', async () => {
  const query = `query ($states: [OrderState!], $from: DateTime, $before: DateTime, $account: ID!, $not: OrderState!) {
    orders(filter: { states: $states, loadAt: { from: $from, before: $before }, accountIds: [$account], not: { states: [$not] } }) { count { value } } }`;
  await makeOrder(tenant, { load_at: '2026-12-01T12:00:00.000Z' });
  const of = async (more: object) => (await ask(query, { account: tenant.account.id, not: 'canceled', ...more })).orders.count.value;
  const all = await of({});
  expect(all).toBeGreaterThan(1);
  expect(await of({ from: '2026-12-01T00:00:00Z' })).toBe(1);
  expect(await of({ before: '2026-12-01T00:00:00Z' })).toBe(all - 1);
  expect(await of({ states: 'rejected', from: null })).toBe(0);
  expect(await of({ not: 'created' })).toBe(0);
});
