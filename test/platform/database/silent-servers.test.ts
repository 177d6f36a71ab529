import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { signalAll } from '../../../scripts/drill/signals.ts';
import { followPrimary } from '../../../src/platform/database/connection/hosts.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts';
import { wayTo } from '../../app/way-to.ts';
import { allGone, dataFolder, removeFolder } from '../../helpers/product.ts';
import { until } from '../../helpers/until.ts';

let data: string;
let undo: (() => unknown)[];
beforeEach(() => {
  data = dataFolder();
  undo = [];
});
afterEach(async () => {
  for (const one of undo.reverse()) await one();
  await allGone(data);
  removeFolder(data);
});

async function start(name: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: join(data, name), volatile: true, settings });
  undo.push(() => server.stop());
  return server;
}

/** A pool of the product's that follows the primary among servers of this machine, all of which let its login in. */
function poolTo(server: EmbeddedPostgres, ...ports: number[]): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.url, max: 2 });
  pool.on('error', () => {});
  // Also a query that fails has its connection end.
  pool.on('connect', (client) => client.on('error', () => {}));
  undo.push(() => pool.end());
  followPrimary(pool, server.url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join()));
  return pool;
}

const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: Error) => error.message,
  );

test('a single server that stands still for a while keeps its connections, and one that hangs for good loses them', async () => {
  const server = await start('one');
  const pool = poolTo(server, server.port);
  const pid = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  const before = await pid();
  undo.push(() => signalAll(server.pid, 'SIGCONT'));
  signalAll(server.pid, 'SIGSTOP');
  const waits = outcomeOf(pool.query('select 1'));
  await sleep(9_000);
  signalAll(server.pid, 'SIGCONT');
  expect([await waits, await pid()]).toEqual(['answered', before]);
  signalAll(server.pid, 'SIGSTOP');
  const stopped = performance.now();
  expect(await outcomeOf(pool.query('select 1'))).toMatch(/terminated/);
  // Two seconds of silence, and five questions of two seconds.
  expect(performance.now() - stopped).toBeGreaterThan(12_000);
});

test('a server that works keeps its connections although this process is too busy to read what it answers', async () => {
  const server = await start('one');
  const pool = poolTo(server, server.port, 1);
  const client = await pool.connect();
  const long = outcomeOf(client.query('select pg_sleep(16)'));
  let isDone = false;
  void long.then(() => {
    isDone = true;
  });
  // Timers that are due come before what has arrived: each question seems to be unanswered.
  for (const end = performance.now() + 14_000; performance.now() < end && !isDone; await sleep(1))
    for (const busy = performance.now() + 2_600; performance.now() < busy; );
  expect(await long).toBe('answered');
  client.release();
});

test('connections stay with the primary that is known, although another server takes writes, too', async () => {
  const known = await start('known', { max_connections: '6', superuser_reserved_connections: '0', reserved_connections: '0' });
  const way = await wayTo(new URL(known.url));
  undo.push(() => way.cut());
  const other = await start('other');
  await other.stop();
  const pool = poolTo(known, other.port, way.port);
  const portOf = async (one: Pick<pg.Pool, 'query'> = pool) =>
    (await one.query<{ port: number }>('select inet_server_port() as port')).rows[0]!.port;
  expect(await portOf()).toBe(known.port);
  // It was the primary before a failover, and comes back as one.
  const again = await start('other', { port: String(other.port) });
  await withPasswordOf(known, again);
  const held: pg.Client[] = [];
  for (let full = false; !full; ) {
    const client = new pg.Client(known.url);
    client.on('error', () => {});
    full = (await outcomeOf(client.connect())) !== 'answered';
    if (!full) held.push(client);
  }
  const first = await pool.connect();
  await expect(pool.connect()).rejects.toMatchObject({ code: '53300' });
  await held.pop()!.end();
  let second: pg.PoolClient | undefined;
  await until(async () => {
    second = await pool.connect().catch(() => undefined);
    return second !== undefined;
  });
  expect(await portOf(second)).toBe(known.port);
  for (const client of [first, second!]) client.release();
  // Nobody reaches it for a moment.
  await way.cut();
  await until(() => pool.totalCount === 0);
  await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await way.restore();
  expect(await portOf()).toBe(known.port);
  await Promise.all(held.map((client) => client.end()));
});

/** Lets the owner into a server with the password of another one. */
async function withPasswordOf(one: EmbeddedPostgres, server: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client(server.url);
  await client.connect();
  const { username, password } = new URL(one.url);
  await client.query(`alter role ${username} password '${password}'`);
  await client.end();
}
