import 'reflect-metadata';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig } from './app/config.ts';
import { storageOf } from './app/configured.ts';
import { reasonOf } from './app/doctor/finding.ts';
import { ARCHIVED } from './archives/archived-tables.ts';
import { verifyFile } from './archives/piece-file.ts';
import { type Chosen, type Listed, listPieces, RESTORED, restorePiece } from './archives/restore.ts';
import { adoptStorage } from './archives/storage-mark.ts';
import { connectToPrimary } from './platform/database/connection/hosts.ts';
import { isUuid } from './platform/ids.ts';

/**
 * Lists archives, compares them with their hashes, and reads them back into tables for auditors: `npm run archive -- list|verify|restore [--table
 * audit_entry] [--company ID] [--from 2026-01] [--until 2026-12]`. `adopt` says that the configured storage is the one of the database from now on. It works
 * as the owner of the tables. The exit code is 1 if a file is damaged or missing, and 2 if nothing could be looked at.
 */
const say = (line: string) => void process.stdout.write(`${line}\n`);
const { what, chosen } = parseOptions();
const { config, owner } = await open();
const dataDir = resolve(config.HAULGATE_DATA);
try {
  const storage = await storageOf(config, dataDir);
  if (what === 'adopt') {
    await adoptStorage(
      async <R extends object>(sql: string, given?: unknown[]) => (await owner.query<R>(sql, given)).rows,
      storage,
      join(dataDir, 'incoming'),
    );
    say('this storage is that of the database now');
  }
  const pieces = await listPieces(owner, chosen);
  for (const piece of pieces) {
    const name = `${piece.table} ${piece.period} ${piece.companyId ?? 'all companies'}${piece.part > 1 ? ` part ${piece.part}` : ''}`;
    try {
      if (what === 'list')
        say(`${name}: ${piece.rows} rows, ${piece.isDeleted ? 'deleted' : piece.state}, ${piece.key}, SHA-256 ${piece.sha256}`);
      // Its time was over: there is nothing to read.
      if (piece.isDeleted) continue;
      if (what === 'verify') {
        await verifyFile(storage, piece, async () => {});
        say(`${name}: whole, ${piece.rows} rows`);
      }
      if (what === 'restore')
        say(`${name}: ${await restorePiece(owner, storage, piece)} of ${piece.rows} rows added to ${RESTORED}.${piece.table}`);
    } catch (error) {
      process.exitCode = 1;
      say(`${name}: ${(error as Error).message}`);
    }
  }
  say(`${pieces.length} archives, ${sumOf(pieces)} rows`);
} finally {
  await owner.end();
}

/** Returns the options. A mistake in them is said, and ends the program. */
function parseOptions(): { what: string; chosen: Chosen } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { table: { type: 'string' }, company: { type: 'string' }, from: { type: 'string' }, until: { type: 'string' } },
    });
    const [what = 'list', ...more] = positionals;
    if (more.length > 0 || !['list', 'verify', 'restore', 'adopt'].includes(what))
      throw new Error('npm run archive -- list, verify, restore or adopt');
    for (const name of ['from', 'until'] as const)
      if (values[name] !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(values[name]))
        throw new Error(`--${name} must be a month such as 2026-03.`);
    const { table, company, from, until } = values;
    const tables = ARCHIVED.map((one) => one.table);
    if (table !== undefined && !tables.includes(table)) throw new Error(`--table must be one of ${tables.join(', ')}.`);
    if (company !== undefined && !isUuid(company)) throw new Error('--company must be the id of a company, a UUID.');
    if (from !== undefined && until !== undefined && from > until) throw new Error('--from must not be after --until.');
    return { what, chosen: { table, companyId: company, from, until } };
  } catch (error) {
    return fail(error);
  }
}

/** Reads the configuration, and connects to its database. What keeps it from that is said, and ends the program. */
async function open() {
  try {
    const config = readConfig(process.env);
    return { config, owner: await connectToPrimary(config.DATABASE_OWNER_URL ?? config.DATABASE_URL ?? embeddedUrl(config)) };
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(2);
}

function sumOf(pieces: readonly Listed[]): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0);
}

/** The embedded PostgreSQL, which runs while the product does. */
function embeddedUrl({ HAULGATE_DATA }: Config): string {
  const folder = resolve(HAULGATE_DATA);
  const [pidFile, passwordFile] = [join(folder, 'postgres', 'postmaster.pid'), join(folder, 'postgres.password')];
  if (!existsSync(pidFile) || !existsSync(passwordFile))
    throw new Error(
      `DATABASE_URL is not set, and the embedded PostgreSQL in ${folder} is not running: start Haulgate, or set DATABASE_URL.`,
    );
  const [, , , port] = readFileSync(pidFile, 'utf8').split('\n');
  return `postgres://haulgate:${readFileSync(passwordFile, 'utf8').trim()}@127.0.0.1:${port}/haulgate`;
}
