import { viewerOf } from '../../platform/authz/authorization.ts';
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
  /** The position up to which a reader need not have heard that it came into sight; null of what was seen before that was noted. */
  cameAt: string | null;
}
/** What is known of a record that somebody saw. */
export type Seen = Pick<Sight, 'lostAt' | 'cameAt'>;

/** Whether a reader sees some records only, of those of a type that are the company's own or not: then it is kept which they saw. */
export const isBySight = ({ limited, partly }: FeedReader, type: RecordType, own: boolean): boolean => limited || !own || partly.has(type);

/** Under whom is kept which records were seen: the company, whose people all see the same records of others, or the person who sees some only. */
const keeperOf = ({ companyId, viewerId, limited, partly }: FeedReader, type: RecordType): string =>
  limited || partly.has(type) ? viewerId : companyId;

/** Everybody under whom something is kept for a reader. */
export const keepersOf = ({ companyId, viewerId, limited, partly }: FeedReader): string[] => [
  ...(limited ? [] : [companyId]),
  ...(limited || partly.size > 0 ? [viewerId] : []),
];

const FIND = `select s.subject_id as id, s.subject_type as type, s.lost_at::text as "lostAt", s.came_at::text as "cameAt" from unnest($2::uuid[], $3::uuid[]) q (reader, id)
  join change_sight s on s.company_id = $1 and s.reader_id = q.reader and s.subject_id = q.id`;
const NOTE = `insert into change_sight (company_id, reader_id, subject_id, subject_type, lost_at, came_at)
  select $1, s.reader, s.id, s.type, s.lost, s.came from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[]) s (reader, id, type, lost, came)
  order by s.reader, s.id
  on conflict (company_id, reader_id, subject_id) do update set lost_at = excluded.lost_at, came_at = excluded.came_at
    where change_sight.lost_at is distinct from excluded.lost_at`;

/** Returns the sights that a reader has of these records, by id. */
export async function sightsOf(
  ctx: Context,
  reader: FeedReader,
  records: readonly { id: string; type: RecordType }[],
): Promise<Map<string, Seen>> {
  const asked = [...new Map(records.map((one) => [one.id, one])).values()];
  if (asked.length === 0) return new Map();
  const columns = [asked.map(({ type }) => keeperOf(reader, type)), asked.map(({ id }) => id)];
  const rows = await queryOf<Sight>(ctx, FIND, [reader.companyId, ...columns]);
  return new Map(rows.map((sight) => [sight.id, sight]));
}

/** Remembers what a reader sees, before they see it. */
export async function noteSights(ctx: Context, reader: FeedReader, sights: readonly Sight[]): Promise<void> {
  if (sights.length === 0) return;
  const columns = [
    sights.map(({ type }) => keeperOf(reader, type)),
    sights.map(({ id }) => id),
    sights.map(({ type }) => type),
    sights.map(({ lostAt }) => lostAt),
    sights.map(({ cameAt }) => cameAt),
  ];
  await queryOf(ctx, NOTE, [reader.companyId, ...columns]);
}

const BEGIN = `insert into change_reader (company_id, reader_id) select $1, k from unnest($2::uuid[]) k order by k
  on conflict (company_id, reader_id) do update set read_at = now() where ${isLate('change_reader')}`;
const GO_ON = `update change_reader r set read_at = now() where company_id = $1 and reader_id = any($2::uuid[]) and ${isLate('r')}`;

/** Keeps from now on what a reader sees, who begins to read. */
export async function beginSights(ctx: Context, reader: FeedReader): Promise<void> {
  await queryOf(ctx, BEGIN, [reader.companyId, keepersOf(reader)]);
}

/** Notes that a reader goes on to read, so that nothing is forgotten of what they saw. */
export async function noteReading(ctx: Context, reader: FeedReader): Promise<void> {
  await queryOf(ctx, GO_ON, [reader.companyId, keepersOf(reader)]);
}

/** SQL: whether what was kept under some of these is kept no longer, because they have not read for long (retention.ts), and whether one of them is late. */
export const STATE_OF_KEEPERS = (company: string, keepers: string): string =>
  `select count(*) < cardinality(${keepers}) as forgotten, coalesce(bool_or(${isLate('r')}), false) as late
    from change_reader r where r.company_id = ${company} and r.reader_id = any(${keepers})`;

/** It is written once an hour that somebody reads: what is forgotten was not read for weeks. */
function isLate(r: string): string {
  return `${r}.read_at < now() - interval '1 hour'`;
}

const SURROUNDINGS = `select distinct on (a.type, a.id) s.place::int as place, a.type, a.id from unnest($1::text[], $2::uuid[]) with ordinality s (type, id, place)
  cross join lateral change_surroundings(s.type, s.id) a order by a.type, a.id, s.place`;

/** A change of these may bring other work into sight, or take it away: who drives a job reads its order, its loads and tickets, and the files of all of these. */
const CENTRES: readonly RecordType[] = ['Order', 'Job', 'DriverDay', 'Project'];
/** Who is limited to sites sees an order also because one of its loads stops there. */
const CENTRES_AT_SITES: readonly RecordType[] = [...CENTRES, 'Load'];

/** The types of which a reader is shown changes by those of others, of the types that are wanted and these; none for a reader who sees all records. */
export function centresOf(ctx: Context, { limited }: FeedReader): readonly RecordType[] {
  if (!limited) return [];
  return viewerOf(ctx).siteIds ? CENTRES_AT_SITES : CENTRES;
}

/**
 * The entries, and behind each of an order, a job and the like the work around it: each record once, behind the first one, because whether it is seen is
 * looked at once for all of them.
 */
export async function withSurroundings(ctx: Context, reader: FeedReader, entries: readonly Entry[]): Promise<Entry[]> {
  const types = centresOf(ctx, reader);
  const all = entries.filter(({ type }) => types.includes(type));
  const centres = [...Map.groupBy(all, ({ id }) => id).values()].map(([first]) => first!);
  if (centres.length === 0) return [...entries];
  const values = [centres.map(({ type }) => type), centres.map(({ id }) => id)];
  const rows = await queryOf<{ place: number; type: RecordType; id: string }>(ctx, SURROUNDINGS, values);
  const around = Map.groupBy(rows, ({ place }) => centres[place - 1]!);
  return entries.flatMap((entry) => [
    entry,
    ...(around.get(entry) ?? []).map(({ type, id }): Entry => ({ ...entry, type, id, kind: 'update', around: true })),
  ]);
}
