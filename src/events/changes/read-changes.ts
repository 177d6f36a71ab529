import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { currentIds, leftOfMerges } from '../../platform/database/former-ids.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { readAtPrimary } from '../../platform/http/replica-reads.ts';
import type { Entry } from './entry.ts';
import { type FeedReader, feedReaderOf, positionOf, positionText } from './feed-reader.ts';
import { positionGone } from './feed-services.ts';
import { moveChanges } from './move-changes.ts';
import { readableRecords } from './readable-records.ts';
import { RECORD_TYPES, type RecordType } from './record-types.ts';
import {
  beginSights,
  centresOf,
  isBySight,
  keepersOf,
  noteReading,
  noteSights,
  type Seen,
  type Sight,
  STATE_OF_KEEPERS,
  sightsOf,
  withSurroundings,
} from './sights.ts';

/** A change of a record, as its reader learns of it. */
export interface Change {
  position: string;
  type: RecordType;
  /** The record. */
  id: string;
  /** `removed`: the reader saw the record, and does not see it any more. */
  event: Entry['kind'] | 'removed';
  previousState: string | null;
  state: string | null;
  changedAt: Date;
  /** Of a record that is seen no more because it was merged: the one that stayed. */
  mergedInto: string | null;
}

export interface Changes {
  changes: Change[];
  /** Where to read on. */
  position: string;
  /** There is more already. */
  more: boolean;
  reader: FeedReader;
  /** The records of the changes that are there, by id, if they were asked for. */
  records?: ReadonlyMap<string, object>;
}

export interface ChangesAsked {
  companyId?: string | null;
  /** By default, the present end of the feed. */
  after?: string | null;
  /** By default, all; none of an empty list, as of every filter. */
  types?: readonly RecordType[] | null;
  /** Entries of the feed that are looked at. */
  limit: number;
  /** The records are asked for, too, as REST shows them. */
  shown?: boolean;
  /** Somebody was just informed that the feed has more: what was committed since comes with the next look. */
  informed?: boolean;
}

/** Positions that one statement looks through: types that hardly ever change are sought in several of them, none of which takes long. */
const SPAN = 20_000;

// One statement, so that nothing is deleted between its answers.
const READ = `select f.position::text as last, f.begins_after::text as "beginsAfter", f.position < $2::bigint as ahead, not $6::boolean and $2::bigint < f.begins_after as old,
    greatest($2::bigint, f.begins_after) + ${SPAN} < f.position as further, (greatest($2::bigint, f.begins_after) + ${SPAN})::text as seen, s.forgotten, s.late,
    coalesce((select json_agg(e order by e.number) from (
      select position as number, position::text, owner_company_id as "ownerId", subject_type as type, subject_id as id, kind,
        previous_state as "previousState", state, changed_at as "changedAt"
      from change_entry where company_id = $1 and position > greatest($2::bigint, f.begins_after) and position <= greatest($2::bigint, f.begins_after) + ${SPAN}
        and subject_type = any($3::text[]) order by change_entry.position limit $4) e), '[]') as entries
  from change_feed f cross join lateral (${STATE_OF_KEEPERS('f.company_id', '$5::uuid[]')}) s where f.company_id = $1`;
interface Row {
  last: string;
  beginsAfter: string;
  ahead: boolean;
  old: boolean;
  /** There are positions behind `seen`, the last one that was looked at. */
  further: boolean;
  seen: string;
  /** True if the sights of the reader are kept no longer. */
  forgotten: boolean;
  /** It was not written for long that the reader reads. */
  late: boolean;
  entries: Entry[];
}

/** The position at the present end of a feed. */
export async function presentPosition(ctx: Context, companyId: string): Promise<string> {
  await toPresent(ctx);
  const [feed] = await queryOf<{ position: string }>(ctx, 'select position::text from change_feed where company_id = $1', [companyId]);
  return feed?.position ?? '0';
}

/** Has everything that was committed before in the feeds. They are on the primary: no replica need have replayed yet what this wrote. */
async function toPresent(ctx: Context): Promise<void> {
  await moveChanges(ctx.em);
  readAtPrimary();
}

