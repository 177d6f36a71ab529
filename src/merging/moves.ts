import { setTxOf } from '../platform/commands/set-tx.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { actOnBehalfOf, definePurpose, runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { newId } from '../platform/ids.ts';
import { continueHistories } from '../proof/history/chain-tickets.ts';
import { bumpOf, keyOf, mergingGrants, placeOf } from './merging-grants.ts';
import { EARLIER, type MergeableType, REFERENCES, type Reference, TABLES } from './references.ts';

/** Moves what refers to merged records, also in the books of companies that were passed their work or share them. */
export const MERGING = definePurpose('merging', mergingGrants());

/** A record that is merged, the one that stays, and the id under which the row of the former is kept. */
export interface Pair {
  former: string;
  kept: string;
  remains: string;
}

/** The effect of a merge on one column. */
export interface Moved {
  reference: Reference;
  /** The rows that refer to the record that stays now; of a list, one for each place in it. */
  rows: string[];
  /** The places in the lists. */
  positions?: number[];
  /** The time of the rows, of a page of very many. */
  span?: Span;
  /** Rows that stayed with the former record. */
  putAside: number;
}

interface Span {
  since: string;
  until: string;
}

/** The types of records that refer to others which can be merged: drivers to trucks, and trucks to the site where they are parked. */
const REFERRING: MergeableType[] = ['User', 'Equipment'];

/** Rows of a page: so many are written within the time of a statement, with their indexes. */
export const PAGE = 20_000;

const query = <R extends object>(tx: TxContext, sql: string, values: unknown[]): Promise<R[]> =>
  runAsPurpose(MERGING, () => queryIn<R>(tx.em, sql, values));

const isOfKind = (row: string, { kind }: Reference): string => (kind ? ` and ${row}.${kind[0]} = '${kind[1]}'` : '');
/** The condition that the record that stays, $2, has a row `o` with which something is true of row r. */
const hasRow = (reference: Reference, by: string, whose = '= $2'): string =>
  `exists (select from "${reference.table}" o where o.${reference.column} ${whose}${isOfKind('o', reference)} and ${by})`;
/** The condition that a row of the record that stays keeps row r from moving, or has it move apart. */
const isTaken = (reference: Reference): string => hasRow(reference, reference.taken!.by);
/** Returns the further column that is set of a row that moves: whose it was, of one that moves apart. */
const apartOf = (reference: Reference): string =>
  reference.apart ? `, ${reference.apart} = case when ${isTaken(reference)} then $1 else r.${reference.apart} end` : '';
const bumped = (reference: Reference): string =>
  bumpOf(reference)
    .map((column) => (column === 'version' ? ', version = r.version + 1' : `, ${column} = present_time()`))
    .join('');

/** Returns the references to records of a type, at which a merge looks. */
const referencesTo = (type: MergeableType): readonly Reference[] => [...REFERENCES[type], EARLIER];

/** Why a record cannot be merged into another one: keys of messages, and what of the rows they say. */
export async function refusals(tx: TxContext, type: MergeableType, { former, kept }: Omit<Pair, 'remains'>) {
  const found: { key: string; of: string }[] = [];
  for (const reference of referencesTo(type)) {
    const { refuses, table, column } = reference;
    if (!refuses) continue;
    const sql = `select count(*)::int as rows, ${refuses.of ?? 'null::text'} as of from "${table}" r
      where r.${column} = $1${isOfKind('r', reference)} and ${hasRow(reference, refuses.by ?? reference.taken!.by)}`;
    const [row] = await query<{ rows: number; of: string | null }>(tx, sql, [former, kept]);
    if (row!.rows > 0) found.push({ key: refuses.key, of: row!.of ?? '' });
  }
  return found;
}

/** Has everything that refers to a former record refer to the one that stays, or to what is left of the former. */
export async function move(tx: TxContext, type: MergeableType, pair: Pair): Promise<Moved[]> {
  const all: Moved[] = [];
  for (const reference of referencesTo(type)) {
    const pages = reference.pages ? movePages(tx, reference, pair) : [(reference.list ? moveInLists : moveRows)(tx, reference, pair)];
    for await (const moved of pages) if (moved.rows.length + moved.putAside > 0) all.push(moved);
  }
  return all;
}

async function moveRows(tx: TxContext, reference: Reference, pair: Pair): Promise<Moved> {
  const { does, taken, apart } = reference;
  const moved: Moved = { reference, rows: [], putAside: 0 };
  if (does === 'moves') moved.rows = await moveFree(tx, reference, pair);
  if (does === 'stays' || (taken && !apart)) moved.putAside = await point(tx, reference, pair.former, pair.remains);
  return moved;
}

