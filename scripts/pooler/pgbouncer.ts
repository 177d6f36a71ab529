import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/database/embedded.ts';

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;
/** Milliseconds that it may take to listen. */
const PATIENCE = 10_000;

/** Where `install.ts` puts what it builds. */
export const BUILT = '/usr/local/bin/pgbouncer';

export interface Binary {
  path: string;
  version: string;
  /** Whether it keeps count of prepared statements in transaction mode (from 1.21). */
  prepares: boolean;
}

/** Returns the newest PgBouncer of this machine: that of PGBOUNCER, the installed one, or the one that was built; undefined if there is none. */
export function findPgBouncer(): Binary | undefined {
  const candidates = process.env.PGBOUNCER ? [process.env.PGBOUNCER] : [BUILT, '/usr/sbin/pgbouncer', 'pgbouncer'];
  const found = candidates.map(binaryAt).filter((one) => one !== undefined);
  return found.find(({ prepares }) => prepares) ?? found[0];
}

function binaryAt(path: string): Binary | undefined {
  if (path.includes('/') && !existsSync(path)) return undefined;
  const [, version, major, minor] =
    /PgBouncer ((\d+)\.(\d+)[.\d]*)/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
  return version === undefined ? undefined : { path, version, prepares: Number(major) > 1 || Number(minor) >= 21 };
}

export interface PgBouncer {
  port: number;
  pid: number;
  /** The same database as in the URL of its server, through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode before the server of a URL, for all of its databases.
 * @param logins URLs with the logins that it lets in, with their passwords
 * @param settings of pgbouncer.ini
 */
export async function startPgBouncer(
  { path, prepares }: Pick<Binary, 'path' | 'prepares'>,
  server: string,
  logins: readonly string[],
  settings: Record<string, string | number> = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: of } = new URL(server);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'userlist.txt'),
    pool_mode: 'transaction',
    ...(prepares ? { max_prepared_statements: 200 } : {}),
    default_pool_size: 20,
    max_client_conn: 1000,
    // One line for each connection otherwise.
    log_connections: 0,
    log_disconnections: 0,
    ...settings,
  };
  const ini = [
    '[databases]',
    `* = host=${hostname} port=${of}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
    '',
  ];
  const users = logins
    .map((login) => new URL(login))
    .map(({ username, password }) => `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  const files = { 'pgbouncer.ini': ini.join('\n'), 'userlist.txt': users.join('') };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  const asRoot = process.getuid?.() === 0;
  if (asRoot) for (const name of ['', ...Object.keys(files)]) chownSync(join(folder, name), NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  const child = spawn(path, [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-10_000);
  });
  child.once('error', (error) => {
    said += error.message;
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    // Those who are connected are not waited for.
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGQUIT');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (const end = Date.now() + PATIENCE; !(await listens(port)); await sleep(20)) {
    if (child.exitCode === null && child.pid !== undefined && Date.now() < end) continue;
    await stop();
    throw new Error(`PgBouncer does not start: ${said}`);
  }
  return {
    port,
    pid: child.pid!,
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    stop,
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => {
      socket.destroy();
      done(is);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
