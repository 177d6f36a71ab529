import { isMergeable } from '../../database/former-ids.ts';
import { table } from '../column-sql.ts';
import { isFiltered } from '../filter-groups.ts';
import type { List } from '../lists.ts';
import { boundsOn, filtersOn } from '../page-sql.ts';
import type { Planning } from '../planning.ts';
import type { Meta, Run } from '../run.ts';
import type { Statement } from '../statement.ts';
import { isUnlogged, PRESENT, PRESENT_PARTS, PRESENT_TIME } from './as-of.ts';

/** Whatever is older than this before the instant was committed before it: the log has the time at which a transaction began. */
const LONGEST_TRANSACTION = '15 minutes';

const list = (run: Run): List => run.root!;
/** Whether what is in the list now may not have been in it then, though it was there. */
const isNarrowed = ({ request: { run } }: Planning): boolean => isFiltered(run.root!.filter) || run.where.some(({ changes }) => changes);
/** The conditions by which it is so. */
const narrowing = ({ statement }: Planning, meta: Meta, t: string, shape: List): string[] => [
  ...filtersOn(statement, meta, t, shape, list),
  ...statement.changingConditions(t),
];

const orderOf = (shape: List) => {
  const direction = shape.sort[0]!.descending !== shape.backward ? 'desc' : 'asc';
  return (t: string) => `${t}.created_at ${direction}, ${t}.id ${direction}`;
};

/**
 * SQL of the records that a page of the past may have, in its order: those that were there, and fit now or have changed since; deleted ones among
 * them, as they were last, and those that were merged since.
 * @param most how many
 */
export function candidatesSql(planning: Planning, meta: Meta, shape: List, most: number): string {
  const { statement } = planning;
  const order = orderOf(shape);
  const parts = [liveSql(planning, meta, shape, most), goneSql(planning, meta, shape, most)];
  if (isMergeable(meta.class as Function)) parts.push(mergedSql(planning, meta, shape, most));
  const all = parts.map((part) => `(${part})`).join(' union all ');
  const row = `json_build_object('id', c.id, 'company', c.company, 'made', c.made, 'changed', c.changed, 'gone', c.gone, 'row', c.row)`;
  return `select json_build_object('now', ${PRESENT_TIME(`(${statement.companies()})[1]`)}, 'rows', coalesce(json_agg(${row} order by ${order('c')}), '[]')) as data
    from (select * from (${all}) b order by ${order('b')} limit ${most}) c`;
}

/**
 * Those that exist. What fits and what has changed are found apart, each by its index: a condition that either may meet has none, and a narrow filter
 * would walk through all records of the company.
 */
function liveSql(planning: Planning, meta: Meta, shape: List, most: number): string {
  const { statement } = planning;
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const found = (t: string, also: readonly string[]) => {
    const conditions = [
      ...statement.lastingConditions(meta, t),
      ...(isMergeable(meta.class as Function) ? [notMergedThen(planning, meta, t)] : []),
      ...boundsOn(statement, t, '', shape, list),
      `${t}.created_at < ${at} + interval '1 millisecond'`,
    ];
    return `(select ${t}.id, ${t}.created_at from ${table(meta)} ${t} where ${[...conditions, ...also].join(' and ')} order by ${order(t)} limit ${most})`;
  };
  const fitting = statement.nextAlias();
  const parts = [found(fitting, narrowing(planning, meta, fitting, shape))];
  if (isNarrowed(planning)) {
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
function goneSql(planning: Planning, meta: Meta, shape: List, most: number): string {
  const { statement } = planning;
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const gone = statement.nextAlias();
  const type = typeOf(statement, meta);
  const conditions = [
    ...boundsOn(statement, 'd', '', shape, list),
    `d.created_at < ${at} + interval '1 millisecond'`,
    ...statement.lastingConditions(meta, gone),
  ];
  // A record that follows other ones changes without an entry of its own.
  if (isNarrowed(planning) && !isUnlogged(meta)) {
    const fits = narrowing(planning, meta, gone, shape).join(' and ');
    conditions.push(`((${fits}) or exists (select from audit_entry e where e.company_id = d.company_id and e.subject_type = ${type} and e.subject_id = d.id
      and e.event = 'update' and e.created_at > ${at} - interval '${LONGEST_TRANSACTION}'))`);
  }
  return `select ${PRESENT(gone)}, d.created_at, true as gone
    from (select r.company_id, r.subject_id as id, r.made_at as created_at, r.deleted_at, r.entry_id from deleted_record r
      where r.company_id = any(${statement.companies()}) and r.subject_type = ${type} and r.deleted_at > ${at}) d
    ${lastValuesSql(meta, gone)}
    where ${conditions.join(' and ')} order by ${order('d')} limit ${most}`;
}

// The fields that are not in the entry of a deletion: they are no fields of the record that anybody changes.
const NOT_LOGGED = `jsonb_build_object('id', d.id, 'company_id', d.company_id, 'created_at', d.created_at, 'updated_at', d.deleted_at, 'version', 0)`;

/** SQL that joins deleted records `d` (id, company_id, created_at, deleted_at, entry_id) with the values that they had at last, as rows `t` of their table. */
export const lastValuesSql = (meta: Meta, t: string): string => `join audit_entry a on a.id = d.entry_id and a.created_at = d.deleted_at
    cross join lateral (select jsonb_object_agg(e.key, e.value -> 0) as olds from jsonb_each(a.object_changes) e where jsonb_typeof(e.value) = 'array') o
    cross join lateral jsonb_populate_record(null::${table(meta)}, o.olds || ${NOT_LOGGED}) ${t}`;

/**
 * Those that were merged into another record since, of which what is left has another id: as they were until then, under their own. They are few, and
 * not looked at more closely.
 */
function mergedSql(planning: Planning, meta: Meta, shape: List, most: number): string {
  const { statement } = planning;
  const order = orderOf(shape);
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  const t = statement.nextAlias();
  const own = `jsonb_build_object('id', d.id, 'discarded_at', null)`;
  const conditions = [
    ...boundsOn(statement, 'd', '', shape, list),
    `d.created_at < ${at} + interval '1 millisecond'`,
    // By an earlier merge, before the one that holds now.
    notMergedThen(planning, meta, 'd'),
    ...statement.lastingConditions(meta, t),
  ];
  return `select d.id, ${t}.company_id as company, ${PRESENT_PARTS(t)}, to_jsonb(${t}) || ${own} as row, d.created_at, true as gone
    from (select m.former_id as id, m.company_id, m.remains_id, r.created_at from merged_record m join record_merge g on g.id = m.record_merge_id
      join ${table(meta)} r on r.id = m.remains_id
      where m.company_id = any(${statement.companies()}) and m.record_type = ${typeOf(statement, meta)} and g.created_at > ${at}) d
    join ${table(meta)} ${t} on ${t}.id = d.remains_id where ${conditions.join(' and ')} order by ${order('d')} limit ${most}`;
}

/** SQL of whether a record was not merged into another one then, by a merge that was undone since. */
function notMergedThen({ statement }: Planning, meta: Meta, t: string): string {
  const at = statement.param((run) => run.past!.at, 'timestamptz');
  return `not exists (select from record_merge g where g.company_id = ${t}.company_id and g.record_type = ${typeOf(statement, meta)} and g.undone_at is not null
    and g.created_at <= ${at} and g.undone_at > ${at} and ${t}.id = any(g.former_ids))`;
}

const typeOf = (statement: Statement, meta: Meta): string => statement.param(() => meta.className, 'text');

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
