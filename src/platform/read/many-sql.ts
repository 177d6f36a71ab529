import type { FieldNode } from 'graphql';
import type { ManySpec } from '../model/decorators.ts';
import { fieldName, table } from './column-sql.ts';
import { mapAll, PlanNode } from './node.ts';
import { pageSql } from './page-sql.ts';
import { connectionAsked } from './pages.ts';
import type { ParentRow, Planning, ReadSql } from './planning.ts';
import type { Meta, Run } from './run.ts';

/** A to-many member as a scalar subquery, and how its JSON is read. */
export function manySql(plan: Planning, parent: ParentRow, spec: ManySpec, places: FieldNode[]): ReadSql {
  const meta = plan.request.metadata.get(spec.type() as never) as Meta;
  if (spec.kind === 'paged') return nested(plan, parent, meta, spec, places);
  if (spec.kind === 'ids' && parent.empty?.leavesOut(spec.ids, `${parent.columnOf(spec.ids)} = '{}'`))
    return { sql: `'[]'::json`, read: () => [] };
  const t = plan.statement.nextAlias();
  const node = new PlanNode(plan, meta, t, 'by key', parent.empty?.pathOf(spec.kind === 'ids' ? spec.ids : meta.tableName)).select(places);
  const rows = node.empty;
  const map = node.mapper();
  const passed = plan.statement.subcontracted(meta, t);
  if (spec.kind === 'ids') {
    const from = `unnest(${parent.columnOf(spec.ids)}) with ordinality u(id, n) join ${table(meta)} ${t} on ${t}.id = u.id ${node.joins()}`;
    return {
      sql: `(select coalesce(json_agg(${node.row()} order by u.n), '[]') from ${from}${passed.length ? ` where ${passed.join(' and ')}` : ''})`,
      read: (data, run) => mapAll(map, data as unknown[][], run),
      rows,
    };
  }
  if (spec.kind === 'on') {
    // A parameter that no condition mentions has no type PostgreSQL could infer.
    const companies = spec.on.length > 2 ? plan.statement.companies() : '';
    const from = `from ${table(meta)} ${t} ${node.joins()} where ${[spec.on(t, parent.alias, companies), ...passed].join(' and ')}`;
    if (spec.single) {
      return {
        sql: `(select ${node.row()} ${from} order by ${t}.created_at desc, ${t}.id desc limit 1)`,
        read: (data, run) => (data === null ? null : map(data as unknown[], run)),
        rows,
      };
    }
    return {
      sql: `(select coalesce(json_agg(${node.row()} order by ${t}.created_at, ${t}.id), '[]') ${from})`,
      read: (data, run) => mapAll(map, data as unknown[][], run),
      rows,
    };
  }
  const foreign = `${t}.${fieldName(meta, spec.foreign)}`;
  const local = spec.kind === 'many' ? parent.columnOf(spec.local) : parent.columnOf('id');
  const site = spec.kind === 'many' && spec.site && plan.request.run.siteIds ? `${t}.${fieldName(meta, spec.site)}` : undefined;
  const open = site ? [`${site} = any(${plan.statement.param((run) => run.siteIds, 'uuid[]')})`] : [];
  const where = [`${foreign} = ${local}`, ...open, ...passed].join(' and ');
  if (spec.kind === 'back') {
    return {
      sql: `(select ${node.row()} from ${table(meta)} ${t} ${node.joins()} where ${where} order by ${t}.created_at desc, ${t}.id desc limit 1)`,
      read: (data, run) => (data === null ? null : map(data as unknown[], run)),
      rows,
    };
  }
  const order = [...Object.entries(spec.order ?? {}).map(([property, way]) => `${t}.${fieldName(meta, property)} ${way}`), `${t}.id`].join(
    ', ',
  );
  return {
    sql: `(select coalesce(json_agg(${node.row()} order by ${order}), '[]') from ${table(meta)} ${t} ${node.joins()} where ${where})`,
    read: (data, run) => mapAll(map, data as unknown[][], run),
    rows,
  };
}

function nested(plan: Planning, parent: ParentRow, meta: Meta, spec: Extract<ManySpec, { kind: 'paged' }>, places: FieldNode[]) {
  const at = plan.meetList();
  const listOf = (run: Run) => run.lists[at]!;
  const shape = plan.request.run.lists[at]!;
  const connection = connectionAsked(places, plan.operation);
  const conditionsOf = (t: string): string[] =>
    spec.on
      ? [spec.on(t, parent.alias, spec.on.length > 2 ? plan.statement.companies() : ''), ...plan.statement.visible(meta, t)]
      : [`${t}.${fieldName(meta, spec.foreign)} = ${parent.columnOf('id')}`, ...plan.statement.subcontracted(meta, t)];
  const { sql, read } = pageSql(plan, meta, connection, shape, listOf, conditionsOf);
  return { sql, read: read as (data: unknown, run: Run) => unknown };
}
