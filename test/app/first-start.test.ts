import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connectedTo, migratedDatabase } from '../helpers/database.ts';
import { allGone, copyStarted, dataFolder, removeFolder, startInTerminal, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

test('a terminal shows the credentials of the demo when they are created, and a first request that works', async () => {
  await copyStarted(data);
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

// With HAULGATE_DEMO=on and a key: database-gone.test.ts.
test("next to an operator's database the demo is created only on request, and a missing key for secrets is warned of", async () => {
  const DATABASE_URL = await migratedDatabase();
  const product = startProduct({ PORT: '0', HAULGATE_DATA: data, DATABASE_URL });
  await product.says(/nobody can sign in: HAULGATE_ADMIN_EMAIL .*HAULGATE_DEMO=on/);
  await product.says(/"msg":"ready"/);
  expect(product.stdout()).toMatch(/"level":40.*HAULGATE_SECRETS_KEY is not set.*openssl rand -base64 32/);
  expect((await connectedTo(DATABASE_URL, (db) => db.query('select from company'))).rowCount).toBe(0);
  expect(existsSync(join(data, 'demo.json'))).toBe(false);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
});