/** Moves rows of one column that nothing of the record that stays is in the way of; `against`: of these records something would be. Returns their ids. */
export async function moveFree(tx: TxContext, reference: Reference, { former, kept }: Omit<Pair, 'remains'>, against?: readonly string[]) {
  const { table, column, taken, apart } = reference;
  const free = taken && !apart ? ` and not ${isTaken(reference)}` : '';
  const sql = `update "${table}" r set ${column} = $2${apartOf(reference)}${bumped(reference)} where r.${column} = $1${isOfKind('r', reference)}${free}
    ${against ? `and ${hasRow(reference, taken!.by, '= any($3::uuid[])')}` : ''} returning r.${keyOf(reference)} as id`;
  return (await query<{ id: string }>(tx, sql, [former, kept, ...(against ? [against] : [])])).map(({ id }) => id);
}

/** The condition that a row refers to a record, in words that the index of the pages knows. */
const isPaged = (row: string, { column, pages }: Reference, id: string): string =>
  [...new Set([pages!.index, column])].map((name) => `${row}.${name} = ${id}`).join(' and ');
/** The condition that it is in a page, too. */
const isOfPage = (row: string, reference: Reference, id: string, [since, until]: readonly [string, string]): string =>
  `${isPaged(row, reference, id)} and ${row}.${reference.pages!.time} between ${since}::timestamptz and ${until}::timestamptz`;

/** The times of the pages in which the rows of a record are. */
async function* pagesOf(tx: TxContext, reference: Reference, id: string): AsyncGenerator<Span> {
  const { time } = reference.pages!;
  const sql = `select min(p.at)::text as since, max(p.at)::text as until from (
      select r.${time} as at from "${reference.table}" r
      where ${isPaged('r', reference, '$1')} and r.${time} > $2::timestamptz order by r.${time} limit ${PAGE}) p`;
  for (let after = '-infinity'; ; ) {
    const [page] = await query<{ since: string | null; until: string }>(tx, sql, [id, after]);
    if (page!.since === null) return;
    yield { since: page!.since, until: page!.until };
    after = page!.until;
  }
}

async function* movePages(tx: TxContext, reference: Reference, { former, kept, remains }: Pair): AsyncGenerator<Moved> {
  const { table, column, taken } = reference;
  const times = ['$4', '$5'] as const;
  const sql = `with moved as (
      update "${table}" r set ${column} = case when exists (select from "${table}" o where ${isOfPage('o', reference, '$2', times)} and ${taken!.by})
        then $3::uuid else $2::uuid end
      where ${isOfPage('r', reference, '$1', times)} returning r.${keyOf(reference)} as id, r.${column} as now)
    select coalesce(array_agg(id) filter (where now = $2), '{}') as rows, count(*) filter (where now = $3)::int as "putAside" from moved`;
  for await (const span of pagesOf(tx, reference, former)) {
    const [moved] = await query<Pick<Moved, 'rows' | 'putAside'>>(tx, sql, [former, kept, remains, span.since, span.until]);
    yield { reference, ...moved!, span };
  }
}

async function movePagesBack(
  tx: TxContext,
  reference: Reference,
  moved: readonly KeptMove[],
  { former, kept, remains }: Pair,
): Promise<void> {
  const { table, column } = reference;
  const back = `update "${table}" r set ${column} = $1`;
  const page = isOfPage('r', reference, '$2', ['$3', '$4']);
  const ofThese = `${back} from unnest($5::uuid[]) as m (id) where ${page} and r.${keyOf(reference)} = m.id`;
  // One that a version before has moved had no pages.
  for (const { row_ids, since, until } of moved)
    await query(tx, ofThese, [former, kept, since ?? '-infinity', until ?? 'infinity', row_ids]);
  for await (const { since, until } of pagesOf(tx, reference, remains))
    await query(tx, `${back} where ${page}`, [former, remains, since, until]);
}

async function moveInLists(tx: TxContext, reference: Reference, { former, kept }: Pair): Promise<Moved> {
  const { table, column } = reference;
  const key = keyOf(reference);
  const found = await query<{ id: string; position: number }>(
    tx,
    `with found as (select r.${key} as id, array_positions(r.${column}, $1) as positions from "${table}" r where r.${column} @> array[$1]::uuid[]),
      moved as (update "${table}" r set ${column} = array_replace(r.${column}, $1, $2)${bumped(reference)} from found f
        where r.${key} = f.id returning r.${key} as id)
    select f.id, p.position from found f join moved m using (id), unnest(f.positions) as p (position)`,
    [former, kept],
  );
  return { reference, rows: found.map(({ id }) => id), positions: found.map(({ position }) => position), putAside: 0 };
}

/** Has all rows that refer to one id refer to another one. @returns how many */
async function point(tx: TxContext, reference: Reference, from: string, to: string): Promise<number> {
  const { table, column } = reference;
  const sql = `with pointed as (update "${table}" r set ${column} = $2 where r.${column} = $1${isOfKind('r', reference)} returning 1)
    select count(*)::int as rows from pointed`;
  const [row] = await query<{ rows: number }>(tx, sql, [from, to]);
  return row!.rows;
}

/** Keeps what was moved, for the undo. */
export async function keepMoves(tx: TxContext, mergeId: string, companyId: string, former: string, all: readonly Moved[]): Promise<void> {
  for (const { reference, rows, positions, span } of all)
    if (rows.length > 0)
      await queryIn(
        tx.em,
        `insert into merge_move (id, company_id, record_merge_id, former_id, place, row_ids, positions, since, until)
        values ($1, $2, $3, $4, $5, $6::uuid[], $7::int[], $8, $9)`,
        [newId(), companyId, mergeId, former, placeOf(reference), rows, positions ?? null, span?.since ?? null, span?.until ?? null],
      );
}

