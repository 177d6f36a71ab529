import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { connectedTo, freshDatabase, migratedDatabase } from '../helpers/database.ts';
import { allGone, copyStarted, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';
import { wayTo } from './way-to.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

const start = (env: Record<string, string>) => startProduct({ PORT: '0', HAULGATE_DATA: join(data, 'own'), HAULGATE_DEMO: 'off', ...env });
const WAITING = /"because":"([^"]+)".*"msg":"the server that DATABASE_URL names is not there yet; waiting"/;
/** Where nobody listens. */
const NOWHERE = 'postgres://u:p@127.0.0.1:1/x';

/** PostgreSQL while it reads what it had written ahead: lets nobody in, or is gone in the middle of a word. `asked` counts how often somebody came. */
async function recovering(port: number): Promise<{ server: Server; asked: () => number }> {
  let asked = 0;
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up'].map((field) => `${field}\0`).join('');
  const answer = Buffer.from(`E0000${fields}\0`);
  answer.writeInt32BE(answer.length - 1, 1);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (asked++ % 2 ? socket.destroy() : socket.end(answer)));
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return { server, asked: () => asked };
}

test('a start waits for a PostgreSQL that is down and then recovers, logs it once, and goes on', async () => {
  const real = new URL(await migratedDatabase());
  const way = await wayTo(real);
  await way.cut();
  const url = Object.assign(new URL(real), { hostname: '127.0.0.1', port: String(way.port) });
  const product = start({ DATABASE_URL: url.href });
  expect((await product.says(WAITING))[1]).toContain('ECONNREFUSED');
  const { server, asked } = await recovering(way.port);
  while (asked() < 4) await new Promise((wake) => setTimeout(wake, 50));
  await new Promise((done) => server.close(done));
  await way.restore();
  const ready = /"url":"(http:[^"]+)".*"msg":"ready"/;
  expect((await fetch(`${(await product.says(ready))[1]}/ready`)).status).toBe(200);
  expect(product.stdout().match(new RegExp(WAITING, 'g'))).toHaveLength(1);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
  await way.cut();
});

test('a start begins again when PostgreSQL crashes during its migrations', async () => {
  await copyStarted(join(data, 'server'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(data, 'server'), volatile: true });
  const [holder, watcher] = [new pg.Client(postgres.url), new pg.Client(postgres.url)];
  for (const client of [holder, watcher]) await client.on('error', () => {}).connect();
  // Whoever migrates looks which migrations there were.
  await holder.query('begin; lock table migration in access exclusive mode');
  const product = start({ DATABASE_URL: postgres.url });
  const waiting = async () => (await watcher.query("select pid from pg_stat_activity where wait_event_type = 'Lock'")).rows[0]?.pid;
  let pid = await waiting();
  for (; pid === undefined; pid = await waiting()) await new Promise((wake) => setTimeout(wake, 20));
  process.kill(pid, 'SIGKILL');
  await product.says(/"msg":"ready"/);
  expect([product.stdout().match(WAITING)?.[1], product.stderr()]).toEqual([expect.any(String), '']);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
  await postgres.stop();
});

test('a start that waited long enough ends with the reason', async () => {
  const product = start({ DATABASE_URL: NOWHERE, HAULGATE_DATABASE_WAIT: '1' });
  expect(await product.ended).toBe(1);
  expect(product.stdout()).toMatch(WAITING);
  expect(product.stderr()).toBe('DATABASE_URL names a server or database that cannot be used: connect ECONNREFUSED 127.0.0.1:1\n');
});

test('a waiting start can be stopped like any other', async () => {
  const product = start({ DATABASE_URL: NOWHERE });
  await product.says(WAITING);
  product.child.kill('SIGTERM');
  expect([await product.ended, product.stderr()]).toEqual([0, '']);
});

test('a start does not wait for a login that the server does not know', async () => {
  const url = new URL(process.env.HAULGATE_TEST_SERVER!);
  url.username = 'stranger';
  const product = start({ DATABASE_URL: url.href });
  expect(await product.ended).toBe(1);
  expect([product.stdout(), product.stderr()]).toEqual([
    '',
    expect.stringMatching(/^DATABASE_URL names .* cannot be used: .*stranger.*\n$/),
  ]);
});

test('a start waits for a server that takes no writes, such as a standby, and says so', async () => {
  const url = await freshDatabase();
  const name = new URL(url).pathname.slice(1);
  await connectedTo(url, (db) => db.query(`alter database "${name}" set default_transaction_read_only = on`));
  const said = 'it takes no writes, because it is a standby, or because default_transaction_read_only is on';
  const hurried = start({ DATABASE_URL: url, HAULGATE_DATABASE_WAIT: '0' });
  expect(await hurried.ended).toBe(1);
  expect(hurried.stderr()).toBe(`DATABASE_URL names a server or database that cannot be used: ${said}\n`);
  const examined = startProduct({ HAULGATE_DATA: data, DATABASE_URL: url }, 'src/doctor.ts');
  expect(await examined.ended).toBe(1);
  expect(examined.stdout()).toMatch(/wrong +DATABASE_URL: takes no writes: it is a standby, or default_transaction_read_only is on/);

  const product = start({ DATABASE_URL: url });
  expect((await product.says(WAITING))[1]).toBe(said);
  await connectedTo(url, (db) => db.query(`begin read write; alter database "${name}" reset default_transaction_read_only; commit`));
  await product.says(/"msg":"ready"/);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
});
