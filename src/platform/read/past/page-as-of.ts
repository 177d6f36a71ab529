import type { EntityMetadata } from '@mikro-orm/core';
import type { Query } from '../../database/sql.ts';
import { isFiltered } from '../filter-groups.ts';
import type { List } from '../lists.ts';
import type { PastRun, Where } from '../run.ts';
import { logArchivedOf, refusal, refuseArchived, refuseFuture, rewoundAll } from './as-of.ts';
import { type Candidate, decidingColumns, refuseUnlogged, rowsOf, SIZES } from './list-as-of.ts';

/** A page of the past, of which `refuseUnknowable` has refused nothing. */
interface PageOfPast {
  meta: EntityMetadata<unknown>;
  root: List;
  companyIds: readonly string[];
  where: readonly Where[];
  at: Date;
}

/** The statements of one page of the past. All of them see the database at one moment. */
interface Reads {
  ask: Query;
  /** Returns a part of its answer. */
  run(past: Omit<PastRun, 'at'>): Promise<unknown>;
}

/**
 * Reads a page of companies' own records as they were: those that may have been in it are taken back to the instant, the page is chosen of these, and
 * read with the values that it had.
 * @throws Invalid with the field `asOf` where the log does not say what was in it
 */
export async function pageAsOf({ ask, run }: Reads, { meta, root, companyIds, where, at }: PageOfPast): Promise<unknown> {
  const filtered = decidingColumns(meta, root, where);
  const sizes = isFiltered(root.filter) ? SIZES : [root.limit + 1, ...SIZES];
  const archived = await logArchivedOf(ask, companyIds);
  // Deleted records of whom the log has nothing left would not be missed.
  for (const company of companyIds) refuseArchived(meta, archived.get(company), at.getTime(), at);
  for (const most of sizes) {
    const { now, rows } = (await run({ stage: 'candidates', most })) as { now: number; rows: Candidate[] };
    refuseFuture(meta, at, now);
    const known = await rewoundAll(ask, meta, rows, at, archived);
    const there = rows.filter(({ id }) => known.get(id)!.was);
    const ids = filtered.size > 0 ? ((await run({ stage: 'ids', ...rowsOf(there, known) })) as string[]) : there.map(({ id }) => id);
    const isFull = ids.length > root.limit;
    if (!isFull && rows.length === most) continue;
    const shown = new Set(ids.slice(0, root.limit));
    const last = isFull ? there.findIndex(({ id }) => id === ids[root.limit]) : there.length;
    refuseUnlogged(meta, there.slice(0, last), known, { shown, filtered });
    const found = new Set(ids.slice(0, root.limit + 1));
    const read = there.filter(({ id }) => found.has(id));
    return run({ stage: 'page', ...rowsOf(read, known) });
  }
  throw refusal(meta, 'as_of_wide', { most: SIZES.at(-1)! });
}