/**
 * Returns the changes after a position, in the order of the feed. Of each entry the reader learns only if they may see the record now, or saw it before.
 * @throws Missing for a company that the caller does not see, Invalid for what is no position, Gone for one from which nobody can read on
 */
export async function readChanges(
  ctx: Context,
  { companyId, after, types, limit, shown = false, informed }: ChangesAsked,
): Promise<Changes> {
  const reader = feedReaderOf(ctx, companyId);
  if (after === undefined || after === null) {
    const present = await presentPosition(ctx, reader.companyId);
    await beginSights(ctx, reader);
    return { changes: [], position: positionText(present, reader), more: false, reader };
  }
  const from = positionOf(after, reader);
  // All that is kept, which is never too old.
  const everything = after === '0';
  if (everything) await beginSights(ctx, reader);
  if (informed) readAtPrimary();
  else await toPresent(ctx);
  const records = readableRecords.of(ctx.em);
  const viewer = viewerOf(ctx);
  const wanted = (types ?? RECORD_TYPES).filter((type) => records.mayRead(viewer, type));
  // A load comes into sight by a change of its job, also for somebody who asks for loads alone.
  const looked = wanted.length === 0 ? [] : [...new Set([...wanted, ...centresOf(ctx, reader)])];
  const [row] = await queryOf<Row>(ctx, READ, [reader.companyId, from, looked, limit, keepersOf(reader), everything]);
  // Nothing has ever changed: there is nothing to be late for.
  if (!row) return { changes: [], position: positionText('0', reader), more: false, reader };
  if (row.old || row.forgotten) throw positionGone(reader.companyId, 'position_too_old');
  if (row.ahead) throw positionGone(reader.companyId, 'position_unknown');
  if (row.late) await noteReading(ctx, reader);
  const isFull = row.entries.length === limit;
  const more = isFull || row.further;
  const last = isFull ? row.entries[limit - 1]!.position : row.further ? row.seen : row.last;
  const seen = await seenBy(ctx, reader, row.entries, { wanted, shown });
  return { ...seen, position: positionText(last, reader), more, reader };
}

/** What is asked of the records of entries. */
interface Wanted {
  wanted: readonly RecordType[];
  shown: boolean;
}

async function seenBy(
  ctx: Context,
  reader: FeedReader,
  read: readonly Entry[],
  { wanted, shown }: Wanted,
): Promise<Pick<Changes, 'changes' | 'records'>> {
  if (read.length === 0) return { changes: [] };
  const { companyId, limited } = reader;
  const entries = limited ? (await withSurroundings(ctx, reader, read)).filter(({ type }) => wanted.includes(type)) : read;
  const records = readableRecords.of(ctx.em);
  const byType = Map.groupBy(entries, ({ type }) => type);
  // Whoever sees a record is shown it: one read answers both.
  const visible = new Map<string, object>();
  for (const found of await Promise.all(
    [...byType].map(([type, of]) => records[shown ? 'documents' : 'visible'](ctx, companyId, type, [...new Set(of.map(({ id }) => id))])),
  ))
    for (const [id, record] of found) visible.set(id, record);
  const bySight = ({ type, ownerId }: Entry) => isBySight(reader, type, ownerId === companyId);
  const sights = await sightsOf(ctx, reader, entries.filter(bySight));
  const noted = new Map<string, Sight>();
  const came = new Map<string, string>();
  const changes = entries.flatMap((entry): Change[] => {
    const event = bySight(entry)
      ? eventOfSight(entry, visible.has(entry.id), { sights, noted, came })
      : eventOfOwn(entry, visible.has(entry.id));
    if (!event) return [];
    const { position, type, id, previousState, state, changedAt } = entry;
    const states = event === entry.kind ? { previousState, state } : { previousState: null, state: null };
    return [{ position: positionText(position, reader), type, id, event, ...states, changedAt: new Date(changedAt), mergedInto: null }];
  });
  await noteSights(ctx, reader, [...noted.values()]);
  const owners = new Map(entries.map(({ id, ownerId }) => [id, ownerId]));
  return { changes: await withMerged(ctx, reader, changes, owners), ...(shown ? { records: visible } : {}) };
}

