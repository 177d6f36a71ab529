import { execFileSync, spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/platform/database/embedded.ts';
import { stop } from '../bench/start.ts';
import { blockOfGuide, type Programs, replaced } from './debian.ts';
import type { DebianPostgres } from './debian-postgres.ts';
import { folderFor, type Undo } from './stage.ts';

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;
/** Milliseconds that it may take to answer on a busy machine. */
const PATIENCE = 120_000;

/** Starts Debian's PgBouncer next to a server, as the guide's third step does. @returns its port */
export async function startDebianPooler({ pgbouncer }: Pick<Programs, 'pgbouncer'>, server: DebianPostgres, undo: Undo): Promise<number> {
  const folder = folderFor('pooler', undo);
  const port = await freePort();
  const [, minor] = /PgBouncer 1\.(\d+)/.exec(execFileSync(pgbouncer, ['--version'], { encoding: 'utf8' })) ?? [];
  let ini = replaced(blockOfGuide('; pgbouncer.ini'), 'host=10.0.0.5 port=5432', `host=127.0.0.1 port=${server.port}`);
  ini = replaced(ini, /listen_addr = .*/, 'listen_addr = 127.0.0.1');
  ini = replaced(ini, /listen_port = .*/, `listen_port = ${port}\nserver_login_retry = 1\nunix_socket_dir =`);
  ini = replaced(ini, /auth_file = .*/, `auth_file = ${join(folder, 'userlist.txt')}`);
  // The guide's words on Debian 12.
  if (Number(minor) < 21) ini = replaced(ini, /max_prepared_statements = .*\n/, '');
  const files = {
    'pgbouncer.ini': ini,
    'userlist.txt': replaced(blockOfGuide('# /etc/pgbouncer/userlist.txt'), 'its password', server.passwords.get('haulgate_app')!).replace(
      /^#.*\n/,
      '',
    ),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    chownSync(join(folder, name), NOBODY, NOBODY);
  }
  const child = spawn(pgbouncer, [join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'], uid: NOBODY, gid: NOBODY });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
  });
  // Those who are connected are not waited for.
  undo.push(() => stop(child, 'SIGTERM'));
  for (const end = performance.now() + PATIENCE; ; await sleep(100)) {
    const client = new pg.Client(`postgres://haulgate_app:${server.passwords.get('haulgate_app')}@127.0.0.1:${port}/haulgate`);
    try {
      await client.connect();
      await client.query('select 1');
      return port;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`PgBouncer does not start: ${said || String(error)}`);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
