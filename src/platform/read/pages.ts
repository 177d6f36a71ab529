import { type FieldNode, valueFromASTUntyped } from 'graphql';
import type { Connection, Count } from './connection.ts';
import { writeCursor } from './cursor.ts';
import type { List } from './lists.ts';
import type { Connecting, RowMapper, Run } from './run.ts';
import { fieldsOf, type Operation } from './selection.ts';

/** Rows that a count without `exact` reads at most. */
export const MOST_COUNTED = 10_000;

/**
 * Makes a connection of `[rows, total?]`. Each row is `[row, ...sort keys, id]`, and one row more than the page shows that there is another
 * page.
 */
export function connect(
  data: unknown[],
  map: RowMapper,
  list: List,
  run: Pick<Run, 'application'>,
  asked: Connecting,
): Record<string, unknown> {
  let rows = data[0] as unknown[][];
  const { backward } = list;
  const more = rows.length > list.limit;
  if (more) rows = backward ? rows.slice(1) : rows.slice(0, list.limit);
  // A page before a row has that row behind it.
  const isFollowed = (list.after?.backward ?? false) || list.stop !== undefined;
  const nodes = rows.map((row) => map(row[0] as unknown[], run));
  const hasNextPage = backward ? isFollowed : more;
  const hasPreviousPage = backward ? more : list.after !== undefined;
  const keysOf = (row: unknown[] | undefined) => (asked.cursors ? (row?.slice(1) as string[] | undefined) : undefined);
  const cursorOf = (keys: string[] | undefined) =>
    keys ? writeCursor(run.application, { sort: list.cursorName, keys, backward: false }) : null;
  // With the rows themselves the getters would keep all of them for as long as the page waits for other statements.
  const first = keysOf(rows[0]);
  const last = keysOf(rows.at(-1));
  const pageInfo = asked.cursors
    ? {
        hasNextPage,
        hasPreviousPage,
        // Signed when somebody asks for it.
        get startCursor() {
          return asked.links && !hasPreviousPage ? null : cursorOf(first);
        },
        get endCursor() {
          return asked.links && !hasNextPage ? null : cursorOf(last);
        },
      }
    : // A document has hundreds of lists without cursors, and an object with getters takes ten times as long to make.
      { hasNextPage, hasPreviousPage, startCursor: null, endCursor: null };
  const made: Record<string, unknown> = { nodes, pageInfo };
  if (asked.edges) made.edges = rows.map((row, i) => ({ node: nodes[i], cursor: cursorOf(keysOf(row)) }));
  if (asked.count) made.count = countOf(data[1] as number, asked.count);
  return made;
}

function countOf(counted: number, asked: Connecting['count']): Count {
  const isBounded = asked === 'bounded' && counted > MOST_COUNTED;
  return isBounded ? { value: MOST_COUNTED, precision: 'at_least' } : { value: counted, precision: 'exact' };
}

/** The requested parts of a connection. */
export function connectionAsked(nodes: readonly FieldNode[], operation: Operation): Connecting {
  const fields = [...fieldsOf(nodes, operation).values()];
  const of = (name: string) => fields.filter((field) => field.name === name).flatMap((field) => field.nodes);
  const edges = of('edges');
  const counts = of('count');
  const inEdges = [...fieldsOf(edges, operation).values()];
  const rows = [...of('nodes'), ...inEdges.filter((field) => field.name === 'node').flatMap((field) => field.nodes)];
  return {
    nodes: rows,
    edges: edges.length > 0,
    cursors: of('pageInfo').length > 0 || inEdges.some((field) => field.name === 'cursor'),
    ...(counts.length > 0 ? { count: counts.some((node) => isExact(node, operation)) ? ('exact' as const) : ('bounded' as const) } : {}),
  };
}

/** Whether a `count` is asked for in full. */
export function isExact(node: FieldNode, { variables }: Pick<Operation, 'variables'>): boolean {
  const exact = node.arguments?.find(({ name }) => name.value === 'exact')?.value;
  return exact !== undefined && valueFromASTUntyped(exact, variables) === true;
}

/** Pages that the reader has made for one answer. */
const pages = new WeakSet<object>();

/** Notes that a page is of one answer alone, and of no use when that is complete. */
export function isOfOneAnswer<T extends object>(page: T): T {
  pages.add(page);
  return page;
}

/**
 * Empties a page of which an answer has been made; other values stay as they are. While its statement ran, the collector of young objects has met
 * what waits for it (promises, the driver's result), which counts as old then. Until the next collection of old objects, which comes after hundreds of
 * answers, whatever is dead and old keeps alive what is put into it. Half of the memory of a dashboard was copied by one collection after the other for that, and
 * freed by that of the old ones.
 */
export function letGoOf(value: unknown): void {
  if (typeof value !== 'object' || value === null || !pages.has(value)) return;
  // Whoever has the records themselves keeps them.
  const page = value as Partial<Connection<unknown>>;
  page.nodes = undefined;
  page.edges = undefined;
  page.pageInfo = undefined;
}
