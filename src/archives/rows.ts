import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { fileStorage } from '../platform/storage/storage.ts';
import { ARCHIVING } from './archive-purpose.ts';
import { type ArchivedTable, HASH, LINE } from './archived-tables.ts';
import { dropFile, type Lines, linesOf, verifyFile } from './piece-file.ts';
import type { Piece, Pieces } from './pieces.ts';

/** Rows of one statement. */
const PAGE = 2_000;

/** The month of a piece, as instants. */
export interface Month {
  from: string;
  to: string;
}

/** Returns the month of a period such as `2026-03`, in UTC. */
export function monthOf(period: string): Month {
  const [year, month] = period.split('-').map(Number);
  return { from: new Date(Date.UTC(year!, month! - 1, 1)).toISOString(), to: new Date(Date.UTC(year!, month!, 1)).toISOString() };
}

const inMonth = ({ time }: ArchivedTable): string => `t.${time} >= $2::timestamptz and t.${time} < $3::timestamptz`;
const ofCompany = ({ finished }: ArchivedTable, companyId: string | null): string =>
  `${companyId === null ? '$1::uuid is null' : 't.company_id = $1::uuid'}${finished ? ` and ${finished}` : ''}`;

/** Returns the first month from a moment on in which a company has rows that may leave, `2026-03`; undefined if there is none. */
export async function nextMonth(
  pieces: Pieces,
  spec: ArchivedTable,
  companyId: string | null,
  from: string,
  before: string,
): Promise<string | undefined> {
  const { table, time, order, groups } = spec;
  const where = `${ofCompany(spec, companyId)} and ${inMonth(spec)}`;
  const first = groups
    ? `select min(x.at) as at from (${groups.of}) g (id) cross join lateral (select t.${time} as at from ${table} t
        where t.${groups.column} = g.id and ${where} order by t.${time} limit 1) x`
    : `select t.${time} as at from ${table} t where ${where} order by ${order.map(([column]) => `t.${column}`).join(', ')} limit 1`;
  const sql = `select to_char(f.at at time zone 'UTC', 'YYYY-MM') as month from (${first}) f where f.at is not null`;
  return (await pieces.ask<{ month: string }>(sql, [companyId, from, before]))[0]?.month;
}

/** The rows of a piece as they are now, in the order of an index. */
export async function* rowsOf(pieces: Pieces, spec: ArchivedTable, piece: Piece, progress: () => Promise<void>): Lines {
  const { groups } = spec;
  const ids = groups ? await pieces.ask<{ id: string }>(groups.of, [piece.companyId]) : [undefined];
  for (const group of ids) yield* pagesOf(pieces, spec, piece, group?.id, progress);
}

interface Row {
  line: string;
  hash: string;
  /** Its place in the order. */
  at: string[];
  inside: boolean;
}

async function* pagesOf(
  pieces: Pieces,
  spec: ArchivedTable,
  piece: Piece,
  group: string | undefined,
  progress: () => Promise<void>,
): Lines {
  const { from, to } = monthOf(piece.period);
  const { table, order, groups, nearlyByTime } = spec;
  const columns = order.map(([column]) => `t.${column}`).join(', ');
  for (let after: string[] | undefined; ; ) {
    const values: unknown[] = [piece.companyId, from, to];
    const place = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
    const where = [ofCompany(spec, piece.companyId)];
    if (!nearlyByTime) where.push(inMonth(spec));
    if (groups) where.push(`t.${groups.column} = ${place(group, 'uuid')}`);
    if (after) where.push(`(${columns}) > (${order.map(([, type], at) => place(after![at], type)).join(', ')})`);
    const page = await pieces.ask<Row>(
      `select ${LINE} as line, ${HASH}::text as hash, array[${order.map(([column]) => `t.${column}::text`).join(', ')}] as at, ${inMonth(spec)} as inside
       from ${spec.from ?? table} t where ${where.join(' and ')} order by ${columns} limit ${PAGE}`,
      values,
    );
    await progress();
    const inside = page.filter((row) => row.inside);
    yield inside;
    if (page.length < PAGE || inside.length === 0) return;
    after = page.at(-1)!.at;
  }
}

/**
 * Removes the rows of a piece: those of which its file, read back, has exactly what the table has. What has changed since stays, and gets another file.
 * If none has left and all are still there, as when a migration has given them a column, the file is dropped and written anew.
 * @returns how many rows have left
 */
export async function removeRows(em: EntityManager, pieces: Pieces, spec: ArchivedTable, piece: Piece): Promise<number> {
  const storage = fileStorage.of(em);
  const renew = pieces.renewal(piece);
  await verifyFile(storage, piece, renew);
  let [removed, found] = [0, 0];
  for await (const lines of linesOf(storage, piece.key, PAGE)) {
    const rows = lines.map((line) => JSON.parse(line) as Record<string, string>);
    const page = await removeLines(
      em,
      spec,
      rows.map((row) => row.id!),
      rows.map((row) => row[spec.time]!),
      lines,
    );
    removed += page.removed;
    found += page.found;
    await renew();
  }
  if (removed > 0 || found < piece.rows || piece.rows === 0) await pieces.remove(piece);
  else {
    await pieces.reopen(piece);
    for (const key of [piece.key, piece.staleKey]) if (key) await dropFile(em, key);
    await pieces.forget(piece);
  }
  return removed;
}

interface Removed {
  removed: number;
  /** The number of them that were still in the table before. */
  found: number;
}

function removeLines(em: EntityManager, spec: ArchivedTable, ids: string[], times: string[], lines: string[]): Promise<Removed> {
  const { table, time, from, keep, watched } = spec;
  // Looked up one by one, whatever else is in the table. A row that somebody was changing is compared once more when they are done.
  const sql = `with found as materialized (
      select r.id, r.at, r.line, t.line = r.line as same from unnest($1::uuid[], $2::timestamptz[], $3::text[]) r (id, at, line)
        cross join lateral (select ${LINE} as line from ${from ?? table} t where t.id = r.id and t.${time} = r.at offset 0) t),
    gone as (delete from ${table} t using found s where s.same and t.id = s.id and t.${time} = s.at${from ? '' : ` and ${LINE} = s.line`} returning t.id, t.${time} as at)
    ${keep ? `, kept as (${keep})` : ''}
    select (select count(*)::int from gone) as removed, (select count(*)::int from found) as found`;
  return runAsPurpose(ARCHIVING, () =>
    em.fork().transactional(async (tx) => {
      // Rows that hang on a row cannot be compared once more: nobody adds to a row that is locked, and the next statement sees those that were added before.
      if (from) await queryIn(tx, `select from ${table} t where t.id = any($1::uuid[]) order by t.id for update`, [ids]);
      const [row] = await queryIn<Removed>(tx, sql, [ids, times, lines]);
      if (watched) await queryIn(tx, 'delete from change_pending where writer = pg_current_xact_id()');
      return row!;
    }),
  );
}
