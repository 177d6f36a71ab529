import { table } from './column-sql.ts';
import { type FilterGroup, isFiltered } from './filter-groups.ts';
import { type Around, grammarOf } from './grammar.ts';
import type { List } from './lists.ts';
import { PlanNode } from './node.ts';
import { connect, MOST_COUNTED } from './pages.ts';
import { type GuardedRows, guarded, guardedSearch } from './partner-fields.ts';
import type { Planning } from './planning.ts';
import type { Connecting, Meta, Run } from './run.ts';
import type { Statement } from './statement.ts';

/**
 * A page as one SQL value. LIMIT sits in a subquery around the table alone, joins come outside it, and the order is said again:
 * so that the index, not the joins, decides how much is read.
 * @param rowsOf what is read in the place of the table
 */
export function pageSql(
  plan: Planning,
  meta: Meta,
  connection: Connecting,
  shape: List,
  listOf: (run: Run) => List,
  conditionsOf: (t: string) => string[],
  rowsOf: (t: string) => string = (t) => `${table(meta)} ${t}`,
): { sql: string; read: (data: unknown[], run: Run) => unknown } {
  const inner = plan.statement.nextAlias();
  const outer = plan.statement.nextAlias();
  const node = new PlanNode(plan, meta, outer).select(connection.nodes);
  const filters = filtersOn(plan.statement, meta, inner, shape, listOf);
  const conditions = [...conditionsOf(inner), ...filters];
  const { query, order, joined, keys, rank } = orderOn(plan.statement, shape, listOf);
  const bounds = boundsOn(plan.statement, inner, query, shape, listOf);
  const where = (all: string[]) => (all.length ? ` where ${all.join(' and ')}` : '');
  // Written out, not a parameter: PostgreSQL plans an unknown limit for a tenth of the table.
  const limit = shape.limit + 1;
  // Joins that the order uses come before the limit, and again where the order is repeated.
  const rows = `select ${inner}.*${rank(inner)} from ${rowsOf(inner)}${joined(inner)}${where([...conditions, ...bounds])} order by ${order(inner, shape.backward)} limit ${limit}`;
  const row = [node.row(), ...(connection.cursors ? keys(outer, true) : [])].join(', ');
  const page = `(select coalesce(json_agg(json_build_array(${row}) order by ${order(outer, false, true)}), '[]') from (${rows}) ${outer}${joined(outer)} ${node.joins()})`;
  // One more than the bound shows that there are more.
  const most = connection.count === 'bounded' ? ` limit ${MOST_COUNTED + 1}` : '';
  const total = connection.count
    ? `, (select count(*)::int from (select 1 from ${table(meta)} ${inner}${where(conditions)}${most}) counted)`
    : '';
  const map = node.mapper();
  return { sql: `json_build_array(${page}${total})`, read: (data, run) => connect(data, map, listOf(run), run, connection) };
}

/** The rank of a row, of the rows of a page. No table has a column of that name. */
const RANKED = 'searched_rank';

/** The order of a list. */
interface Order {
  /** The text that is searched for, where the order depends on it. */
  query: string;
  /** The rank of a row as a further column of it, where there is one: each place that works it out has PostgreSQL fold the text five times. */
  rank: (t: string) => string;
  /** @param hasRank `t` has that column */
  order: (t: string, reversed: boolean, hasRank?: boolean) => string;
  /** The joins that the order uses. */
  joined: (t: string) => string;
  /** The values of a row that a cursor has. @param hasRank as of `order` */
  keys: (t: string, hasRank?: boolean) => string[];
}

export function orderOn(statement: Statement, shape: List, listOf: (run: Run) => List): Order {
  const ranked = shape.sort.some((key) => key.ranks);
  // Folded once for the statement, not for each row.
  const query = ranked ? `(select fold(${statement.param((run) => listOf(run).query, 'text')}))` : '';
  const sqlOf = (key: List['sort'][number], t: string, hasRank = false) => (key.ranks && hasRank ? `${t}.${RANKED}` : key.sql(t, query));
  return {
    query,
    rank: (t) => shape.sort.flatMap((key) => (key.ranks ? [`, ${key.sql(t, query)} as ${RANKED}`] : [])).join(''),
    order: (t, reversed, hasRank) =>
      [
        ...shape.sort.map((key) => `${sqlOf(key, t, hasRank)} ${key.descending !== reversed ? 'desc' : 'asc'}`),
        `${t}.id ${shape.sort[0]!.descending !== reversed ? 'desc' : 'asc'}`,
      ].join(', '),
    joined: (t) => [...new Set(shape.sort.flatMap((key) => (key.join ? [` ${key.join(t)}`] : [])))].join(''),
    keys: (t, hasRank) => [...shape.sort.map((key) => `${sqlOf(key, t, hasRank)}::text`), `${t}.id::text`],
  };
}

