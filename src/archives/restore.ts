import type pg from 'pg';
import type { FileStorage } from '../platform/storage/storage.ts';
import { ARCHIVED } from './archived-tables.ts';
import { linesOf, readManifest, verifyFile } from './piece-file.ts';

/** Where what is read back is: apart from the product's tables, which nothing of it can change. */
export const RESTORED = 'restored';
/** Rows of one statement. */
const BATCH = 1_000;

/** A file that is listed. */
export interface Listed {
  table: string;
  companyId: string | null;
  period: string;
  part: number;
  state: 'writing' | 'verified' | 'removed';
  key: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface Chosen {
  table?: string;
  companyId?: string;
  /** `2026-03`: from and until which month, both included. */
  from?: string;
  until?: string;
}

/** The files that there are, oldest first, for the owner of the tables. */
export async function listPieces(owner: pg.Client, { table, companyId, from, until }: Chosen): Promise<Listed[]> {
  const { rows } = await owner.query<Listed>(
    `select table_name as table, company_id as "companyId", to_char(period, 'YYYY-MM') as period, part, state, key, row_count::int as rows, bytes::float8 as bytes, sha256
     from archive_piece where state <> 'writing' and ($1::text is null or table_name = $1) and ($2::uuid is null or company_id = $2)
       and ($3::text is null or to_char(period, 'YYYY-MM') >= $3) and ($4::text is null or to_char(period, 'YYYY-MM') <= $4)
     order by table_name, company_id, period, part`,
    [table ?? null, companyId ?? null, from ?? null, until ?? null],
  );
  return rows;
}

/**
 * Reads a file back into a table of the same name in the schema `restored`, for auditors. It is compared with its hash first. Reading it once more adds
 * nothing.
 * @returns how many rows were added
 * @throws ArchiveDamaged before anything is written
 */
export async function restorePiece(owner: pg.Client, storage: FileStorage, piece: Listed): Promise<number> {
  await verifyFile(storage, piece, async () => {});
  const { table } = await readManifest(storage, piece.key);
  const spec = ARCHIVED.find((one) => one.table === table);
  if (!spec || table !== piece.table) throw new Error(`${piece.key} has rows of ${table}`);
  let added = 0;
  await owner.query('begin');
  try {
    await owner.query(`create schema if not exists ${RESTORED}`);
    for (const one of [table, ...Object.values(spec.within ?? {})]) {
      await owner.query(`create table if not exists ${RESTORED}.${one} (like public.${one})`);
      await owner.query(`create unique index if not exists ${one}_restored_key on ${RESTORED}.${one} (id)`);
    }
    for await (const lines of linesOf(storage, piece.key, BATCH)) {
      const { rowCount } = await owner.query(
        `insert into ${RESTORED}.${table} select r.* from unnest($1::text[]) l (line), json_populate_record(null::${RESTORED}.${table}, l.line::json) r on conflict do nothing`,
        [lines],
      );
      added += rowCount ?? 0;
      for (const [column, inner] of Object.entries(spec.within ?? {}))
        await owner.query(
          `insert into ${RESTORED}.${inner} select r.* from unnest($1::text[]) l (line), json_populate_recordset(null::${RESTORED}.${inner}, l.line::json -> '${column}') r on conflict do nothing`,
          [lines],
        );
    }
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  return added;
}