/** Types of which records are merged. */
const MERGEABLE: ReadonlySet<RecordType> = new Set(['Account', 'Site', 'Material', 'User', 'Equipment']);

/**
 * Says of records that are seen no more into which ones they were merged; to whoever sees only some of these only if they see that one. Of what is left of
 * merged records it says nothing.
 * @param owners the companies of the records
 */
async function withMerged(ctx: Context, reader: FeedReader, changes: Change[], owners: ReadonlyMap<string, string>): Promise<Change[]> {
  const isLost = ({ event, type }: Change) => (event === 'removed' || event === 'delete') && MERGEABLE.has(type);
  const lost = changes.filter(isLost);
  if (lost.length === 0) return changes;
  const ids = lost.map(({ id }) => id);
  const [left, current] = await Promise.all([leftOfMerges(ctx, ids), currentIds(ctx, ids)]);
  // What is left of a merged driver changes with the truck that is deleted: it has an id that nobody knows.
  const known = changes.filter(({ id }) => !left.has(id));
  if (current.size === 0) return known;
  const { companyId } = reader;
  const unsure = Map.groupBy(
    lost.filter(({ id, type }) => current.has(id) && isBySight(reader, type, owners.get(id) === companyId)),
    ({ type }) => type,
  );
  const hidden = new Set<string>();
  for (const [type, of] of unsure) {
    const kept = [...new Set(of.map(({ id }) => current.get(id)!))];
    const seen = await readableRecords.of(ctx.em).visible(ctx, companyId, type, kept);
    for (const id of kept) if (!seen.has(id)) hidden.add(id);
  }
  const mergedInto = ({ id }: Change): string | null => {
    const kept = current.get(id);
    return kept === undefined || hidden.has(kept) ? null : kept;
  };
  return known.map((change) => (isLost(change) ? { ...change, mergedInto: mergedInto(change) } : change));
}

/** Returns the event of an entry for somebody who sees all records of the company. A discarded record is not seen any more. */
function eventOfOwn({ kind }: Entry, isVisible: boolean): Change['event'] | undefined {
  if (isVisible) return kind === 'delete' ? undefined : kind;
  return kind === 'delete' ? 'delete' : kind === 'create' ? undefined : 'removed';
}

interface SightsOfRead {
  sights: Map<string, Seen>;
  /** The sights that have to be remembered of them. */
  noted: Map<string, Sight>;
  /** Of what came into sight: when the transaction began that brought it. */
  came: Map<string, string>;
}

/** The same for somebody who sees only some: nothing of a record that they never saw. */
function eventOfSight(
  { id, type, kind, position, changedAt, around }: Entry,
  isVisible: boolean,
  { sights, noted, came }: SightsOfRead,
): Change['event'] | undefined {
  const sight = sights.get(id);
  const note = (lostAt: string | null) => {
    const seen = { id, type, lostAt, cameAt: lostAt === null ? position : (sight?.cameAt ?? null) };
    sights.set(id, seen);
    noted.set(id, seen);
  };
  if (isVisible) {
    const isKnown = sight !== undefined && sight.lostAt === null;
    if (!isKnown) {
      note(null);
      came.set(id, changedAt);
    }
    // Whoever reads this once more, because the answer was lost, and another program of the same reader learn of it like the first one.
    if (around) return isKnown && !hasCome(sight, position) ? undefined : 'update';
    if (kind === 'delete') return undefined;
    // The changes of a record before it came into sight are not reported, nor by another entry of the transaction that brought it.
    return kind === 'create' || (isKnown && came.get(id) !== changedAt) ? kind : 'update';
  }
  if (!sight || (sight.lostAt !== null && BigInt(sight.lostAt) < BigInt(position))) return undefined;
  if (sight.lostAt === null) note(position);
  return 'removed';
}

/** Whether a record came into sight at a position or after it. */
const hasCome = ({ cameAt }: Seen, position: string): boolean => cameAt !== null && BigInt(cameAt) >= BigInt(position);
