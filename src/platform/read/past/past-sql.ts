import { table } from '../column-sql.ts';
import { isFiltered } from '../filter-groups.ts';
import type { List } from '../lists.ts';
import { boundsOn, filtersOn } from '../page-sql.ts';
import type { Planning } from '../planning.ts';
import type { Meta, Run } from '../run.ts';
import type { Statement } from '../statement.ts';
import { PRESENT, PRESENT_TIME } from './as-of.ts';

/** Whatever is older than this before the instant was committed before it: the log has the time at which a transaction began. */
const LONGEST_TRANSACTION = '15 minutes';

const list = (run: Run): List => run.root!;
const orderOf = (shape: List) => {
  const direction = shape.sort[0]!.descending !== shape.backward ? 'desc' : 'asc';
  return (t: string) => `${t}.created_at ${direction}, ${t}.id ${direction}`;
};

/**
 * SQL of the records that a page of the past may have, in its order: those that were there, and fit now or have changed since; deleted ones among
 * them, as they were last.
 * @param most how many
 */
export function candidatesSql({ statement, request }: Planning, meta: Meta, shape: List, most: number): string {
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const [t, gone] = [statement.nextAlias(), statement.nextAlias()];
  const isNarrowed = isFiltered(request.run.root!.filter);
  const fits = isNarrowed ? filtersOn(statement, meta, t, shape, list).join(' and ') || 'true' : 'true';
  const there = (row: string) => [
    ...statement.conditions(meta, row),
    ...boundsOn(statement, row, '', shape, list),
    `${row}.created_at < ${at} + interval '1 millisecond'`,
  ];
  const select = (row: string, isGone: boolean) => `select ${PRESENT(row)}, ${row}.created_at, ${isGone} as gone`;
  const live = `${select(t, false)} from ${table(meta)} ${t}
    where ${there(t).join(' and ')} and ((${fits}) or ${t}.updated_at > ${at} - interval '${LONGEST_TRANSACTION}') order by ${order(t)} limit ${most}`;
  const type = statement.param(() => meta.className, 'text');
  // What is not in the entry of a deletion: it is no field of the record that anybody changes.
  const own = `jsonb_build_object('id', d.subject_id, 'company_id', d.company_id, 'created_at', d.made_at, 'updated_at', d.deleted_at, 'version', 0)`;
  const deleted = `${select(gone, true)} from deleted_record d join audit_entry a on a.id = d.entry_id and a.created_at = d.deleted_at
    cross join lateral (select jsonb_object_agg(e.key, e.value -> 0) as olds from jsonb_each(a.object_changes) e where jsonb_typeof(e.value) = 'array') o
    cross join lateral jsonb_populate_record(null::${table(meta)}, o.olds || ${own}) ${gone}
    where d.company_id = any(${statement.companies()}) and d.subject_type = ${type} and d.deleted_at > ${at} and ${there(gone).join(' and ')}
    order by ${order(gone)} limit ${most}`;
  const row = `json_build_object('id', c.id, 'company', c.company, 'made', c.made, 'changed', c.changed, 'gone', c.gone, 'row', c.row)`;
  return `select json_build_object('now', ${PRESENT_TIME(`(${statement.companies()})[1]`)}, 'rows', coalesce(json_agg(${row} order by ${order('c')}), '[]')) as data
    from (select * from ((${live}) union all (${deleted})) b order by ${order('b')} limit ${most}) c`;
}

/** SQL of the ids of the records of the past that a page has, in its order, and of one more. */
export function idsSql({ statement }: Planning, meta: Meta, shape: List): string {
  const order = orderOf(shape);
  const t = statement.nextAlias();
  const conditions = [...statement.conditions(meta, t), ...filtersOn(statement, meta, t, shape, list)];
  return `select coalesce(json_agg(c.id order by ${order('c')}), '[]') as data
    from (select ${t}.id, ${t}.created_at from ${pastRows(statement, meta, t)} where ${conditions.join(' and ')} order by ${order(t)} limit ${shape.limit + 1}) c`;
}

/** The records of a run with the values that they had, in the place of the table. */
export function pastRows(statement: Statement, meta: Meta, t: string): string {
  const live = statement.param((run) => JSON.stringify(run.past!.live), 'jsonb');
  const gone = statement.param((run) => JSON.stringify(run.past!.gone), 'jsonb');
  return `(select p.* from jsonb_to_recordset(${live}) w(id uuid, was jsonb) join ${table(meta)} n on n.id = w.id cross join lateral jsonb_populate_record(n, w.was) p
    union all select p.* from jsonb_to_recordset(${gone}) w("row" jsonb, was jsonb) cross join lateral jsonb_populate_record(jsonb_populate_record(null::${table(meta)}, w."row"), w.was) p) ${t}`;
}
