import type { Viewer } from '../context.ts';
import { uuidOfText } from '../ids.ts';
import { COMMON_FILTERS, type FilterPredicate, type SearchPredicate } from './grammar.ts';

/** A condition on a row of another company; `companies` is the uuid[] of companies the read acts for. */
export type RowCondition = (t: string, companies: () => string) => string;
/** A substitute for a value, made of it, for readers of other companies. @param reader the company that reads */
export type Substitute = (value: unknown, reader: string) => unknown;

/** Columns of which each company has a value of its own. */
export interface OwnValues {
  fields: readonly string[];
  /** SQL of a JSON array of the reader's values, in the order of the fields, or of null if it has none: it then reads null, or what `instead` says. */
  sql: RowCondition;
}

/** The fields of an entity's rows that people of other companies read, and the filters that they may use on them. */
export interface PartnerFields {
  /** Fields that everybody reads who reaches the row, whichever company it belongs to. */
  passed: readonly string[];
  /** Fields that stay with the row's company. Others read null, an empty list, or what `instead` says. */
  kept?: readonly string[];
  /** The values that others read of kept fields that are never null. */
  instead?: Readonly<Record<string, unknown>>;
  /** Fields that others read of the rows that meet a condition. */
  where?: Readonly<Record<string, RowCondition>>;
  /** Fields that others read of what is shared with them: where they read it as that, not where work names it. */
  shared?: readonly string[];
  /** The values that others read of an object of which only some parts are for them. */
  parts?: Readonly<Record<string, Substitute>>;
  /** Columns of which others read a value of their own, and never that of the row's company. */
  ownValues?: OwnValues;
  /** Relations and columns that name the companies of the row; `companyId` by default. */
  owners?: readonly string[];
  /** Filters that apply to rows of other companies in the same way as to rows of the reader's. */
  filters?: readonly string[];
  /** Filters that find no row of others, because what they ask for is kept. */
  ownFilters?: readonly string[];
  /** Filters that ask less about rows of others. */
  otherFilters?: Readonly<Record<string, FilterPredicate>>;
  sorts?: readonly string[];
  /** The condition for one searched word, wrapped in `%`, in rows of other companies; without it a search finds none of them. */
  search?: SearchPredicate;
}

/** The fields that every record has. */
export const RECORD_FIELDS = ['id', 'createdAt', 'updatedAt'];

type Reader = Pick<Viewer, 'companyId' | 'companyIds'>;

/** The decisions about an entity, of all rooms that add fields to it. */
export interface FieldDecisions {
  passed: Set<string>;
  kept: Set<string>;
  instead: Map<string, unknown>;
  where: Map<string, RowCondition>;
  shared: Set<string>;
  parts: Map<string, Substitute>;
  ownValues?: OwnValues;
  owners?: readonly string[];
  filters: Map<string, 'passed' | 'kept' | FilterPredicate>;
  sorts: Set<string>;
  search?: SearchPredicate;
}

const decisions = new Map<Function, FieldDecisions>();

/**
 * Decides which fields of an entity people of another company read, who reach its rows through work, a share or a connection. It is an
 * allow list: a field that is not on it is kept, and `test/isolation/passed-fields.test.ts` fails until somebody has decided. Masks of money
 * and of sides apply as well.
 */
export function definePartnerFields(entity: Function, more: PartnerFields): void {
  const known: FieldDecisions = decisions.get(entity) ?? {
    ...{
      passed: new Set<string>(),
      kept: new Set<string>(),
      instead: new Map(),
      where: new Map(),
      shared: new Set<string>(),
      parts: new Map(),
    },
    ...{ filters: new Map(), sorts: new Set<string>() },
  };
  for (const name of more.passed) known.passed.add(name);
  for (const name of more.kept ?? []) known.kept.add(name);
  for (const [name, value] of Object.entries(more.instead ?? {})) known.instead.set(name, value);
  for (const [name, condition] of Object.entries(more.where ?? {})) known.where.set(name, condition);
  for (const name of more.shared ?? []) known.shared.add(name);
  for (const [name, part] of Object.entries(more.parts ?? {})) known.parts.set(name, part);
  for (const name of more.filters ?? []) known.filters.set(name, 'passed');
  for (const name of more.ownFilters ?? []) known.filters.set(name, 'kept');
  for (const [name, predicate] of Object.entries(more.otherFilters ?? {})) known.filters.set(name, predicate);
  for (const name of more.sorts ?? []) known.sorts.add(name);
  if (more.ownValues) known.ownValues = more.ownValues;
  if (more.owners) known.owners = more.owners;
  if (more.search) known.search = more.search;
  decisions.set(entity, known);
}

/** The decisions about an entity; undefined for one whose rows nobody of another company reaches. */
export const fieldDecisionsOf = (entity: Function): FieldDecisions | undefined => decisions.get(entity);

/** A value that was read without the planner, as the viewer reads it on a row of the company. */
export function partForPartner<T>(entity: Function, field: string, value: T, { companyId, companyIds }: Reader, owner: string): T {
  const part = decisions.get(entity)?.parts.get(field);
  return part && !companyIds.includes(owner) ? (part(value, companyId) as T) : value;
}

/** Rows of a list that may be those of other companies. */
export interface GuardedRows {
  entity: Function;
  /** Their alias. */
  t: string;
  /** SQL of whether a row is the reader's; undefined if all rows are. */
  own: (() => string) | undefined;
  /** The companies of the read. */
  companies: () => string;
}

/**
 * A filter's condition where the list may contain rows of other companies: a filter on a kept field finds none of these, so that nobody
 * learns the field by filtering. `p` is the parameter that the filter compares.
 */
export function guarded(
  { entity, t, own, companies }: GuardedRows,
  { name, p, limits }: { name: string; p: string; limits: Parameters<FilterPredicate>[2] },
  condition: string,
): string {
  const decided = decisions.get(entity);
  if (own === undefined || !decided) return condition;
  const how = decided.filters.get(name) ?? (decided.passed.has(COMMON_FILTERS[name] ?? '') ? 'passed' : 'kept');
  if (how === 'passed') return condition;
  return how === 'kept' ? `(${own()} and (${condition}))` : either(own(), condition, how(t, p, limits, companies));
}

/** The same for one word of a search, `p`. */
export function guardedSearch({ entity, t, own, companies }: GuardedRows, p: string, condition: string): string {
  const decided = decisions.get(entity);
  if (own === undefined || !decided) return condition;
  return decided.search ? either(own(), condition, decided.search(t, p, companies)) : `(${own()} and (${condition}))`;
}

const either = (own: string, condition: string, ofOthers: string): string =>
  `((${own} and (${condition})) or (not ${own} and (${ofOthers})))`;

/**
 * An id that names no record, as a substitute for one that stays with its company. It is always the same for one reader, so that clients
 * that keep records by id can distinguish two of them.
 */
export const substituteId: Substitute = (id, reader) => (typeof id === 'string' ? uuidOfText(`${reader} ${id}`) : null);
