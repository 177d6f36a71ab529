import type { Context } from '../context.ts';
import { type Decimal, decimalText } from '../decimal.ts';
import { asAddress, isEmail } from '../email.ts';
import { type ErrorItem, Invalid } from '../errors.ts';
import { type Registration, registration } from '../registration.ts';

/** Writes a condition on table alias `t` with parameter placeholder `p`. */
export type Predicate = (t: string, p: string) => string;
/**
 * The same for a filter on other records. `limits(Job, 'j')` returns ` and ...` with the viewer's limits on them, so that a filter reveals
 * nothing of records that a list would not show. `companies` is the uuid[] of the companies of the read, for what only one side of a
 * connection may ask by.
 */
export type FilterPredicate = (
  t: string,
  p: string,
  limits: (entity: Function, alias: string) => string,
  companies: () => string,
) => string;

/** For a search inside another condition, where no value is limited to the reader's companies. */
export const NO_COMPANIES = (): string => 'null';
/**
 * A condition on one searched word. `companies` is the uuid[] of the companies of the read, for values that are found only in the reader's
 * companies.
 */
export type SearchPredicate = (t: string, p: string, companies: () => string) => string;

/** Wraps conditions on one other record: `exists (select 1 from job j where j.order_id = ${t}.id and ${condition})`. */
export type Around = (t: string, condition: string, limits: (entity: Function, alias: string) => string) => string;

/** A condition inside of an `Around`. */
export type JointCondition = (p: string, companies: () => string, limits: (entity: Function, alias: string) => string) => string;

export interface FilterSpec {
  sql: FilterPredicate;
  /** Marks a filter on another record, the same record for every filter with this `around`; `condition` is the filter's condition. */
  joint?: { around: Around; condition: JointCondition };
  /** PostgreSQL type the parameter is cast to, such as `text[]` or `uuid[]`. */
  cast: string;
  /** Turns the given value into the parameter, such as a local date into an instant in the zone of the company whose list it is. */
  value?: (given: unknown, ctx: Context, companyId: string) => unknown | Promise<unknown>;
  /** The columns that it compares, if its SQL asks other records for something that says nothing of the past of these columns. */
  own?: readonly string[];
}

export interface SortSpec {
  /** Sort key; never null (wrap it in coalesce), so that rows compare as rows. `q` is the text that is searched for. */
  sql: (t: string, q: string) => string;
  cast: string;
  /**
   * A left join that `sql` needs, under an alias made of `t`'s. Names of what rows refer to are joined, not asked row by row: of 50,000 orders
   * PostgreSQL then reads the accounts once instead of looking one up 50,000 times.
   */
  join?: (t: string) => string;
  /** It depends on the searched text. */
  ranks?: true;
}

export interface Grammar {
  /** By dotted name: `states`, `job.states`. */
  filters: Record<string, FilterSpec>;
  /** By dotted name: `createdAt`, `account.name`. */
  sorts: Record<string, SortSpec>;
  /** One search term, already wrapped in `%`; all terms must hit. */
  search?: SearchPredicate;
  /** Table whose `search_text` is searched instead; with `search` only by `query`. */
  searchText?: string;
}

/** A filter on one other record. Several such filters are about one and the same record, not about a different one each. */
export const jointly = (around: Around, condition: JointCondition, cast: string, value?: FilterSpec['value']): FilterSpec => ({
  sql: (t, p, limits, companies) => around(t, condition(p, companies, limits), limits),
  joint: { around, condition },
  cast,
  ...(value ? { value } : {}),
});

/** Filters by a span of time, under `<name>.from` and `<name>.before`. A row without the time is in none. */
export const span = (name: string, at: (t: string) => string): Record<string, FilterSpec> => ({
  [`${name}.from`]: { sql: (t, p) => `${at(t)} >= ${p}`, cast: 'timestamptz' },
  [`${name}.before`]: { sql: (t, p) => `${at(t)} < ${p}`, cast: 'timestamptz' },
});

const textOf = (quantity: unknown): string => decimalText(quantity as Decimal);

/** Filters by a quantity, under `<name>.min` and `<name>.max`, both included. A row without the quantity is in none. */
export const amount = (name: string, of: (t: string) => string): Record<string, FilterSpec> => ({
  [`${name}.min`]: { sql: (t, p) => `${of(t)} >= ${p}`, cast: 'numeric', value: textOf },
  [`${name}.max`]: { sql: (t, p) => `${of(t)} <= ${p}`, cast: 'numeric', value: textOf },
});

/** Rows that have none of some fields. */
export const without = (fields: Record<string, (t: string) => string>): FilterSpec => ({
  sql: (t, p) =>
    Object.entries(fields)
      .map(([name, isEmpty]) => `(not '${name}' = any(${p}) or ${isEmpty(t)})`)
      .join(' and '),
  cast: 'text[]',
});

/**
 * A yes or no, under `<name>` and `<name>.not`: two conditions without the value, so that an index of the rows that meet one is used by
 * every plan of the statement.
 */
export const flag = (name: string, condition: (t: string, companies: () => string) => string): Record<string, FilterSpec> => ({
  [name]: { sql: (t, p, _limits, companies) => `${condition(t, companies)} and ${p} is not null`, cast: 'boolean' },
  [`${name}.not`]: { sql: (t, p, _limits, companies) => `(${condition(t, companies)}) is not true and ${p} is not null`, cast: 'boolean' },
});

