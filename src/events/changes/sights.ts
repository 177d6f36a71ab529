import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import type { Entry } from './entry.ts';
import type { FeedReader } from './feed-reader.ts';
import type { RecordType } from './record-types.ts';

/** That a reader saw a record in the feed, and at which position it was lost from sight. */
export interface Sight {
  id: string;
  type: RecordType;
  /** Null while it is seen. */
  lostAt: string | null;
}

const FIND = `select subject_id as id, subject_type as type, lost_at::text as "lostAt" from change_sight
  where company_id = $1 and reader_id = $2 and subject_id = any($3::uuid[])`;
const NOTE = `insert into change_sight (company_id, reader_id, subject_id, subject_type, lost_at)
  select $1, $2, s.id, s.type, s.lost from unnest($3::uuid[], $4::text[], $5::bigint[]) s (id, type, lost) order by s.id
  on conflict (company_id, reader_id, subject_id) do update set lost_at = excluded.lost_at
    where change_sight.lost_at is distinct from excluded.lost_at`;

/** What a reader saw of these records, by id. */
export async function sightsOf(
  ctx: Context,
  { companyId, sightsOf: reader }: FeedReader,
  ids: readonly string[],
): Promise<Map<string, Sight>> {
  if (ids.length === 0) return new Map();
  const rows = await queryOf<Sight>(ctx, FIND, [companyId, reader, ids]);
  return new Map(rows.map((sight) => [sight.id, sight]));
}

/** Remembers what a reader sees, before they see it. */
export async function noteSights(ctx: Context, { companyId, sightsOf: reader }: FeedReader, sights: readonly Sight[]): Promise<void> {
  if (sights.length === 0) return;
  const columns = [sights.map(({ id }) => id), sights.map(({ type }) => type), sights.map(({ lostAt }) => lostAt)];
  await queryOf(ctx, NOTE, [companyId, reader, ...columns]);
}

const SURROUNDINGS = `select s.place::int as place, a.type, a.id from unnest($1::text[], $2::uuid[]) with ordinality s (type, id, place)
  cross join lateral change_surroundings(s.type, s.id) a order by s.place`;
/** A change of these may bring other work into sight, or take it away: who drives a job reads its order, its loads and tickets. */
const WITH_SURROUNDINGS: readonly RecordType[] = ['Order', 'Job'];

/** The entries, and behind each of an order or a job the work around it. */
export async function withSurroundings(ctx: Context, entries: readonly Entry[]): Promise<Entry[]> {
  const centres = entries.filter(({ type }) => WITH_SURROUNDINGS.includes(type));
  if (centres.length === 0) return [...entries];
  const values = [centres.map(({ type }) => type), centres.map(({ id }) => id)];
  const rows = await queryOf<{ place: number; type: RecordType; id: string }>(ctx, SURROUNDINGS, values);
  const around = Map.groupBy(rows, ({ place }) => centres[place - 1]!);
  return entries.flatMap((entry) => [
    entry,
    ...(around.get(entry) ?? []).map(({ type, id }): Entry => ({ ...entry, type, id, kind: 'update', around: true })),
  ]);
}
