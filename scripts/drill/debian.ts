import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/platform/database/embedded.ts';
import { stop } from '../bench/start.ts';
import { folderFor, say, type Undo } from './stage.ts';

const PROGRAMS = '/usr/lib/postgresql';

/** The programs of Debian's packages. */
export interface Programs {
  /** The folder of the programs of PostgreSQL. */
  postgres: string;
  haproxy: string;
  pgbouncer: string;
  redis: string;
}

/** Finds the programs of Debian's packages, and installs those that are missing. @returns undefined, and says why, if that is not possible here */
export function debianPrograms(): Programs | undefined {
  const packages: [name: string, find: () => string | undefined][] = [
    ['postgresql', newestPostgres],
    ['haproxy', () => thatIsThere('/usr/sbin/haproxy')],
    ['pgbouncer', () => thatIsThere('/usr/sbin/pgbouncer')],
    ['redis-server', () => thatIsThere('/usr/bin/redis-server')],
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
  const [postgres, haproxy, pgbouncer, redis] = packages.map(([, find]) => find()!) as [string, string, string, string];
  return { postgres, haproxy, pgbouncer, redis };
}

const thatIsThere = (path: string): string | undefined => (existsSync(path) ? path : undefined);

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

/** Starts Debian's Redis, which keeps nothing. @returns its URL */
export async function startDebianRedis({ redis }: Pick<Programs, 'redis'>, undo: Undo): Promise<string> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folderFor('redis', undo)];
  const child = spawn(redis, args, { stdio: 'ignore' });
  undo.push(() => stop(child, 'SIGTERM'));
  return `redis://127.0.0.1:${port}`;
}
