import { createHash } from 'node:crypto';
import type { Viewer } from '../context.ts';
import type { FilterPredicate, SearchPredicate } from './grammar.ts';

/** A condition on a row of another company; `companies` is the uuid[] of companies the read acts for. */
export type RowCondition = (t: string, companies: () => string) => string;
/** What others read in the place of a value, made of it. @param reader the company that reads */
export type Substitute = (value: unknown, reader: string) => unknown;

/** What of an entity's rows people of other companies read, and what they may ask of it. */
export interface PartnerFields {
  /** Fields that whoever reaches the row reads, whosever it is. */
  passed: readonly string[];
  /** Fields that stay with the row's company. Others read null, an empty list, or what `instead` says. */
  kept?: readonly string[];
  /** What others read of kept fields that are never null. */
  instead?: Readonly<Record<string, unknown>>;
  /** Fields that others read of the rows that meet a condition. */
  where?: Readonly<Record<string, RowCondition>>;
  /** Fields that others read of what is shared with them: where they read it as that, not where work names it. */
  shared?: readonly string[];
  /** What others read of an object whose parts are not all for them. */
  parts?: Readonly<Record<string, Substitute>>;
  /** Relations and columns that name the companies whose row it is; the one `companyId` says unless given. */
  owners?: readonly string[];
  /** Filters that ask about rows of others what they ask about one's own. */
  filters?: readonly string[];
  /** Filters that find no row of others, because what they ask for is kept. */
  ownFilters?: readonly string[];
  /** Filters that ask less about rows of others. */
  otherFilters?: Readonly<Record<string, FilterPredicate>>;
  sorts?: readonly string[];
  /** One searched word, wrapped in `%`, in rows of others; without it a search finds none of them. */
  search?: SearchPredicate;
}

type Reader = Pick<Viewer, 'companyId' | 'companyIds'>;

/** The decisions about an entity, of all rooms that add fields to it. */
export interface FieldDecisions {
  passed: Set<string>;
  kept: Set<string>;
  instead: Map<string, unknown>;
  where: Map<string, RowCondition>;
  shared: Set<string>;
  parts: Map<string, Substitute>;
  owners?: readonly string[];
  filters: Map<string, 'passed' | 'kept' | FilterPredicate>;
  sorts: Set<string>;
  search?: SearchPredicate;
}

const decisions = new Map<Function, FieldDecisions>();

/**
 * Decides what of an entity is passed on with the work, the share or the connection by which somebody of another company reaches its rows.
 * It is an allow list: a field that is not on it is kept, and `test/walls/passed-fields.test.ts` fails until somebody has decided.
 * Masks of money and of sides hold as well.
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
  if (more.owners) known.owners = more.owners;
  if (more.search) known.search = more.search;
  decisions.set(entity, known);
}

/** What was decided about an entity; undefined for one whose rows nobody of another company reaches. */
export const fieldDecisionsOf = (entity: Function): FieldDecisions | undefined => decisions.get(entity);

/** A value that was read without the planner, as the viewer reads it on a row of the company. */
export function partForPartner<T>(entity: Function, field: string, value: T, { companyId, companyIds }: Reader, owner: string): T {
  const part = decisions.get(entity)?.parts.get(field);
  return part && !companyIds.includes(owner) ? (part(value, companyId) as T) : value;
}

/**
 * A filter's condition where the list may hold rows of others: a filter on a kept field finds none of these, so that nobody learns the
 * field by asking for it. @param own SQL of whether the row is the reader's own; undefined where all rows are
 */
export function guarded(
  entity: Function,
  filter: string,
  own: (() => string) | undefined,
  condition: string,
  t: string,
  p: string,
  limits: Parameters<FilterPredicate>[2],
): string {
  const decided = decisions.get(entity);
  if (own === undefined || !decided) return condition;
  const how = decided.filters.get(filter) ?? 'kept';
  if (how === 'passed') return condition;
  return how === 'kept' ? `(${own()} and (${condition}))` : either(own(), condition, how(t, p, limits));
}

/** The same for one word of a search. */
export function guardedSearch(
  entity: Function,
  own: (() => string) | undefined,
  condition: string,
  t: string,
  p: string,
  companies: () => string,
): string {
  const decided = decisions.get(entity);
  if (own === undefined || !decided) return condition;
  return decided.search ? either(own(), condition, decided.search(t, p, companies)) : `(${own()} and (${condition}))`;
}

const either = (own: string, condition: string, ofOthers: string): string =>
  `((${own} and (${condition})) or (not ${own} and (${ofOthers})))`;

/**
 * An id that names nothing, in the place of one that stays with its company. It is the same each time for one reader, so that clients
 * that keep records by id hold two of them apart.
 */
export const substituteId: Substitute = (id, reader) => {
  if (typeof id !== 'string') return null;
  const hex = createHash('sha256').update(`${reader} ${id}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
