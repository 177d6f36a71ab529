import { table } from '../column-sql.ts';
import { PlanNode } from '../node.ts';
import { boundsOn, filtersOn, orderOn } from '../page-sql.ts';
import { connect } from '../pages.ts';
import type { Planning } from '../planning.ts';
import type { Connecting, Meta, Run } from '../run.ts';

/**
 * All rows of a list, one by one in its order, and how a page of them is read. What rows name is joined: looking it up by its key costs less for a few
 * rows, and more for many.
 */
export function sequenceSql(
  plan: Planning,
  meta: Meta,
  connection: Connecting,
): { sql: string; read: (rows: unknown[], run: Run) => unknown } {
  const list = (run: Run) => run.root!;
  const shape = plan.request.run.root!;
  const t = plan.statement.nextAlias();
  const node = new PlanNode(plan, meta, t, 'joined').select(connection.nodes);
  const conditions = [...plan.statement.conditions(meta, t), ...filtersOn(plan.statement, meta, t, shape, list)];
  const { query, order, joined, keys } = orderOn(plan.statement, shape, list);
  const bounds = boundsOn(plan.statement, t, query, shape, list);
  const map = node.mapper();
  return {
    sql: `select json_build_array(${[node.row(), ...keys(t)].join(', ')}) as row from ${table(meta)} ${t}${joined(t)} ${node.joins()}
      where ${[...conditions, ...bounds].join(' and ') || 'true'} order by ${order(t, false)}`,
    read: (rows, run) => connect([rows], map, list(run), run, connection),
  };
}
