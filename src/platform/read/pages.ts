import type { FieldNode } from 'graphql';
import { writeCursor } from './cursor.ts';
import type { List } from './lists.ts';
import type { Connecting, RowMapper, Run } from './run.ts';
import { fieldsOf, type Reading } from './selection.ts';

/**
 * Makes a connection of `[rows, total?]`. Each row is `[row, ...sort keys, id]`, and one row more than the page shows that there is another
 * page.
 */
export function connect(data: unknown[], map: RowMapper, list: List, run: Run, asked: Connecting): Record<string, unknown> {
  let rows = data[0] as unknown[][];
  const backward = list.after?.backward ?? false;
  const more = rows.length > list.limit;
  if (more) rows = backward ? rows.slice(1) : rows.slice(0, list.limit);
  const nodes = rows.map((row) => map(row[0] as unknown[], run));
  const cursorOf = (row: unknown[] | undefined) =>
    row && asked.cursors ? writeCursor(run.application, { sort: list.cursorName, keys: row.slice(1) as string[], backward: false }) : null;
  const made: Record<string, unknown> = {
    nodes,
    pageInfo: {
      hasNextPage: backward ? true : more,
      hasPreviousPage: backward ? more : list.after !== undefined,
      startCursor: cursorOf(rows[0]),
      endCursor: cursorOf(rows.at(-1)),
    },
  };
  if (asked.edges) made.edges = rows.map((row, i) => ({ node: nodes[i], cursor: cursorOf(row) }));
  if (asked.total) made.totalCount = data[1];
  return made;
}

/** The requested parts of a connection. */
export function connectionAsked(nodes: readonly FieldNode[], reading: Reading): Connecting {
  const fields = [...fieldsOf(nodes, reading).values()];
  const of = (name: string) => fields.filter((field) => field.name === name).flatMap((field) => field.nodes);
  const edges = of('edges');
  const inEdges = [...fieldsOf(edges, reading).values()];
  const rows = [...of('nodes'), ...inEdges.filter((field) => field.name === 'node').flatMap((field) => field.nodes)];
  return {
    nodes: rows,
    edges: edges.length > 0,
    cursors: of('pageInfo').length > 0 || inEdges.some((field) => field.name === 'cursor'),
    total: of('totalCount').length > 0,
  };
}
