import { table } from '../column-sql.ts';
import { isFiltered } from '../filter-groups.ts';
import type { List } from '../lists.ts';
import { boundsOn, filtersOn } from '../page-sql.ts';
import type { Planning } from '../planning.ts';
import type { Meta, Run } from '../run.ts';
import type { Statement } from '../statement.ts';
import { isUntold, PRESENT, PRESENT_TIME } from './as-of.ts';

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
export function candidatesSql(planning: Planning, meta: Meta, shape: List, most: number): string {
  const { statement } = planning;
  const order = orderOf(shape);
  const row = `json_build_object('id', c.id, 'company', c.company, 'made', c.made, 'changed', c.changed, 'gone', c.gone, 'row', c.row)`;
  return `select json_build_object('now', ${PRESENT_TIME(`(${statement.companies()})[1]`)}, 'rows', coalesce(json_agg(${row} order by ${order('c')}), '[]')) as data
    from (select * from ((${liveSql(planning, meta, shape, most)}) union all (${goneSql(planning, meta, shape, most)})) b order by ${order('b')} limit ${most}) c`;
}

/**
 * Those that exist. What fits and what has changed are found apart, each by its index: a condition that either may meet has none, and a narrow filter
 * would walk through all records of the company.
 */
function liveSql({ statement, request }: Planning, meta: Meta, shape: List, most: number): string {
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const found = (t: string, also: readonly string[]) => {
    const conditions = [
      ...statement.conditions(meta, t),
      ...boundsOn(statement, t, '', shape, list),
      `${t}.created_at < ${at} + interval '1 millisecond'`,
    ];
    return `(select ${t}.id, ${t}.created_at from ${table(meta)} ${t} where ${[...conditions, ...also].join(' and ')} order by ${order(t)} limit ${most})`;
  };
  const fitting = statement.nextAlias();
  const parts = [found(fitting, isFiltered(request.run.root!.filter) ? filtersOn(statement, meta, fitting, shape, list) : [])];
  if (isFiltered(request.run.root!.filter)) {
    const changed = statement.nextAlias();
    parts.push(found(changed, [`${changed}.updated_at > ${at} - interval '${LONGEST_TRANSACTION}'`]));
  }
  const t = statement.nextAlias();
  return `select ${PRESENT(t)}, ${t}.created_at, false as gone from (${parts.join(' union ')}) k join ${table(meta)} ${t} on ${t}.id = k.id order by ${order('k')} limit ${most}`;
}

/**
 * Those that were deleted since: they are ordered and bound by what is noted of the deletion, so that the log is opened for no more of them than a page
 * may have. One that did not fit when it was deleted, and was not changed before that, was not in the list.
 */
function goneSql({ statement, request }: Planning, meta: Meta, shape: List, most: number): string {
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const gone = statement.nextAlias();
  const type = statement.param(() => meta.className, 'text');
  // What is not in the entry of a deletion: it is no field of the record that anybody changes.
  const own = `jsonb_build_object('id', d.id, 'company_id', d.company_id, 'created_at', d.created_at, 'updated_at', d.deleted_at, 'version', 0)`;
  const conditions = [
    ...boundsOn(statement, 'd', '', shape, list),
    `d.created_at < ${at} + interval '1 millisecond'`,
    ...statement.conditions(meta, gone),
  ];
  // What follows other records changes without an entry of its own.
  if (isFiltered(request.run.root!.filter) && !isUntold(meta)) {
    const fits = filtersOn(statement, meta, gone, shape, list).join(' and ') || 'true';
    conditions.push(`((${fits}) or exists (select from audit_entry e where e.company_id = d.company_id and e.subject_type = ${type} and e.subject_id = d.id
      and e.event = 'update' and e.created_at > ${at} - interval '${LONGEST_TRANSACTION}'))`);
  }
  return `select ${PRESENT(gone)}, d.created_at, true as gone
    from (select r.company_id, r.subject_id as id, r.made_at as created_at, r.deleted_at, r.entry_id from deleted_record r
      where r.company_id = any(${statement.companies()}) and r.subject_type = ${type} and r.deleted_at > ${at}) d
    join audit_entry a on a.id = d.entry_id and a.created_at = d.deleted_at
    cross join lateral (select jsonb_object_agg(e.key, e.value -> 0) as olds from jsonb_each(a.object_changes) e where jsonb_typeof(e.value) = 'array') o
    cross join lateral jsonb_populate_record(null::${table(meta)}, o.olds || ${own}) ${gone}
    where ${conditions.join(' and ')} order by ${order('d')} limit ${most}`;
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
