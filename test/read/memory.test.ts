import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { poolOf } from '../../src/platform/database/sql.ts';
import { DocumentStore } from '../../src/platform/graphql/documents.ts';
import { LIFETIME, Prepared } from '../../src/platform/read/prepared.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeYard, type Yard } from '../helpers/yard.ts';

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
});
afterAll(() => app.close());

test('documents with ids in their text leave nothing prepared, one that is asked again is', async () => {
  const order = await makeOrder(yard);
  const prepared = async (): Promise<number> => {
    const { rows } = await (await poolOf(app.served.em.fork())).query<{ count: number }>(
      `select count(*)::int as count from pg_prepared_statements where statement like '%"orders"%'`,
    );
    return rows[0]!.count;
  };
  const ask = async (text: string) => expect((await yard.gql(text)).errors).toBeUndefined();
  await ask(`{ order(id: "${order.id}") { id state } }`);
  const before = await prepared();
  for (let i = 0; i < 30; i++)
    await ask(`{ a${i}: order(id: "${order.id}") { id ${i % 2 ? 'state' : 'name'} jobs(first: ${i + 1}) { nodes { id } } } }`);
  expect(await prepared()).toBe(before);
  for (let i = 0; i < 3; i++) await ask('{ orders(first: 7) { nodes { id jobs(first: 7) { nodes { id } } } } }');
  expect(await prepared()).toBe(before + 1);
});

test('no more than 400 statements are prepared in the life of a connection', () => {
  let now = 0;
  const prepared = new Prepared(() => now);
  const names = () => Array.from({ length: 1_000 }, (_, i) => prepared.nameOf(`s${i}`)).filter((name) => name !== undefined);
  expect(names()).toEqual([]);
  expect(names()).toHaveLength(400);
  expect(prepared.nameOf('s0')).toBe('s0');
  now += LIFETIME * 1_000 + 1;
  expect(names()).toHaveLength(400);
});

test('the documents asked last are kept parsed', async () => {
  const store = new DocumentStore();
  const document = parse('{ company { id } }');
  for (let i = 0; i < 500; i++) await store.set(`d${i}`, document);
  expect(await store.get('d0')).toBe(document);
  await store.set('d500', document);
  expect([await store.get('d0'), await store.get('d1'), await store.get('d500')]).toEqual([document, undefined, document]);
});
