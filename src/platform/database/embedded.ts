import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../log.ts';
import { StartError } from '../start-error.ts';
import { endQuietly } from './connection/end.ts';
import { chooseLaunch, commandOf, type Launch, nativeFolder } from './embedded-binaries.ts';
import { guard, occupy, stopOrphan } from './embedded-orphans.ts';
import { APP_ROLE, letAppLogIn } from './roles.ts';

/** A PostgreSQL that this process has started. */
export interface EmbeddedPostgres {
  /** URL of the database `haulgate`, as its owner. */
  url: string;
  /** The same as the application's role, which row-level security binds. */
  appUrl: string;
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
  /** The folder is removed when this process dies without `stop`, and by nobody else. */
  disposable?: boolean;
  settings?: Record<string, string>;
  log?: (line: string) => void;
  /** Called when the server ends without having been stopped, with a sentence that says how. */
  died?: (sentence: string) => void;
}

const USER = 'haulgate';
/** A port chosen as free may be taken before PostgreSQL has it. */
const PORT_ATTEMPTS = 3;
/** Milliseconds after which a server is tried again that finds processes of the one before it. */
const ENDS_SOON = 200;
/** After a crash PostgreSQL first reads what it had written ahead. */
const READY_SECONDS = 60;

/** Starts PostgreSQL as a part of this process's life, which ends if the server does. @returns the logins for migrating and for working */
export async function openEmbedded(
  options: Pick<EmbeddedOptions, 'dataDir' | 'settings'>,
  log: Logger,
  life: Lifecycle,
): Promise<{ owner: string; app: string }> {
  const reports = { log: (line: string) => log.debug({ postgres: line }, 'postgres'), died: (sentence: string) => life.fail(sentence) };
  const server = await life.open(
    'postgres',
    () => startEmbeddedPostgres({ ...options, ...reports }),
    (started) => started.stop(),
  );
  return { owner: server.url, app: server.appUrl };
}

/**
 * Starts PostgreSQL from the binaries in node_modules, on 127.0.0.1 and a free port, with a generated password that is kept in the data
 * folder. It recovers from an orphan of an earlier start and leaves none: when this process dies, in whatever way, the server is stopped.
 * @throws StartError with one sentence that says what to change when it cannot be started
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const native = nativeFolder();
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'postgres');
  const leave = enter(dataDir);
  try {
    const way = chooseLaunch(native, dataDir, cluster);
    await stopOrphan(cluster, native);
    const password = passwordOf(dataDir);
    if (!existsSync(join(cluster, 'PG_VERSION'))) initCluster(native, cluster, way, password);
    const end = Date.now() + READY_SECONDS * 1000;
    for (let attempt = 1; ; ) {
      // A given port lets clients find a restarted server again.
      const port = Number(options.settings?.port ?? (await freePort()));
      try {
        const { child, stop } = await launch(native, cluster, way, port, password, options);
        child.once('exit', leave);
        let isStopping = false;
        const stopIt = () => {
          isStopping = true;
          return stop();
        };
        child.once('exit', (code, signal) => {
          if (isStopping) return;
          const how = signal ? `by ${signal}` : `with status ${code}`;
          options.died?.(
            `The embedded PostgreSQL ended ${how}, and nothing works without it: start Haulgate again, which recovers what was committed.`,
          );
        });
        return { url: urlOf(password, port, USER), appUrl: appUrlOf(password, port), port, pid: child.pid!, stop: stopIt };
      } catch (error) {
        const reason = String(error);
        // The processes of a server that was killed keep its memory until they notice, and end.
        if (/shared memory block .* still in use/.test(reason) && Date.now() < end) await sleep(ENDS_SOON);
        else if (attempt++ === PORT_ATTEMPTS || !/could not bind/.test(reason)) throw error;
      }
    }
  } catch (error) {
    leave();
    throw error;
  }
}

const urlOf = (password: string, port: number, database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
/** Derived from the owner's password, so that there is one file to keep. The owner's password cannot be derived from it. */
const appPasswordOf = (password: string) => createHmac('sha256', password).update(APP_ROLE).digest('base64url');
const appUrlOf = (password: string, port: number) => `postgres://${APP_ROLE}:${appPasswordOf(password)}@127.0.0.1:${port}/${USER}`;

function enter(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true });
    return occupy(dataDir);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}): set HAULGATE_DATA to a folder of yours, or set DATABASE_URL.`,
    );
  }
}

function passwordOf(dataDir: string): string {
  const file = join(dataDir, 'postgres.password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** Made under another name and renamed, so that a first start cut short leaves no half of a cluster behind. */
function initCluster(native: string, cluster: string, way: Launch, password: string): void {
  const made = `${cluster}.new`;
  const passwordFile = `${made}.password`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (way.kind === 'user') for (const path of [made, passwordFile]) chownSync(path, way.uid, way.gid);
  // The builtin locale sorts and folds alike on every machine, whatever its C library.
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const access = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const { file, args, options } = commandOf(way, join(native, 'bin/initdb'), [
    ...['-D', made, '-E', 'UTF8', '--no-sync', '--no-instructions'],
    ...locale,
    ...access,
  ]);
  try {
    execFileSync(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    chmodSync(made, 0o700);
    renameSync(made, cluster);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim();
    throw new StartError(`The embedded PostgreSQL could not be set up, set DATABASE_URL to use another: ${said || String(error)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function launch(native: string, cluster: string, way: Launch, port: number, password: string, options: EmbeddedOptions) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    max_connections: '200',
    shared_buffers: '128MB',
    // Statements and rows may hold secrets; who sent them logs what went wrong.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(options.volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' } : {}),
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, options: how } = commandOf(way, join(native, 'bin/postgres'), ['-D', cluster, ...flags]);
  // In a separate process group: Ctrl-C reaches only us, and we stop the server when the work is drained.
  const child = spawn(file, args, { ...how, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const guardEnded = guard(child, options.disposable ? resolve(options.dataDir) : undefined);
  const stop = async () => {
    await stopServer(child);
    await guardEnded();
  };
  const lines: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => {
    lines.push(chunk.toString());
    if (lines.length > 200) lines.shift();
    options.log?.(chunk.toString().trimEnd());
  });
  try {
    await ready(child, urlOf(password, port, 'postgres'), appPasswordOf(password), lines);
    return { child, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves when the database and the application's login exist. */
async function ready(child: ChildProcess, admin: string, appPassword: string, lines: string[]): Promise<void> {
  const deadline = Date.now() + READY_SECONDS * 1000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new StartError(`The embedded PostgreSQL did not start: ${lines.join('').trim()}`);
    const client = new pg.Client({ connectionString: admin });
    try {
      await client.connect();
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [USER]);
      if (!rowCount) await client.query(`create database ${USER}`);
      await letAppLogIn(client, appPassword);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === '28P01')
        throw new StartError('The file postgres.password in the data folder is not the one its PostgreSQL was made with: put it back.');
      // A standby that is being read: what is missing here comes from its primary.
      if (code === '25006') return;
      // Not listening yet, or still recovering.
      if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET' && code !== '57P03') throw error;
      await new Promise((wake) => setTimeout(wake, 20));
    } finally {
      await endQuietly(client);
    }
  }
  throw new StartError(`The embedded PostgreSQL was not ready after ${READY_SECONDS} seconds: ${lines.join('').trim()}`);
}

function stopServer(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    child.once('exit', () => done());
    process.kill(child.pid!, 'SIGINT');
  });
}

/** Returns a port of this machine that nobody has now. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
