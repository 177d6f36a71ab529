import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from './app/config.ts';
import { storageOf } from './app/configured.ts';
import { verifyFile } from './archives/piece-file.ts';
import { type Listed, listPieces, RESTORED, restorePiece } from './archives/restore.ts';
import { adoptStorage } from './archives/storage-mark.ts';
import { connectToPrimary } from './platform/database/connection/hosts.ts';

/**
 * Lists archives, compares them with their hashes, and reads them back into tables for auditors: `npm run archive -- list|verify|restore [--table
 * audit_entry] [--company ID] [--from 2026-01] [--until 2026-12]`. `adopt` says that the configured storage is the one of the database from now on. It works
 * as the owner of the tables. The exit code is 1 if a file is damaged or missing.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { table: { type: 'string' }, company: { type: 'string' }, from: { type: 'string' }, until: { type: 'string' } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const [what = 'list'] = positionals;
if (!['list', 'verify', 'restore', 'adopt'].includes(what)) {
  process.stderr.write('npm run archive -- list, verify, restore or adopt\n');
  process.exit(2);
}
for (const name of ['from', 'until'] as const)
  if (values[name] !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(values[name])) {
    process.stderr.write(`--${name} must be a month such as 2026-03.\n`);
    process.exit(2);
  }
const config = readConfig(process.env);
const dataDir = resolve(config.HAULGATE_DATA);
const owner = await connectToPrimary(config.DATABASE_OWNER_URL ?? config.DATABASE_URL ?? embeddedUrl());
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
  const pieces = await listPieces(owner, { table: values.table, companyId: values.company, from: values.from, until: values.until });
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

function sumOf(pieces: readonly Listed[]): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0);
}

/** The embedded PostgreSQL, which runs while the product does. */
function embeddedUrl(): string {
  const [, , , port] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
  return `postgres://haulgate:${password}@127.0.0.1:${port}/haulgate`;
}
