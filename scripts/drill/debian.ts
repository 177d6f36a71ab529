import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/platform/database/embedded.ts';
import { stop } from '../bench/start.ts';
import { folderFor, say, type Undo } from './stage.ts';

const PROGRAMS = '/usr/lib/postgresql';
/** Milliseconds that a program may take to answer on a busy machine. */
const PATIENCE = 120_000;

/** The programs of Debian's packages. */
export interface Programs {
  /** The folder of the programs of PostgreSQL. */
  postgres: string;
  haproxy: string;
  redis: string;
}

/** Finds the programs of Debian's packages, and installs those that are missing. @returns undefined, and says why, if that is not possible here */
export function debianPrograms(): Programs | undefined {
  const packages: [name: string, find: () => string | undefined][] = [
    ['postgresql', newestPostgres],
    ['haproxy', () => (existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : undefined)],
    ['redis-server', () => (existsSync('/usr/bin/redis-server') ? '/usr/bin/redis-server' : undefined)],
  ];
  const missing = packages.filter(([, find]) => find() === undefined).map(([name]) => name);
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    // PostgreSQL runs as its own user, whom only root may become.
    say('left out: this drill takes root on a machine with Debian, so that nothing was tried');
    return undefined;
  }
  if (missing.length > 0) {
    say(`installs ${missing.join(', ')}`);
    if (!install(missing) || packages.some(([, find]) => find() === undefined)) {
      say(`left out: ${missing.join(', ')} cannot be installed, so that nothing was tried`);
      return undefined;
    }
  }
  const [postgres, haproxy, redis] = packages.map(([, find]) => find()!) as [string, string, string];
  return { postgres, haproxy, redis };
}

function newestPostgres(): string | undefined {
  if (!existsSync(PROGRAMS)) return undefined;
  const [newest] = readdirSync(PROGRAMS)
    .map((version) => join(PROGRAMS, version, 'bin'))
    .filter((bin) => existsSync(join(bin, 'initdb')))
    .sort((one, other) => Number(other.split('/')[4]) - Number(one.split('/')[4]));
  return newest;
}

function install(packages: readonly string[]): boolean {
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0;
  const all = ['install', '-y', '-q', '--no-install-recommends', ...packages];
  if (!apt(...all) && !(apt('update', '-q') && apt(...all))) return false;
  // The programs are wanted, and not the services that the packages start.
  for (const name of packages) spawnSync('service', [name, 'stop'], { stdio: 'ignore' });
  return true;
}

/** A block of docs/operations.md, by its first line. @throws Error if the guide has none */
export function blockOfGuide(first: string): string {
  const guide = readFileSync('docs/operations.md', 'utf8');
  const block = [...guide.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].find(([, text]) => text!.startsWith(first))?.[1];
  if (block === undefined) throw new Error(`docs/operations.md has no block that begins with ${first}`);
  return block;
}

/** Says something in place of something else. @throws Error if that is not there, so that the guide and the drill stay one */
export function replaced(text: string, what: string | RegExp, by: string): string {
  const result = text.replace(what, by);
  if (result === text) throw new Error(`the guide has no ${String(what)} any more`);
  return result;
}

export interface DebianPostgres {
  /** As the owner of the tables, and as the application. */
  ownerUrl: string;
  appUrl: string;
  version: string;
}

/** Starts Debian's PostgreSQL with the settings and roles of the guide's first step. */
export async function startDebianPostgres({ postgres }: Pick<Programs, 'postgres'>, undo: Undo): Promise<DebianPostgres> {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))) as [number, number];
  const folder = folderFor('debian', undo);
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  const cluster = join(folder, 'main');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  chownSync(passwordFile, uid, gid);
  const as = { uid, gid, cwd: folder };
  execFileSync(
    join(postgres, 'initdb'),
    ['--pgdata', cluster, '--username', 'postgres', '--pwfile', passwordFile, '--auth-host', 'scram-sha-256', '--auth-local', 'reject'],
    { ...as, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const port = await freePort();
  const settings = replaced(blockOfGuide('# /etc/postgresql/15/main/conf.d/haulgate.conf'), `'*'`, `'127.0.0.1'`);
  writeFileSync(join(cluster, 'drill.conf'), `${settings}port = ${port}\nunix_socket_directories = ''\n`);
  writeFileSync(join(cluster, 'postgresql.conf'), `${readFileSync(join(cluster, 'postgresql.conf'), 'utf8')}\ninclude 'drill.conf'\n`);
  const child = spawn(join(postgres, 'postgres'), ['-D', cluster], { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
  });
  undo.push(() => stop(child));
  const admin = await connected(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`, child, () => said);
  const passwords = new Map<string, string>();
  // As the guide has it, one after the other: a database is made in no transaction.
  for (const statement of blockOfGuide('-- sudo -u postgres psql').split(/;\n/)) {
    const [, role] = /create role (\w+) /.exec(statement) ?? [];
    if (role) passwords.set(role, randomBytes(12).toString('hex'));
    if (statement.trim()) await admin.query(role ? replaced(statement, `'...'`, `'${passwords.get(role)}'`) : statement);
  }
  const version = (await admin.query<{ version: string }>(`select current_setting('server_version') as version`)).rows[0]!.version;
  await admin.end();
  const urlOf = (role: string) => `postgres://${role}:${passwords.get(role)}@127.0.0.1:${port}/haulgate`;
  return { ownerUrl: urlOf('haulgate_owner'), appUrl: urlOf('haulgate_app'), version };
}

async function connected(url: string, server: ChildProcess, said: () => string): Promise<pg.Client> {
  for (const end = performance.now() + PATIENCE; ; await sleep(100)) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (server.exitCode !== null || performance.now() > end) throw new Error(`PostgreSQL does not start: ${said() || String(error)}`);
    }
  }
}

/** Starts Debian's Redis, which keeps nothing. @returns its URL */
export async function startDebianRedis({ redis }: Pick<Programs, 'redis'>, undo: Undo): Promise<string> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folderFor('redis', undo)];
  const child = spawn(redis, args, { stdio: 'ignore' });
  undo.push(() => stop(child, 'SIGTERM'));
  return `redis://127.0.0.1:${port}`;
}
