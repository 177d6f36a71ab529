import type { EntityMetadata } from '@mikro-orm/core';
import type { FilterGroup } from '../filter-groups.ts';
import { grammarOf, NO_COMPANIES } from '../grammar.ts';
import type { List } from '../lists.ts';
import type { Connecting, PastRun, Where } from '../run.ts';
import { type Present, type Rewound, refusal } from './as-of.ts';

type Meta = EntityMetadata<unknown>;

/** A record that a page of the past may have. */
export interface Candidate extends Present {
  /** It was deleted since. */
  gone: boolean;
}

/** Candidates that are looked at for one page: what is filtered by may have been otherwise. */
export const SIZES = [500, 5_000] as const;

/**
 * Refuses what of a list would ask other records than its own: these have no past here.
 * @throws Invalid with the field that asks
 */
export function refuseUnknowable(meta: Meta, list: List, connection: Pick<Connecting, 'count'>): void {
  if (list.sort.length > 1 || list.sort[0]!.sql('t', '') !== 't.created_at') throw refusal(meta, 'as_of_sort', undefined, 'sort');
  if (list.terms.length + list.words.length > 0) throw refusal(meta, 'as_of_search', undefined, 'search');
  if (connection.count) throw refusal(meta, 'as_of_count', undefined, 'count');
  for (const name of namesOf(list.filter))
    if (!columnsOfFilter(meta, name)) throw refusal(meta, 'as_of_filter', undefined, `filter.${name.replace(/\.not$/, '')}`);
}

/** The columns of its own by which a list is chosen: by its filters, and by the conditions of its resolver that may not have held then. */
export const decidingColumns = (meta: Meta, list: List, where: readonly Where[]): ReadonlySet<string> =>
  new Set([
    ...namesOf(list.filter).flatMap((name) => columnsOfFilter(meta, name) ?? []),
    ...where.flatMap(({ changes, sql }) => (changes ? columnsIn(sql('own_row', 'given')) : [])),
  ]);

const namesOf = ({ filters, groups }: FilterGroup): string[] => [
  ...filters.keys(),
  ...groups.flatMap(({ of }) => of.flatMap((group) => namesOf(group))),
];

/** The columns that a filter compares; undefined if it asks other records. */
function columnsOfFilter(meta: Meta, name: string): string[] | undefined {
  const { sql, own } = grammarOf(meta.class as Function).filters[name]!;
  if (own) return [...own];
  const text = sql('own_row', 'given', () => '', NO_COMPANIES);
  return /\bselect\b/i.test(text) ? undefined : columnsIn(text);
}

const columnsIn = (condition: string): string[] => [...condition.matchAll(/\bown_row\.(\w+)/g)].map(([, column]) => column!);

/** The records that were there, in the form in which a statement reads them. */
export function rowsOf(there: readonly Candidate[], known: ReadonlyMap<string, Rewound>): Pick<PastRun, 'live' | 'gone'> {
  const was = ({ id }: Candidate): object => known.get(id)!.was!;
  return {
    live: there.filter(({ gone }) => !gone).map((one) => ({ id: one.id, was: was(one) })),
    gone: there.filter(({ gone }) => gone).map((one) => ({ row: one.row, was: was(one) })),
  };
}

/**
 * Refuses a page of which the log does not say everything: of a record in it, or whether a record is in it.
 * @param there the records up to the last of the page, in its order
 * @throws Invalid with the field `asOf`
 */
export function refuseUnlogged(
  meta: Meta,
  there: readonly Candidate[],
  known: ReadonlyMap<string, Rewound>,
  { shown, filtered }: { shown: ReadonlySet<string>; filtered: ReadonlySet<string> },
): void {
  for (const { id } of there) {
    const columns = known.get(id)!.unknown.filter((column) => shown.has(id) || filtered.has(column));
    if (columns.length > 0) throw refusal(meta, 'as_of_untold_of', { columns: columns.join(', '), id });
  }
}
