import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';
import { processorTime } from './helpers/until.ts';

/** Milliseconds of computing that a request may take, during which the process answers nobody. */
const MOST = 2_000;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const IDS = 'query($given: [ID!]) { jobs(filter: { driverIds: $given }) { nodes { id } } }';
const FILTER = 'query($given: JobFilter) { jobs(filter: $given) { nodes { id } } }';
const many = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));

test.each([
  ['an id is missing in a list', IDS, many(150_000, () => null)],
  ['an id is an object', IDS, many(150_000, () => ({}))],
  ['a field is not known', FILTER, Object.fromEntries(many(20_000, (at) => [`field${at}`, 1]))],
  ['a condition has unknown fields', FILTER, { or: many(1_000, () => Object.fromEntries(many(50, (at) => [`f${at}`, 1]))) }],
])('a stranger whose variables are wrong a hundred thousand times delays nobody: %s', async (_, query, given) => {
  const spent = await processorTime(async () => {
    const { status, body } = await app.http('POST', '/graphql', { body: { query, variables: { given } }, token: undefined });
    expect([status, body.errors.length]).toEqual([400, 50]);
    expect(body.errors[0].message.length).toBeLessThan(400);
  });
  expect(spent).toBeLessThan(MOST);
});

test('a list of wrong ids is refused with the first thousand mistakes, over both interfaces', async () => {
  const { id } = await makeOrder(tenant);
  const foremen = many(150_000, () => 'x');
  const spent = await processorTime(async () => {
    const { status, body } = await tenant.http('PATCH', `/v1/orders/${id}`, { foreman_ids: foremen });
    expect([status, body.error.errors.length]).toEqual([422, 1_000]);
    const query = 'mutation($id: ID!, $f: [ID!]) { updateOrder(id: $id, input: { foremanIds: $f }) { id } }';
    const { errors } = await tenant.gql(query, { id, f: foremen });
    expect(errors[0].extensions.errors.length).toBeLessThanOrEqual(1_000);
  });
  expect(spent).toBeLessThan(2 * MOST);
});
