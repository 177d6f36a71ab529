import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts';
import { allGone, dataFolder, guardsOf, processesOf, removeFolder } from '../../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

async function query(url: string, sql: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

test('it uses UTF-8, folds case in every language, is in UTC and requires the password', async () => {
  const server = await startEmbeddedPostgres({ dataDir: data, volatile: true });
  expect(
    await query(
      server.url,
      "select lower('QUÉBEC Ñ') as folded, current_setting('TimeZone') as zone, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()",
    ),
  ).toEqual({ folded: 'québec ñ', zone: 'UTC', encoding: 'UTF8' });
  const wrong = new URL(server.url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
  await server.stop();
  expect(processesOf(data)).toEqual([]);
  expect(guardsOf(server.pid)).toEqual([]);
});

test('recovers from an orphan, and keeps what was committed', async () => {
  const script = join(data, 'orphan.mjs');
  const launcher = join(import.meta.dirname, '../../../src/platform/database/embedded.ts');
  writeFileSync(
    script,
    `const { startEmbeddedPostgres } = await import(${JSON.stringify(launcher)});
    const { url, pid } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(join(data, 'd'))} });
    console.log(JSON.stringify({ url, pid }));
    setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, ['--import', './scripts/typescript.mjs', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const orphan = JSON.parse(String(line)) as { url: string; pid: number };
  await query(orphan.url, 'create table kept as select 7 as n');
  const guards = guardsOf(orphan.pid);
  expect(guards).toHaveLength(1);
  for (const guard of guards) process.kill(guard, 'SIGKILL');
  parent.kill('SIGKILL');
  await once(parent, 'close');
  expect(existsSync(`/proc/${orphan.pid}`)).toBe(true);

  const server = await startEmbeddedPostgres({ dataDir: join(data, 'd') });
  expect(existsSync(`/proc/${orphan.pid}`)).toBe(false);
  expect(await query(server.url, 'select n from kept')).toEqual({ n: 7 });
  await server.stop();
});

test('a process that waits for the stop is informed of it', async () => {
  const script = join(data, 'stop.mjs');
  const launcher = join(import.meta.dirname, '../../../src/platform/database/embedded.ts');
  writeFileSync(
    script,
    `const { startEmbeddedPostgres } = await import(${JSON.stringify(launcher)});
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(join(data, 'd'))}, volatile: true, disposable: true });
    server.stop().then(() => console.log('stopped'));`,
  );
  const child = spawn(process.execPath, ['--import', './scripts/typescript.mjs', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  await once(child, 'close');
  expect(said).toBe('stopped\n');
});

test('a foreign process with the number of an old server is not touched', async () => {
  await (await startEmbeddedPostgres({ dataDir: data, volatile: true })).stop();
  const bystander = spawn('sleep', ['60']);
  writeFileSync(join(data, 'postgres/postmaster.pid'), `${bystander.pid}\n${join(data, 'postgres')}\n0\n0\n\n127.0.0.1\n0 0\nready\n`);
  const server = await startEmbeddedPostgres({ dataDir: data, volatile: true });
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  await server.stop();
  bystander.kill();
});

test('an interrupted first start is repeated', async () => {
  mkdirSync(join(data, 'postgres.new'));
  writeFileSync(join(data, 'postgres.new/PG_VERSION'), '18\n');
  const server = await startEmbeddedPostgres({ dataDir: data, volatile: true });
  expect(await query(server.url, 'select 1 as n')).toEqual({ n: 1 });
  await server.stop();
});

test('a password file that does not fit the data is reported with the remedy', async () => {
  await (await startEmbeddedPostgres({ dataDir: data, volatile: true })).stop();
  const file = join(data, 'postgres.password');
  const right = readFileSync(file);
  writeFileSync(file, 'other');
  await expect(startEmbeddedPostgres({ dataDir: data, volatile: true })).rejects.toThrow(/postgres\.password.*put it back/);
  writeFileSync(file, right);
  await (await startEmbeddedPostgres({ dataDir: data, volatile: true })).stop();
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('root runs the server as the owner of the data', async () => {
  await (await startEmbeddedPostgres({ dataDir: data, volatile: true })).stop();
  const other = 54_321;
  execFileSync('chown', ['-R', `${other}:${other}`, join(data, 'postgres')]);
  chownSync(join(data, 'postgres.password'), other, other);
  const server = await startEmbeddedPostgres({ dataDir: data, volatile: true });
  expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${other}\\s`, 'm'));
  await server.stop();
});

asRoot('root works in a folder that nobody may enter', async () => {
  const closed = join(data, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const server = await startEmbeddedPostgres({ dataDir: closed, volatile: true });
  expect(await query(server.url, 'select 1 as n')).toEqual({ n: 1 });
  await server.stop();
  rmSync(closed, { recursive: true });
});
