import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { COUNTED } from './statements.ts';

/** Servers and processes that the chaos may kill. */
export interface Arena {
  dataDir: string;
  /** Where the web process listens, and stores files; it is restarted at the same place. */
  webUrl: string;
  filesDir: string;
  url: string;
  redisUrl: string | undefined;
  /** Kills PostgreSQL as `pg_ctl stop -m immediate` does, and starts it again: with crash recovery, and without its connections. */
  crashPostgres(): Promise<void>;
  flushRedis(): Promise<void>;
  /** Kills Redis and starts it empty. */
  restartRedis(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns a free port that the system gives to no outgoing connection. A server that is killed and started again would find one of these taken by a
 * connection of somebody else, for as long as that lasts.
 */
async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    } finally {
      server.close();
    }
  }
}

/** @param counted PostgreSQL counts its statements (`statements.ts`) */
export async function openArena(withRedis: boolean, counted = false): Promise<Arena> {
  const dataDir = mkdtempSync(join(tmpdir(), 'haulgate-chaos-'));
  const filesDir = mkdtempSync(join(tmpdir(), 'haulgate-chaos-files-'));
  chmodSync(dataDir, 0o711);
  // A crash of the process loses nothing that the kernel has, so fsync may be off; commits must be written before they are acknowledged.
  const settings: Record<string, string> = { fsync: 'off', synchronous_commit: 'on', port: String(await lastingPort()) };
  if (counted) Object.assign(settings, COUNTED);
  let postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, settings });
  const redisPort = await lastingPort();
  let redis = withRedis ? await startRedis(redisPort) : undefined;
  return {
    dataDir,
    webUrl: `http://127.0.0.1:${await lastingPort()}`,
    filesDir,
    url: postgres.url,
    redisUrl: withRedis ? `redis://127.0.0.1:${redisPort}` : undefined,
    async crashPostgres() {
      process.kill(postgres.pid, 'SIGQUIT');
      await postgres.stop().catch(() => undefined);
      await sleep(200);
      postgres = await startEmbeddedPostgres({ dataDir, settings });
    },
    async flushRedis() {
      spawn('redis-cli', ['-p', String(redisPort), 'flushall'], { stdio: 'ignore' });
    },
    async restartRedis() {
      redis?.kill('SIGKILL');
      await sleep(300);
      redis = await startRedis(redisPort);
    },
    async close() {
      redis?.kill('SIGKILL');
      await postgres.stop();
      for (const folder of [dataDir, filesDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a process of this folder's `<name>.ts`, with a channel for messages. */
export function startProcess(name: 'worker' | 'sender', env: Record<string, string>): ChildProcess {
  return fork(join(import.meta.dirname, `${name}.ts`), {
    env: { ...process.env, ...env },
    execArgv: ['--import', join(import.meta.dirname, '../typescript.mjs'), '--disable-warning=ExperimentalWarning'],
  });
}

/** Starts the product itself in the role `web`, as built. */
export const startWeb = (arena: Arena): ChildProcess => startProduct(arena, 'web');

/** Starts the product itself in a role, as built. It reports `ready` like the others. @param env further settings */
export function startProduct(arena: Arena, role: 'web' | 'worker', env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: {
      ...process.env,
      DATABASE_URL: arena.url,
      ...(arena.redisUrl ? { REDIS_URL: arena.redisUrl } : {}),
      HAULGATE_ROLE: role,
      HAULGATE_DEMO: 'off',
      HAULGATE_DATA: arena.filesDir,
      HAULGATE_MACHINE_TOKEN_SECONDS: '86400',
      // The sender is a single caller for the product, whose limit must not be what is measured.
      HAULGATE_REQUESTS_PER_MINUTE: '0',
      PORT: role === 'web' ? new URL(arena.webUrl).port : '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000);
    if (chunk.toString().includes('"msg":"ready"')) child.emit('message', 'ready');
  });
  // Whoever is killed says nothing more; one that ends by itself says why.
  child.once('exit', (code) => code && console.log(`a process of the product ended with ${code}: ${said.trim().split('\n').at(-1)}`));
  return child;
}

async function startRedis(port: number): Promise<ChildProcess> {
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () =>
      reject(new Error('redis-server is not on this machine: apt-get install redis-server, or run without --redis')),
    );
  });
  return child;
}