export function filtersOn(statement: Statement, meta: Meta, t: string, shape: List, listOf: (run: Run) => List): string[] {
  const grammar = grammarOf(meta.class as Function);
  const limits = (entity: Function, alias: string) =>
    statement
      .limits(entity, alias)
      .map((limit) => ` and ${limit}`)
      .join('');
  const entity = meta.class as Function;
  const companies = () => statement.companies();
  const isNarrowed = isFiltered(shape.filter) || shape.terms.length + shape.words.length > 0;
  const rows: GuardedRows = { entity, t, own: isNarrowed ? statement.own(meta, t) : undefined, companies };
  const ofGroup = (group: FilterGroup, pick: (run: Run) => FilterGroup): string[] => {
    const joint = new Map<Around, string[]>();
    const conditions = [...group.filters.keys()].sort().flatMap((name) => {
      const spec = grammar.filters[name]!;
      const value = statement.param((run) => pick(run).filters.get(name), spec.cast);
      const filter = { name, p: value, limits };
      if (!spec.joint) return [`(${guarded(rows, filter, spec.sql(t, value, limits, companies))})`];
      const { around, condition } = spec.joint;
      joint.set(around, [...(joint.get(around) ?? []), `(${guarded(rows, filter, condition(value, companies, limits))})`]);
      return [];
    });
    for (const [around, inside] of joint) conditions.push(`(${around(t, inside.join(' and '), limits)})`);
    for (const [at, { kind, of }] of group.groups.entries()) {
      const alternatives = of.map((one, i) => ofGroup(one, (run) => pick(run).groups[at]!.of[i]!).join(' and ') || 'true');
      const any = alternatives.map((one) => `(${one})`).join(' or ') || 'false';
      // A condition on what is missing is neither true nor false: it is not met.
      conditions.push(kind === 'not' ? `((${any}) is not true)` : `(${any})`);
    }
    return conditions;
  };
  const filters = ofGroup(shape.filter, (run) => listOf(run).filter);
  const searches = shape.terms.map((_, at) => {
    const term = statement.param((run) => listOf(run).terms[at], 'text');
    return `(${guardedSearch(rows, term, grammar.search!(t, term, companies))})`;
  });
  return [...filters, ...searches, ...inSearchText(statement, rows, shape, listOf)];
}

/** LIKE is not leakproof: below row-level security only a function of the owner may ask the index with it (migration `create-searches`). */
function inSearchText(statement: Statement, rows: GuardedRows, shape: List, listOf: (run: Run) => List): string[] {
  const { entity, t, own } = rows;
  const { searchText } = grammarOf(entity);
  if (!searchText || shape.words.length === 0) return [];
  const word = (at: number) => statement.param((run) => listOf(run).words[at], 'text');
  // `search_text` holds kept fields too: what it finds of others must be found in what is passed as well.
  const inPassed = own === undefined ? [] : shape.words.map((_, at) => guardedSearch(rows, `(select search_pattern(${word(at)}))`, 'true'));
  if (shape.way === 'index') {
    const words = statement.param((run) => listOf(run).words, 'text[]');
    return [`${t}.id = any(array(select ${searchText}_search(${words})))`, ...inPassed];
  }
  return [...shape.words.map((_, at) => `${t}.search_text like (select search_pattern(${word(at)}))`), ...inPassed];
}

/** Keyset bounds as row comparisons: flat at any depth, where `or` chains would scan from the start. */
export function boundsOn(statement: Statement, t: string, query: string, shape: List, listOf: (run: Run) => List): string[] {
  const bounds: string[] = [];
  const bound = (pick: (list: List) => List['after'], beyond: boolean) => {
    const casts = [...shape.sort.map((key) => key.cast), 'uuid'];
    const left = [...shape.sort.map((key) => key.sql(t, query)), `${t}.id`];
    const right = casts.map((cast, at) => statement.param((run) => pick(listOf(run))!.keys[at], cast));
    const descending = [...shape.sort.map((key) => key.descending), shape.sort[0]!.descending];
    if (descending.every((one) => one === descending[0])) {
      bounds.push(`(${left.join(', ')}) ${descending[0] === beyond ? '<' : '>'} (${right.join(', ')})`);
      return;
    }
    const steps = left.map((key, at) => {
      const equal = left.slice(0, at).map((same, i) => `${same} = ${right[i]}`);
      return `(${[...equal, `${key} ${descending[at] === beyond ? '<' : '>'} ${right[at]}`].join(' and ')})`;
    });
    bounds.push(`(${steps.join(' or ')})`);
  };
  if (shape.after) bound((list) => list.after, !shape.after.backward);
  if (shape.stop) bound((list) => list.stop, false);
  return bounds;
}
