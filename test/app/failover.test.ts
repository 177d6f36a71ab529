import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { own } from '../../scripts/drill/backup.ts';
import { urlsOf } from '../../src/platform/database/connection/hosts.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { allGone, copyStarted, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';
import { wayTo } from './way-to.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

/** Makes a second server that has what the first had when it was stopped, and follows nobody: a standby until it is promoted. */
function copyAsStandby(first: string, second: string): void {
  mkdirSync(second);
  cpSync(first, second, { recursive: true, preserveTimestamps: true });
  writeFileSync(join(second, 'postgres', 'standby.signal'), '');
  own(join(first, 'postgres'), join(second, 'postgres'));
}

test('connections go to the primary of several servers, and to the standby as soon as it is promoted', async () => {
  const [one, two] = [join(data, 'one'), join(data, 'two')];
  const settings = { dataDir: one, volatile: true };
  // With its tables, so that both have them.
  await copyStarted(one);
  copyAsStandby(one, two);
  const primary = await startEmbeddedPostgres(settings);
  const standby = await startEmbeddedPostgres({ dataDir: two, volatile: true });
  const { username, password, pathname } = new URL(primary.url);
  const way = await wayTo(new URL(primary.url));
  // The standby comes first, and a third server does not exist.
  const DATABASE_URL = `postgres://${username}:${password}@127.0.0.1:1,127.0.0.1:${standby.port},127.0.0.1:${way.port}${pathname}`;
  const product = startProduct({
    PORT: '0',
    HAULGATE_DATA: join(data, 'own'),
    HAULGATE_DEMO: 'off',
    HAULGATE_ADMIN_EMAIL: 'ops@example.com',
    DATABASE_URL,
  });
  const url = (await product.says(/"url":"(http:[^"]+)".*"msg":"ready"/))[1]!;
  const signIn = async () => {
    const answer = await fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ops@example.com', password: 'wrong' }),
    });
    await answer.body?.cancel();
    return [answer.status, answer.headers.get('retry-after') !== null];
  };
  // It writes that somebody tried.
  expect(await signIn()).toEqual([401, false]);
  way.fallSilent();
  const ready = fetch(`${url}/ready`);
  // However many ask, and whether they have a connection or wait for one.
  expect(await Promise.all(Array.from({ length: 12 }, signIn))).toEqual(Array(12).fill([503, true]));
  expect((await ready).status).toBe(503);
  const client = new pg.Client(standby.url);
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
  const promoted = Date.now();
  await until(async () => (await signIn())[0] === 401);
  expect(Date.now() - promoted).toBeLessThan(10_000);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  // The other way round, when the one that hung is let in again as the primary.
  await standby.stop();
  expect(await signIn()).toEqual([503, true]);
  way.speak();
  await until(async () => (await signIn())[0] === 401);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
  await way.cut();
  await primary.stop();
});

test.each([
  ['postgres://u:p@one/db', ['postgres://u:p@one/db']],
  ['postgres://u:p@one:1,two:2/db?sslmode=require', ['postgres://u:p@one:1/db?sslmode=require', 'postgres://u:p@two:2/db?sslmode=require']],
  ['postgresql://one,two/a,b', ['postgresql://one/a,b', 'postgresql://two/a,b']],
  ['postgres://u:p,q@one/db', ['postgres://u:p,q@one/db']],
  ['postgres://[::1]:5,[::2]:6/db', ['postgres://[::1]:5/db', 'postgres://[::2]:6/db']],
])('%s names these servers: %j', (url, servers) => {
  expect(urlsOf(url)).toEqual(servers);
});
