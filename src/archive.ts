import 'reflect-metadata';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from './app/config.ts';
import { storageOf } from './app/configured.ts';
import { requireEmbedded } from './app/doctor/embedded-address.ts';
import { reasonOf } from './app/doctor/finding.ts';
import { ARCHIVED } from './archives/archived-tables.ts';
import { ArchiveDamaged, manifestKeyOf, verifyFile } from './archives/piece-file.ts';
import { type Chosen, type Listed, listPieces, RESTORED, restorePiece } from './archives/restore.ts';
import { adoptStorage, hasMark } from './archives/storage-mark.ts';
import { connectToPrimary } from './platform/database/connection/hosts.ts';
import { isUuid } from './platform/ids.ts';
import type { FileStorage } from './platform/storage/storage.ts';
import { boundTables } from './reporting/invariants/check-invariants.ts';

/**
 * Lists archives, compares them with their hashes, and reads them back into tables for auditors: `npm run archive -- list|verify|restore [--table
 * audit_entry] [--company ID] [--from 2026-01] [--until 2026-12]`. `adopt` says that the configured storage is the one of the database from now on. It works
 * as the owner of the tables. The exit code is 1 if a file is damaged or missing, and 2 if that cannot be said: the database or the storage is away.
 */
const say = (line: string) => void process.stdout.write(`${line}\n`);
const { what, chosen } = parseOptions();
const { config, owner } = await open();
const dataDir = resolve(config.HAULGATE_DATA);
const ask = async <R extends object>(sql: string, given?: unknown[]) => (await owner.query<R>(sql, given)).rows;
try {
  // Otherwise there would be no archives, and all of them whole.
  if ((await boundTables(ask, ['archive_piece'])).length > 0)
    throw new Error('row-level security binds this login, which sees none of them: set DATABASE_OWNER_URL to the owner of the tables');
  const storage = await storageOf(config, dataDir);
  if (what === 'adopt') {
    await adoptStorage(ask, storage, join(dataDir, 'incoming'));
    say('this storage is that of the database now\nnpm run archive -- verify says whether the files of archives are in it');
  }
  const pieces = await listPieces(owner, chosen);
  let [lost, unread] = [0, 0];
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
      // Of a storage that is away nobody knows what is in it.
      if (error instanceof ArchiveDamaged || (await isMissing(storage, piece.key))) lost++;
      else unread++;
      say(`${name}: ${reasonOf(error)}`);
    }
  }
  say(`${pieces.length} archives, ${sumOf(pieces)} rows`);
  if (lost > 0 && (await hasMark(ask, storage)) === false)
    say(
      `${lost} are damaged or missing: this is another storage than that of the database. Set HAULGATE_FILES and HAULGATE_DATA as its processes have them.`,
    );
  else if (lost > 0)
    say(
      `${lost} are damaged or missing: bring these files back from a backup of the storage, and verify them again. Rows that have left the database are in no other place.`,
    );
  if (unread > 0)
    say(
      `${unread} could not be looked at, for the reason above: nothing is known of them. npm run doctor says whether database and storage answer.`,
    );
  process.exitCode = lost > 0 ? 1 : unread > 0 ? 2 : 0;
} catch (error) {
  process.exitCode = 2;
  process.stderr.write(
    `The archives could not be looked at: ${reasonOf(error)}.${isEarlier(error) ? ' The database is not that of this version: npm run doctor says which migrations it has.' : ''}\n`,
  );
} finally {
  await owner.end();
}

/** Whether a file or its manifest is not there, as far as the storage answers. */
async function isMissing(storage: FileStorage, key: string): Promise<boolean> {
  const there = await Promise.all([key, manifestKeyOf(key)].map((one) => storage.has(one))).catch(() => [true]);
  return there.includes(false);
}

/** Whether PostgreSQL knows no such table or column. */
function isEarlier(error: unknown): boolean {
  return ['42P01', '42703'].includes((error as { code?: string }).code ?? '');
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
    const url = config.DATABASE_OWNER_URL ?? config.DATABASE_URL ?? requireEmbedded(config.HAULGATE_DATA);
    const name = config.DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : config.DATABASE_URL ? 'DATABASE_URL' : 'HAULGATE_DATA';
    const owner = await connectToPrimary(url).catch((error: unknown) => {
      throw new Error(`No server of ${name} can be asked: ${reasonOf(error)}.`);
    });
    return { config, owner };
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
