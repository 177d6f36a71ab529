import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { migratedDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, removeFolder, startInTerminal, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

test('a terminal shows the credentials of the demo when they are created, and a first request that works', async () => {
  const inTerminal = () => startInTerminal({ PORT: '0', HAULGATE_DATA: data });
  const product = inTerminal();
  const [, path] = await product.says(/(curl -s \S+\/v1\/projects) -H/);
  const [, asked] = /(TOKEN=\$\(.*\))/.exec(product.stdout())!;
  const { client_secret, users } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));
  for (const secret of [client_secret, users[0].password]) expect(product.stdout()).toContain(secret);
  const answer = spawnSync('bash', ['-c', `${asked}; ${path} -H "Authorization: Bearer $TOKEN"`], { encoding: 'utf8' });
  expect(JSON.parse(answer.stdout).data).toHaveLength(3);
  product.child.kill('SIGINT');
  await product.ended;
  await allGone(data);

  const again = inTerminal();
  await again.says(/logins +\S+demo\.json/);
  for (const secret of [client_secret, users[0].password, 'A first request']) expect(again.stdout()).not.toContain(secret);
  again.child.kill('SIGINT');
  await again.ended;
});

test.each([
  [undefined, 0],
  ['on', 3],
])("next to an operator's database the demo (HAULGATE_DEMO %s) is created only on request", async (wanted, companies) => {
  const DATABASE_URL = await migratedDatabase();
  const product = startProduct({ PORT: '0', HAULGATE_DATA: data, DATABASE_URL, ...(wanted ? { HAULGATE_DEMO: wanted } : {}) });
  await product.says(wanted ? /demo\.json/ : /nobody can sign in: HAULGATE_ADMIN_EMAIL .*HAULGATE_DEMO=on/);
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  expect((await client.query('select from company')).rowCount).toBe(companies);
  await client.end();
  expect(existsSync(join(data, 'demo.json'))).toBe(wanted === 'on');
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
});

test("a start on an operator's database without a key for secrets warns, and one with it does not", async () => {
  const DATABASE_URL = await migratedDatabase();
  const reported = /"level":40.*HAULGATE_SECRETS_KEY is not set.*openssl rand -base64 32/;
  for (const [env, warns] of [
    [{ DATABASE_URL }, true],
    [{ DATABASE_URL, HAULGATE_SECRETS_KEY: randomBytes(32).toString('base64') }, false],
    [{}, false],
  ] as const) {
    const product = startProduct({ PORT: '0', HAULGATE_DATA: data, HAULGATE_DEMO: 'off', ...env });
    await product.says(/"msg":"ready"/);
    expect([Object.keys(env), reported.test(product.stdout())]).toEqual([Object.keys(env), warns]);
    product.child.kill('SIGTERM');
    expect(await product.ended).toBe(0);
    await allGone(data);
  }
});
