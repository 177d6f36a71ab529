import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DocumentNode, parse } from 'graphql';
import { Prepared } from '../../src/platform/database/prepared.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { DocumentStore } from '../../src/platform/graphql/documents.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ productionPlans: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('documents with ids in their text are not prepared, a repeated one is', async () => {
  const order = await makeOrder(tenant);
  const prepared = async (): Promise<number> => {
    const { rows } = await (await poolOf(app.productOrm.em.fork())).query<{ count: number }>(
      `select count(*)::int as count from pg_prepared_statements where statement like '%"orders"%'`,
    );
    return rows[0]!.count;
  };
  const ask = async (text: string) => expect((await tenant.gql(text)).errors).toBeUndefined();
  await ask(`{ order(id: "${order.id}") { id state } }`);
  const before = await prepared();
  for (let i = 0; i < 30; i++)
    await ask(`{ a${i}: order(id: "${order.id}") { id ${i % 2 ? 'state' : 'name'} jobs(first: ${i + 1}) { nodes { id } } } }`);
  expect(await prepared()).toBe(before);
  for (let i = 0; i < 3; i++) await ask('{ orders(first: 7) { nodes { id jobs(first: 7) { nodes { id } } } } }');
  expect(await prepared()).toBe(before + 1);
});

/** Statements that the connections of the product keep prepared, by connection, with their lengths. */
async function kept(): Promise<number[][]> {
  const pool = await poolOf(app.productOrm.em.fork());
  const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
  const lengths = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<{ length: number }>(
        "select length(statement) as length from pg_prepared_statements where name not like 'haulgate%'",
      );
      return rows.map(({ length }) => length);
    }),
  );
  for (const client of clients) client.release();
  return lengths;
}

test('a connection keeps at most fifty statements and 131,072 characters, and the most recent ones still work', async () => {
  const texts = Array.from(
    { length: 80 },
    (_, i) => `{ a${i}: orders(first: ${(i % 99) + 1}) { nodes { id ${i % 2 ? 'name' : 'state'} } } }`,
  );
  for (let round = 0; round < 3; round++) {
    for (const text of texts) expect((await tenant.gql(text)).errors).toBeUndefined();
    // The statements of commands are among the fifty.
    await tenant.must('PATCH', `/v1/orders/${(await makeOrder(tenant)).id}`, { notes: `for the ${round}th time` });
  }
  const connections = (await kept()).filter((lengths) => lengths.length > 0);
  expect(Math.max(...connections.map((lengths) => lengths.length))).toBe(50);
  for (const lengths of connections) expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(131_072);
});

test('a large document of a client is not prepared, one of the product is', async () => {
  const order = await makeOrder(tenant, { truck_count: 2 });
  const waypoints = 'waypoints { id type site { id name address { id locality } } contact { id name } }';
  const wide = Array.from(
    { length: 12 },
    (_, i) => `j${i}: jobs(first: ${i + 1}) { nodes { id jobId ${waypoints} order { id ${waypoints} } } }`,
  );
  for (let i = 0; i < 5; i++) expect((await tenant.gql(`{ orders(first: 3) { nodes { id ${wide.join(' ')} } } }`)).errors).toBeUndefined();
  for (let i = 0; i < 5; i++) await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const { statements: texts } = await app.countStatements(() => tenant.gql(`{ orders(first: 3) { nodes { id ${wide.join(' ')} } } }`));
  const lengths = (await kept()).flat();
  expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(12_000);
  expect(texts.some(({ length }) => lengths.includes(length))).toBe(false);
  // The page of an order's jobs is larger still.
  expect(Math.max(...lengths)).toBeGreaterThan(12_000);
});

test('repeated statements are recognized among the last two thousand', () => {
  const prepared = new Prepared();
  const nameOf = (i: number) => prepared.nameOf({ name: `s${i}`, text: 'select' }, undefined);
  const names = (count: number) => Array.from({ length: count }, (_, i) => nameOf(i)).filter((name) => name !== undefined);
  expect(names(2_000)).toEqual([]);
  expect(names(2_000)).toHaveLength(2_000);
  // One more than are remembered, each asked before it is forgotten for the next.
  expect(names(2_001).length).toBeLessThan(2_001);
  expect(names(2_001)).toEqual([]);
});

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}: id`).join(' ');
/** Documents that a store keeps of the last 500 it was given. */
async function keptOf(document: DocumentNode): Promise<number> {
  const store = new DocumentStore();
  for (let i = 0; i < 500; i++) await store.set(`d${i}`, document);
  const found = await Promise.all(Array.from({ length: 500 }, (_, i) => store.get(`d${i}`)));
  const last = found.findIndex((one) => one !== undefined);
  // Those asked last, without a gap.
  expect(found.slice(last)).not.toContain(undefined);
  return 500 - last;
}

test('documents are kept parsed up to 32 MB together', async () => {
  const small = await keptOf(parse(`{ company { ${fields(10)} } }`));
  const large = await keptOf(parse(`{ company { ${fields(799)} } }`));
  const hidden = await keptOf(
    parse(`{ ...A } fragment A on Query { company { ${'...B '.repeat(20)} } } fragment B on Company { ${fields(40)} }`),
  );
  expect([small, large, hidden]).toEqual([500, 8, 9]);
  const doubling = Array.from(
    { length: 40 },
    (_, i) => `fragment F${i} on Company { ${i === 39 ? 'id' : `...F${i + 1} ... { ...F${i + 1} }`} }`,
  );
  expect(await keptOf(parse(`{ company { ...F0 } } ${doubling.join(' ')}`)).catch(() => 'none')).toBe('none');
});

test('a recently used document stays when others come', async () => {
  const store = new DocumentStore();
  const document = parse(`{ company { ${fields(799)} } }`);
  for (let i = 0; i < 8; i++) await store.set(`d${i}`, document);
  expect(await store.get('d0')).toBe(document);
  await store.set('d8', document);
  expect([await store.get('d0'), await store.get('d1'), await store.get('d8')]).toEqual([document, undefined, document]);
});
