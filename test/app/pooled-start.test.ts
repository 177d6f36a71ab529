import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findPgBouncer, startPgBouncer } from '../../scripts/pooler/pgbouncer.ts';
import { freshDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';

// It takes a first start, so that npm run test:pooler alone runs it; test/platform/database/pooler.test.ts is always run.
const pooled = process.env.HAULGATE_TEST_POOLER ? test : test.skip;

let data: string;
const undo: (() => Promise<void>)[] = [];
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
  for (const one of undo.splice(0)) await one();
});

async function through(url: string, settings: Record<string, string | number> = {}): Promise<string> {
  const bouncer = await startPgBouncer(findPgBouncer()!, url, [url], settings);
  undo.push(() => bouncer.stop());
  return bouncer.through(url);
}

async function doctor(DATABASE_URL: string): Promise<string> {
  const product = startProduct({ HAULGATE_DATA: data, DATABASE_URL }, 'src/doctor.ts');
  await product.ended;
  expect(product.stderr()).toBe('');
  return product.stdout().replace(/ +/g, ' ');
}

pooled('the product starts, migrates, makes the demo and answers through one URL, which leads to a pooler', async () => {
  const direct = await freshDatabase();
  const DATABASE_URL = await through(direct);
  const product = startProduct({ PORT: '0', HAULGATE_DATA: data, HAULGATE_DEMO: 'on', DATABASE_URL });
  const [, url] = await product.says(/"url":"(http:[^"]+)".*"msg":"ready"/);
  expect(product.stdout()).toMatch(/"prepares":(true|false),.*"msg":"a pooler is before the database"/);
  expect(product.stdout()).not.toMatch(/row-level security does not bind/);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);

  const said = await doctor(DATABASE_URL);
  expect(said).toMatch(/good row-level security: binds the product, which acts as haulgate_app/);
  expect(said).toMatch(/pooler: (gives each transaction a connection|keeps no count of prepared statements)/);
  expect(said).not.toMatch(/wrong pooler/);

  expect(await doctor(await through(direct, { pool_mode: 'session' }))).toMatch(/look pooler: gives every client a connection of its own/);
  // The console of PgBouncer shows its settings to logins that may see them.
  const { username } = new URL(direct);
  const small = await doctor(await through(direct, { default_pool_size: 2, max_client_conn: 9, stats_users: username }));
  expect(small).toMatch(/wrong pooler: gave 2 connections within 3 s, and \d are needed at a time: imports hold up to/);
  expect(small).toMatch(/wrong pooler: takes 9 clients, and 1 process with 10 and 1 connections are 11: raise max_client_conn/);
  const statements = await through(direct, { pool_mode: 'statement' });
  expect(await doctor(statements)).toMatch(/wrong .*refuses transactions: set pool_mode = transaction/);
  const refused = startProduct({ PORT: '0', HAULGATE_DATA: data, DATABASE_URL: statements });
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toMatch(/refuses transactions: set pool_mode = transaction/);
});