/**
 * Has the readers of the feed learn that records are lost, and of nothing that became of rows which are left of merged ones: these have ids that nobody
 * knows, and some refer to records that are merged themselves.
 */
export async function noteInFeed(tx: TxContext, companyId: string, lost: readonly string[], copies: readonly string[]): Promise<void> {
  await queryIn(
    tx.em,
    `select note_merged($1::uuid, $2::uuid[], $3::uuid[] || array(select m.remains_id from merged_record m
      where m.company_id = $1::uuid and m.record_type = any($4::text[])))`,
    [companyId, lost, copies, REFERRING],
  );
}

/** Has what other merges keep of a row that is a record itself name it by its new id: a driver who is merged has had a truck that was merged before. */
export async function renameInMoves(tx: TxContext, type: MergeableType, companyId: string, from: string, to: string): Promise<void> {
  await queryIn(
    tx.em,
    `update merge_move set row_ids = array_replace(row_ids, $1::uuid, $2::uuid)
    where company_id = $3 and split_part(place, '.', 1) = $4 and row_ids @> array[$1::uuid]`,
    [from, to, companyId, TABLES[type]],
  );
}

/** The rows that a merge has moved in one column, or in one page of it. */
export interface KeptMove {
  place: string;
  row_ids: string[];
  positions: number[] | null;
  since: string | null;
  until: string | null;
}

/**
 * Gives back to a former record what was moved, where it still refers to the record that stayed, and what was put aside.
 * @returns what was moved
 */
export async function moveBack(tx: TxContext, type: MergeableType, mergeId: string, { former, kept, remains }: Pair): Promise<KeptMove[]> {
  const moved = await queryIn<KeptMove>(
    tx.em,
    'select place, row_ids, positions, since::text, until::text from merge_move where record_merge_id = $1 and former_id = $2',
    [mergeId, former],
  );
  for (const reference of referencesTo(type)) {
    const { table, column, does, taken, pages, apart } = reference;
    if (pages) {
      const known = moved.filter(({ place }) => place === placeOf(reference));
      await movePagesBack(tx, reference, known, { former, kept, remains });
      continue;
    }
    const known = together(moved.filter(({ place }) => place === placeOf(reference)));
    const key = keyOf(reference);
    if (known && reference.list)
      await query(
        tx,
        `with places as (select row_id, array_agg(position) as positions from unnest($3::uuid[], $4::int[]) as p (row_id, position) group by row_id)
        update "${table}" r set ${column} = (select array_agg(case when e.id = $2 and e.n = any(p.positions) then $1 else e.id end order by e.n)
          from unnest(r.${column}) with ordinality as e (id, n))${bumped(reference)}
        from places p where r.${key} = p.row_id and r.${column} @> array[$2]::uuid[]`,
        [former, kept, known.row_ids, known.positions],
      );
    else if (known)
      await query(
        tx,
        `update "${table}" r set ${column} = $1${apart ? `, ${apart} = nullif(r.${apart}, $1)` : ''}${bumped(reference)}
        where r.${key} = any($3::uuid[]) and r.${column} = $2`,
        [former, kept, known.row_ids],
      );
    if (does === 'stays' || taken) await point(tx, reference, remains, former);
  }
  return moved;
}

/** What was moved in one column, by the merge itself and later. */
const together = (moved: readonly KeptMove[]) =>
  moved.length === 0
    ? undefined
    : { row_ids: moved.flatMap(({ row_ids }) => row_ids), positions: moved.flatMap(({ positions }) => positions ?? []) };

/** Continues the histories of tickets that say something else now, whoever has them. */
export async function chainTickets(tx: TxContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const changed = [...new Set(ids)];
  const sql = 'select distinct r.company_id as id from ticket r where r.id = any($1::uuid[])';
  for (const { id } of await query<{ id: string }>(tx, sql, [changed])) actOnBehalfOf(id);
  await continueHistories(setTxOf(tx), changed);
}

/** Copies a row under another id; a copy that is no record any more is a discarded one. */
export async function copyRow(tx: TxContext, type: MergeableType, from: string, to: string, discarded: boolean): Promise<void> {
  const table = TABLES[type];
  const columns = await queryIn<{ name: string }>(
    tx.em,
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname not in ('id', 'discarded_at') order by attnum`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await queryIn(
    tx.em,
    `insert into ${table} (id, discarded_at, ${names}) select $2, case when $3::boolean then present_time() end, ${names} from ${table} where id = $1`,
    [from, to, discarded],
  );
}

/** Deletes the row of a record that was merged; nothing refers to it any more. */
export async function deleteRow(tx: TxContext, type: MergeableType, id: string): Promise<void> {
  await queryIn(tx.em, `delete from ${TABLES[type]} where id = $1`, [id]);
}
