import pg from 'pg';
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
  /** Its time was over, and it is there no longer. */
  isDeleted: boolean;
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
    `select table_name as table, company_id as "companyId", to_char(period, 'YYYY-MM') as period, part, state, key, row_count::int as rows, bytes::float8 as bytes, sha256,
       deleted_at is not null as "isDeleted"
     from archive_piece where state <> 'writing' and ($1::text is null or table_name = $1) and ($2::uuid is null or company_id = $2)
       and ($3::text is null or to_char(period, 'YYYY-MM') >= $3) and ($4::text is null or to_char(period, 'YYYY-MM') <= $4)
     order by table_name, company_id, period, part`,
    [table ?? null, companyId ?? null, from ?? null, until ?? null],
  );
  return rows;
}

/** The column of restored tables that says from which file of its month a row is. */
const PART = 'archive_part';
const COLUMNS = `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as filled from pg_attribute a
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped order by a.attnum`;

interface Column {
  name: string;
  type: string;
  filled: boolean;
}

const columnsOf = async (owner: pg.Client, table: string): Promise<Column[]> => (await owner.query<Column>(COLUMNS, [table])).rows;

/**
 * Makes the table that rows are read back into, or brings it up to the product's: files of before a migration lack its columns, whatever these demand.
 * @returns its columns
 */
async function keepRestored(owner: pg.Client, table: string): Promise<Column[]> {
  const restored = `${RESTORED}.${table}`;
  await owner.query(`create table if not exists ${restored} (like public.${table})`);
  const there = await columnsOf(owner, restored);
  const wanted = [...(await columnsOf(owner, `public.${table}`)), { name: PART, type: 'integer' }];
  const changes = [
    ...there.filter(({ filled }) => filled).map(({ name }) => `alter column ${pg.escapeIdentifier(name)} drop not null`),
    ...wanted
      .filter(({ name }) => !there.some((one) => one.name === name))
      .map(({ name, type }) => `add column ${pg.escapeIdentifier(name)} ${type}`),
  ];
  if (changes.length > 0) await owner.query(`alter table ${restored} ${changes.join(', ')}`);
  await owner.query(`create unique index if not exists ${table}_restored_key on ${restored} (id)`);
  return columnsOf(owner, restored);
}

/** A row that is there stays, unless it is from a file before this one: a row that changed while it was archived is in two. */
function addRows(table: string, columns: readonly Column[], rows: string): string {
  const names = columns.map(({ name }) => pg.escapeIdentifier(name));
  return `with added as (insert into ${RESTORED}.${table} as t (${names.join(', ')}) select distinct on (r.id) ${names.map((name) => `r.${name}`).join(', ')} from ${rows} r
      on conflict (id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')} where excluded.${PART} > coalesce(t.${PART}, 0)
      returning t.xmax = 0 as new)
    select count(*) filter (where new)::int as count from added`;
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
    const populate = (of: string, line: string) =>
      `json_populate_record(json_populate_record(null::${RESTORED}.${of}, ${line}), json_build_object('${PART}', $2::integer))`;
    const lines = 'unnest($1::text[]) l (line)';
    const add = addRows(table, await keepRestored(owner, table), `${lines}, ${populate(table, 'l.line::json')}`);
    const adds: string[] = [];
    for (const [column, inner] of Object.entries(spec.within ?? {})) {
      const values = `${lines}, json_array_elements(l.line::json -> '${column}') e (one), ${populate(inner, 'e.one')}`;
      adds.push(addRows(inner, await keepRestored(owner, inner), values));
    }
    for await (const batch of linesOf(storage, piece.key, BATCH)) {
      const { rows } = await owner.query<{ count: number }>(add, [batch, piece.part]);
      added += rows[0]!.count;
      for (const one of adds) await owner.query(one, [batch, piece.part]);
    }
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  return added;
}