/** A sort by the last change. */
export const byChange: Record<string, SortSpec> = { updatedAt: { sql: (t) => `${t}.updated_at`, cast: 'timestamptz' } };
/** A sort by the quantity of a row. One without a quantity is the least, so that every row has a place among the others. */
export const byQuantity: Record<string, SortSpec> = { quantity: { sql: (t) => `coalesce(${t}.quantity, -1)`, cast: 'numeric' } };

/** Filters that every list has, and the fields that whoever filters by them learns. */
export const COMMON_FILTERS: Readonly<Record<string, string>> = {
  'createdAt.from': 'createdAt',
  'createdAt.before': 'createdAt',
  updatedSince: 'updatedAt',
};

/** The filter by the last change, by the time that each of an entity's records notes. */
const BY_CHANGE: FilterSpec = { sql: (t, p) => `${t}.updated_at >= ${p}`, cast: 'timestamptz' };
/** The same of records that never change once they are written. */
export const byCreation: Record<string, FilterSpec> = { updatedSince: { sql: (t, p) => `${t}.created_at >= ${p}`, cast: 'timestamptz' } };
/** Whether an entity whose records note no time of the last change says otherwise when they changed. */
export const saysWhenChanged = (entity: Function): boolean => grammarFor(entity).filters.updatedSince !== BY_CHANGE;

const grammars = new Map<Function, Grammar>();

const grammarFor = (entity: Function): Grammar => {
  let grammar = grammars.get(entity);
  if (!grammar) {
    grammar = {
      filters: {
        ...span('createdAt', (t) => `${t}.created_at`),
        updatedSince: BY_CHANGE,
      },
      sorts: { createdAt: { sql: (t) => `${t}.created_at`, cast: 'timestamptz' } },
    };
    grammars.set(entity, grammar);
  }
  return grammar;
};

/** Adds filters of an entity, under dotted names; one grammar for both interfaces. */
export const defineFilters = (entity: Function, filters: Record<string, FilterSpec>): Registration =>
  registration('defineFilters', entity.name, () => void Object.assign(grammarFor(entity).filters, filters));

/** Adds sorts of an entity; `createdAt` is always there. */
export const defineSorts = (entity: Function, sorts: Record<string, SortSpec>): Registration =>
  registration('defineSorts', entity.name, () => void Object.assign(grammarFor(entity).sorts, sorts));

/** The searched fields of an entity: a case-insensitive substring of each word (DOMAIN section 7). */
export const defineSearch = (entity: Function, search: SearchPredicate): Registration =>
  registration('defineSearch', entity.name, () => {
    grammarFor(entity).search = search;
  });

/**
 * Searches an entity in the column `search_text` of its table, without regard to accents and case, by a trigram index (migration
 * `create-searches`). If there is a `defineSearch` too, that one is used for `datagrid`. Lists that ask for it are ranked: the whole text first,
 * then names that begin with it, then words that do, then any part.
 */
export const defineSearchText = (entity: Function, table: string): Registration =>
  registration('defineSearchText', entity.name, () => {
    const grammar = grammarFor(entity);
    grammar.searchText = table;
    grammar.sorts[RANK] = {
      sql: (
        t,
        q,
      ) => `case when starts_with(${t}.search_text, ${q} || E'\\n') or position(E'\\n' || ${q} || E'\\n' in ${t}.search_text) > 0 then 0
      when starts_with(${t}.search_text, ${q}) then 1 when position(' ' || ${q} in ${t}.search_text) > 0 then 2 else 3 end`,
      cast: 'int',
      ranks: true,
    };
  });

/** The sort of typeaheads. */
export const RANK = 'rank';

export const grammarOf = (entity: Function): Grammar => grammarFor(entity);

/** `{ job: { states: ['sent'] }, ids: [...] }` -> `[['job.states', ['sent']], ['ids', [...]]]`, leaving out what is absent or null. */
export function flatten(input: object | null | undefined, prefix = ''): [string, unknown][] {
  if (!input) return [];
  return Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined || value === null) return [];
    if (
      typeof value === 'object' &&
      !Array.isArray(value) &&
      !(value instanceof Date) &&
      Object.getPrototypeOf(value) !== null &&
      !('toFixed' in value)
    )
      return flatten(value, `${prefix}${key}.`);
    if (typeof value === 'object' && !Array.isArray(value) && Object.getPrototypeOf(value) === null)
      return flatten(value, `${prefix}${key}.`);
    return [[`${prefix}${key}`, value]];
  });
}

/** Words of one search; each costs a look at every row. */
const MOST_WORDS = 10;
/** Letters of a searched word. It must be short, because it is compared with every row. */
const LONGEST_WORD = 100;

/** Where a search text was given, for its error. */
export interface SearchedAt {
  model: string;
  /** GraphQL path, such as `search.datagrid`. */
  field: string;
}

/**
 * The different words of a search text; an e-mail address in the form in which it is kept.
 * @throws Invalid on more than ten words, or a word of more than a hundred letters
 */
export function wordsOf(text: string | null | undefined, { model, field }: SearchedAt): string[] {
  const words = (text ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  const items: ErrorItem[] = [];
  if (words.length > MOST_WORDS) items.push({ model, field, key: 'too_many_words', params: { max: MOST_WORDS } });
  if (words.some((word) => word.length > LONGEST_WORD && [...word].length > LONGEST_WORD))
    items.push({ model, field, key: 'word_too_long', params: { max: LONGEST_WORD } });
  if (items.length > 0) throw new Invalid(items);
  return [...new Set(words.map((word) => (word.includes('@') && isEmail(asAddress(word)) ? asAddress(word) : word)))];
}

/** The same, escaped for LIKE and wrapped in `%`. */
export const termsOf = (text: string | null | undefined, at: SearchedAt): string[] =>
  wordsOf(text, at).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
