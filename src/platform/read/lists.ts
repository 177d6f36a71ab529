import { hash } from 'node:crypto';
import type { Application } from '../application.ts';
import type { Context } from '../context.ts';
import { BadRequest, Invalid } from '../errors.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { type FilterGroup, readFilters, shapeOf } from './filter-groups.ts';
import { flatten, type Grammar, grammarOf, RANK, termsOf, wordsOf } from './grammar.ts';

/** Arguments of a list, as both interfaces send them. */
export interface ListInput {
  page?: { limit?: number | null; after?: string | null; before?: string | null } | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  filter?: object | null;
  sort?: object | null;
  /** A text, or `{ datagrid }` or `{ query }`. */
  search?: string | object | null;
  /** Rows that fit the searched text best come first (`defineSearchText`), before the order of `sort`. */
  ranked?: boolean;
}

export interface SortKey {
  sql: (t: string, q: string) => string;
  cast: string;
  join?: (t: string) => string;
  ranks?: true;
  descending: boolean;
}

/** A list's arguments, checked; `shape` names everything a plan depends on. */
export interface List {
  limit: number;
  sort: SortKey[];
  /** Names the list in its cursors: entity, sort, and a digest of whose and what list it is. */
  readonly cursorName: string;
  after?: Cursor;
  stop?: Cursor;
  /** The page is the last of the rows that are left, not the first. */
  backward: boolean;
  filter: FilterGroup;
  terms: string[];
  /** Words that are looked for in `search_text`, and how: `index` if a word is long enough for one, else `scan`. */
  words: string[];
  way: 'index' | 'scan';
  /** The whole searched text. */
  query: string;
  shape: string;
}

export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 25;

/** Where a list is, in addition to what its arguments say. */
export interface Place {
  application: Application;
  /** The company of the list, which decides what a local date means. */
  companyId: string;
  /** Distinguishes it from other lists of the entity: the conditions of a resolver, the field of a nested list. */
  name: string;
  /** The `sort` argument as the client wrote it: coercion puts keys into the order of their type, and the first one counts most. */
  written?: unknown;
}

/**
 * Reads a list's arguments (SPEC Limits: 1 to 100 a page, 25 by default; over GraphQL a page may be empty).
 * @throws Invalid on a page size out of range, BadRequest on a cursor that is malformed or of another list
 */
export async function readList(entity: Function, input: ListInput, ctx: Context, place: Place): Promise<List> {
  const grammar = grammarOf(entity);
  const limit = sizeOf(entity, input, ctx.rowsAtOnce ?? MAX_PAGE);
  const { text, indexed, field } = searchOf(grammar, input.search);
  const searched = { model: entity.name, field };
  if (text?.trim() && !indexed && !grammar.search) throw new Invalid([{ ...searched, key: 'not_searchable' }]);
  const words = indexed ? wordsOf(text, searched) : [];
  const sort = sortsOf(grammar, input.sort, place.written);
  if (input.ranked && words.length > 0) sort.unshift([RANK, 'asc']);
  const sortName = `${entity.name}:${sort.map(([name, direction]) => `${name} ${direction}`).join()}`;
  let named: string | undefined;
  const cursorName = (): string => {
    named ??= `${sortName}@${hash('sha256', `${place.companyId} ${place.name}`, 'base64url').slice(0, 8)}`;
    return named;
  };
  const after = input.page?.after ?? input.after;
  const stop = input.page?.before ?? input.before;
  const from = after ? readCursor(place.application, after, cursorName(), input.page ? 'page[after]' : 'after') : undefined;
  // An export goes on to the end.
  if (ctx.rowsAtOnce && from?.backward) throw new BadRequest('invalid_cursor', undefined, 'page[after]');
  // Before a row are the rows next to it; REST's `page[before]` only says where to stop.
  const isLast = typeof input.last === 'number' || (Boolean(input.before) && typeof input.first !== 'number' && !after);
  const list: List = {
    limit,
    sort: sort.map(([name, direction]) => ({ ...grammar.sorts[name]!, descending: direction === 'desc' })),
    // Many pages are read without a cursor, and answered without one.
    get cursorName() {
      return cursorName();
    },
    after: from,
    backward: isLast || (from?.backward ?? false),
    stop: stop ? readCursor(place.application, stop, cursorName(), input.page ? 'page[before]' : 'before') : undefined,
    filter: await readFilters(entity, input.filter, ctx, place.companyId),
    terms: grammar.search && !indexed ? termsOf(text, searched) : [],
    words,
    // Two letters make no trigram: all rows of the company are searched instead.
    way: words.some((word) => [...word].length > 2) ? 'index' : 'scan',
    query: words.join(' '),
    shape: '',
  };
  list.shape = [
    sortName,
    limit,
    list.after ? (list.after.backward ? 'b' : 'a') : '',
    list.stop ? 's' : '',
    list.backward ? 'l' : '',
    shapeOf(list.filter),
    list.terms.length,
    words.length > 0 ? `${words.length}${list.way}` : '',
  ].join('|');
  return list;
}

function sizeOf(entity: Function, { page, first, last }: ListInput, max: number): number {
  const model = entity.name;
  if (typeof first === 'number' && typeof last === 'number') throw new Invalid([{ model, field: 'last', key: 'first_and_last' }]);
  const limit = page?.limit ?? first ?? last ?? DEFAULT_PAGE;
  const min = page ? 1 : 0;
  if (Number.isInteger(limit) && limit >= min && limit <= max) return limit;
  const field = page ? 'page.limit' : typeof last === 'number' ? 'last' : 'first';
  throw new Invalid([{ model, field, key: 'page_limit_range', params: { min, max: MAX_PAGE } }]);
}

function sortsOf(grammar: Grammar, input: object | null | undefined, written: unknown): [string, string][] {
  const given = flatten(input).filter(([name]) => name in grammar.sorts) as [string, string][];
  if (given.length > 1 && typeof written === 'object') {
    const order = flatten(written).map(([name]) => name);
    given.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  }
  return given.length > 0 ? given : [['createdAt', 'desc']];
}

/**
 * The searched text, and where it is searched: `datagrid` in everything that a list searches, `query` in names and ids, as they are
 * indexed.
 */
function searchOf(grammar: Grammar, search: ListInput['search']): { text: string | null | undefined; indexed: boolean; field: string } {
  const given = typeof search === 'object' && search !== null ? Object.entries(search).find(([, value]) => typeof value === 'string') : [];
  const [key, text] = given ?? [];
  const only = !grammar.search;
  return {
    text: typeof search === 'string' ? search : text,
    indexed: Boolean(grammar.searchText) && (only || key === 'query'),
    field: key === undefined ? 'search' : `search.${key}`,
  };
}
