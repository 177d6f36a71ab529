import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const QUERY = 'query Figures($first: Int) { orders(first: $first) { nodes { id jobs(first: 2) { nodes { id } } } } }';
const ask = (headers: Record<string, string> = {}, first = 10) => app.graphql(QUERY, { first }, { token: tenant.token, headers });

test('what a document costs, and how long it took, is reported on request', async () => {
  const plain = await ask();
  expect([plain.body.extensions, plain.headers.get('server-timing')]).toEqual([undefined, null]);
  const costed = await ask({ Prefer: 'cost' });
  expect(costed.body.data).toEqual(plain.body.data);
  const { cost } = costed.body.extensions;
  expect(cost).toMatchObject({ depth: 5, fields: 6, lists: 1, records: 0, most: { depth: 12, cost: 250_000 } });
  expect(costed.headers.get('server-timing')).toMatch(/^wait;dur=[\d.]+, run;dur=[\d.]+$/);
  expect(costed.headers.get('preference-applied')).toBe('cost');
  const more = (await ask({ Prefer: 'handling=strict; cost' }, 20)).body.extensions.cost;
  expect(more.cost).toBeGreaterThan(cost.cost);
  expect((await ask()).body.extensions).toBeUndefined();
});

test('the metrics have the time of operations by their names, and all without a name are one', async () => {
  await ask();
  await ask();
  await app.graphql('{ company { id } }', {}, { token: tenant.token });
  const { body } = await app.http('GET', '/metrics');
  expect(body).toMatch(/haulgate_graphql_seconds_count\{operation="Figures"\} [2-9]/);
  expect(body).toMatch(/haulgate_graphql_seconds_count\{operation="anonymous"\} \d/);
  const names = Array.from({ length: 120 }, (_, i) => `Invented${i}`);
  for (const name of names) await app.graphql(`query ${name} { company { id } }`, {}, { token: tenant.token });
  const after = (await app.http('GET', '/metrics')).body as string;
  expect(new Set(after.match(/haulgate_graphql_seconds_count\{operation="[^"]+"\}/g)).size).toBeLessThanOrEqual(102);
  expect(after).toContain('operation="other"');
});

test('a mutation that deletes answers the id of what it deleted', async () => {
  const made = await tenant.gql('mutation { createMaterial(input: { name: "Caliche" }) { id } }');
  const { id } = made.data.createMaterial;
  expect(await tenant.gql('mutation ($id: ID!) { deleteMaterial(id: $id) }', { id })).toEqual({ data: { deleteMaterial: id } });
  const again = await tenant.gql('mutation ($id: ID!) { deleteMaterial(id: $id) }', { id });
  expect([again.data, again.errors[0].extensions.code]).toEqual([{ deleteMaterial: null }, 'object_not_found']);
});

test('who has no token reads where documents are tried', async () => {
  const { status, body } = await app.graphql('{ company { id } }');
  expect([status, body.errors[0].extensions.workbench]).toEqual([401, '/graphql']);
});

test('root fields come by their names', async () => {
  const { data } = await tenant.gql('{ __schema { queryType { fields { name } } mutationType { fields { name } } } }');
  for (const { fields } of [data.__schema.queryType, data.__schema.mutationType]) {
    const names = fields.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
  }
});
