import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/platform/database/embedded.ts';
import { stop } from '../bench/start.ts';
import { blockOfGuide, type Programs, replaced } from './debian.ts';
import { folderFor, type Undo } from './stage.ts';

/** Milliseconds that a program may take to answer on a busy machine. */
const PATIENCE = 120_000;
/** Where the guide's clients are, and those of this machine. */
const NETWORK = '10.0.0.0/24';
const HERE = '127.0.0.1/32';

/** Debian's PostgreSQL with the guide's database. */
export interface DebianPostgres {
  port: number;
  version: string;
  /** By role, as the guide makes them. */
  passwords: ReadonlyMap<string, string>;
  /** As PostgreSQL's superuser, in its own database. */
  admin: pg.Client;
  /** As the owner of the tables. */
  ownerUrl: string;
  /** Ends it as `systemctl stop` does. */
  stop(): Promise<void>;
  /** Makes a standby the primary, as `pg_ctlcluster 15 main promote` does. */
  promote(): void;
}

type As = { uid: number; gid: number; cwd: string };

/** A folder that belongs to PostgreSQL's user, and how a program runs as that. */
function folderOf(name: string, undo: Undo): { folder: string; as: As } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))) as [number, number];
  const folder = folderFor(name, undo);
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return { folder, as: { uid, gid, cwd: folder } };
}

/** Starts Debian's PostgreSQL with the settings, addresses and roles of the guide's first step. */
export async function startDebianPostgres({ postgres }: Pick<Programs, 'postgres'>, undo: Undo): Promise<DebianPostgres> {
  const { folder, as } = folderOf('primary', undo);
  const cluster = join(folder, 'main');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  chownSync(passwordFile, as.uid, as.gid);
  execFileSync(
    join(postgres, 'initdb'),
    ['--pgdata', cluster, '--username', 'postgres', '--pwfile', passwordFile, '--auth-local', 'reject'],
    {
      ...as,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  // In place of `sudo -u postgres`; the rest is the guide's.
  const addresses = replaced(blockOfGuide('# at the end of /etc/postgresql/15/main/pg_hba.conf'), new RegExp(NETWORK, 'g'), HERE);
  writeFileSync(join(cluster, 'pg_hba.conf'), `host all postgres ${HERE} scram-sha-256\n${addresses}`);
  writeFileSync(join(cluster, 'postgresql.conf'), `${readFileSync(join(cluster, 'postgresql.conf'), 'utf8')}\ninclude 'drill.conf'\n`);
  const server = await startServer(postgres, cluster, as, `postgres:${password}`, undo);
  const passwords = new Map([['postgres', password]]);
  // One after the other, as the guide has it: a database is made in no transaction.
  for (const statement of blockOfGuide('-- sudo -u postgres psql').split(/;\n/)) {
    const [, role] = /create role (\w+) /.exec(statement) ?? [];
    if (role) passwords.set(role, randomBytes(12).toString('hex'));
    if (statement.trim()) await server.admin.query(role ? replaced(statement, `'...'`, `'${passwords.get(role)}'`) : statement);
  }
  return described(server, passwords);
}

/** Copies a primary as the guide's second step does, starts the copy, and has the primary confirm nothing that it does not have. */
export async function startDebianStandby(
  { postgres }: Pick<Programs, 'postgres'>,
  primary: DebianPostgres,
  undo: Undo,
): Promise<DebianPostgres> {
  const { folder, as } = folderOf('standby', undo);
  const cluster = join(folder, 'main');
  const [, copy] = /^sudo -u postgres (pg_basebackup (?:.*\\\n)*.*)$/m.exec(blockOfGuide('systemctl stop postgresql@15-main')) ?? [];
  if (!copy) throw new Error('the guide copies no primary any more');
  let command = replaced(copy, 'pg_basebackup', join(postgres, 'pg_basebackup'));
  command = replaced(command, /--pgdata \S+/, `--pgdata ${cluster}`);
  command = replaced(command, 'host=10.0.0.5', `host=127.0.0.1 port=${primary.port}`);
  command = replaced(command, 'password=...', `password=${primary.passwords.get('replicator')}`);
  execFileSync('/bin/sh', ['-c', command], { ...as, stdio: ['ignore', 'ignore', 'inherit'] });
  const server = await startServer(postgres, cluster, as, `postgres:${primary.passwords.get('postgres')}`, undo);
  const [set, load, look] = blockOfGuide('-- on the primary').split(/;\n|; -- .*\n/);
  for (const statement of [set!, load!]) await primary.admin.query(statement);
  for (const end = performance.now() + PATIENCE; ; await sleep(100)) {
    const { rows } = await primary.admin.query<{ application_name: string; state: string; sync_state: string }>(look!);
    const is = rows.map((row) => [row.application_name, row.state, row.sync_state].join(' | ')).join();
    // What the guide says that it answers.
    if (blockOfGuide('-- on the primary').includes(`-- ${is}\n`) && is !== '') break;
    if (performance.now() > end) throw new Error(`the standby does not follow as the guide says: ${is}`);
  }
  return described(server, primary.passwords);
}

interface Server {
  port: number;
  admin: pg.Client;
  version: string;
  child: ChildProcess;
  promote(): void;
}

const described = ({ port, admin, version, child, promote }: Server, passwords: ReadonlyMap<string, string>): DebianPostgres => ({
  ...{ port, admin, version, passwords, promote },
  ownerUrl: `postgres://haulgate_owner:${passwords.get('haulgate_owner')}@127.0.0.1:${port}/haulgate`,
  stop: () => stop(child),
});

/** Starts a server on a free port, with the settings of the guide. @param login of the superuser */
async function startServer(postgres: string, cluster: string, as: As, login: string, undo: Undo): Promise<Server> {
  const port = await freePort();
  const settings = replaced(blockOfGuide('# /etc/postgresql/15/main/conf.d/haulgate.conf'), `'*'`, `'127.0.0.1'`);
  writeFileSync(join(cluster, 'drill.conf'), `${settings}port = ${port}\nunix_socket_directories = ''\n`);
  const child = spawn(join(postgres, 'postgres'), ['-D', cluster], { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
  });
  undo.push(() => stop(child));
  const admin = await connected(`postgres://${login}@127.0.0.1:${port}/postgres`, child, () => said);
  // The server ends before its clients do.
  admin.on('error', () => {});
  undo.push(() => admin.end());
  const version = (await admin.query<{ version: string }>(`select current_setting('server_version') as version`)).rows[0]!.version;
  const promote = () =>
    void execFileSync(join(postgres, 'pg_ctl'), ['promote', '-D', cluster], { ...as, stdio: ['ignore', 'ignore', 'inherit'] });
  return { port, admin, version, child, promote };
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
