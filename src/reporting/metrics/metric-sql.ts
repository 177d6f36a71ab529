import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { readSpecOf } from '../../platform/model/decorators.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { CATALOGUE, isByUnit, type Part } from './catalogue.ts';
import { isTime, type Metric, type MetricDimension, type TimeDimension } from './metric-enums.ts';
import { NAMED } from './names.ts';
import { COMPANIES, type Column, type Source } from './sources.ts';

/** A question to the catalogue, checked. */
export interface Asked {
  measures: readonly Metric[];
  groupBy: readonly MetricDimension[];
  companyIds: readonly string[];
  /** Work may have been passed on to these companies. */
  receivesWork: boolean;
  /** IANA. */
  zone: string;
  /** The days that are counted, both inclusive, and the instants at which the first begins and the last has ended. */
  from?: { day: string; at: Date };
  to?: { day: string; at: Date };
  /** Ids, or states. */
  filters: ReadonlyMap<Exclude<MetricDimension, TimeDimension>, readonly string[]>;
}

/** A part of a statement that sums rows of one source. */
interface Branch {
  source: Source;
  unit: Column | undefined;
  parts: Map<string, Part>;
}

/** SQL with the parameters that it has so far. */
type Param = (value: unknown, cast: string) => string;

/**
 * Returns the statement of the groups as rows `k0, k1 ..., m0, m1 ...`: what is grouped by, and the values of the measures. Each source is read once,
 * whatever is asked of it: rows are summed by group and unit first, and only these sums are put together.
 * @param values the parameters of the statement, of which this function is the first to add some
 */
export function groupsSql(ctx: Context, asked: Asked, values: unknown[]): string {
  values.push(asked.companyIds);
  const param: Param = (value, cast) => `$${values.push(value)}::${cast}`;
  let place: string | undefined;
  const zone = () => (place ??= param(asked.zone, 'text'));
  const { branches, names } = branchesOf(asked.measures);
  const all = [...names.values()];
  const keys = asked.groupBy.map((_, at) => `k${at}`);
  const parts = branches.map((branch) => branchSql(ctx, asked, branch, { all, zone, values, param }));
  const sums = all.map((name) => `sum(${name}) as ${name}`);
  const by = (...more: string[]): string => ([...keys, ...more].length > 0 ? ` group by ${[...keys, ...more].join(', ')}` : '');
  const summed =
    parts.length === 1 ? parts[0]! : `select ${[...keys, 'u', ...sums].join(', ')} from (${parts.join('\n  union all ')}) b${by('u')}`;
  const measures = asked.measures.map((measure, at) => `${valueSql(measure, names)} as m${at}`);
  return `select ${[...keys, ...measures].join(', ')} from (${summed}) s${by()}`;
}

/** The value of a measure in a group of sums `s`: one, or an object with one for each unit. */
function valueSql(measure: Metric, names: ReadonlyMap<Part, string>): string {
  const definition = CATALOGUE[measure];
  const { parts, value = (sum) => sum! } = definition;
  const sums = parts.map((part) => names.get(part)!);
  if (!isByUnit(definition)) {
    const text = value(...sums.map((name) => `sum(${name})`));
    return definition.mean ? `(${text})::text` : `coalesce(${text}, 0)::text`;
  }
  const given = sums.map((name) => `${name} is not null`).join(' or ');
  return `coalesce(jsonb_object_agg(coalesce(u, ''), (${value(...sums)})::text) filter (where ${given}), '{}')`;
}

/** The branches in which each part is summed once, and the names of the sums. */
function branchesOf(measures: readonly Metric[]): { branches: Branch[]; names: Map<Part, string> } {
  const parts = [...new Set(measures.flatMap((measure) => CATALOGUE[measure].parts))];
  const names = new Map(parts.map((part, at) => [part, `p${at}`]));
  const branches: Branch[] = [];
  // Parts with a unit first: those without one are summed along with them.
  for (const part of parts.toSorted((a, b) => Number(a.unit === undefined) - Number(b.unit === undefined))) {
    const { source, unit } = part;
    const found = branches.find((one) => one.source === source && (unit === undefined || one.unit?.sql === unit.sql));
    const branch = found ?? { source, unit, parts: new Map<string, Part>() };
    if (!found) branches.push(branch);
    branch.parts.set(names.get(part)!, part);
  }
  return { branches, names };
}

interface Writing {
  /** The names of all sums of the statement. */
  all: readonly string[];
  /** The place of the zone, which is a parameter once it is used. */
  zone: () => string;
  values: unknown[];
  param: Param;
}

function branchSql(ctx: Context, asked: Asked, { source, unit, parts }: Branch, { all, zone, values, param }: Writing): string {
  const keys = asked.groupBy.map((dimension) => columnOf(source, dimension, zone));
  const filtered = [...asked.filters].map(([dimension, given]) => ({ column: columnOf(source, dimension, zone), given, dimension }));
  const used = new Set(
    [...keys, ...filtered.map(({ column }) => column), ...parts.values(), ...(unit ? [unit] : [])].flatMap(({ joins }) => joins ?? []),
  );
  const joins = Object.entries(source.joins).flatMap(([name, { sql }]) => (used.has(name) && sql ? [sql] : []));
  const conditions = [
    ...(seesNone(ctx, source) ? ['false'] : []),
    ...(isUnited(asked, source) ? [] : [`${source.t}.company_id = any(${COMPANIES})`]),
    ...(source.where ? [source.where] : []),
    ...rangeOf(source, asked, param),
    ...filtered.map(({ column, given, dimension }) => `${column.sql} = any(${param(given, dimension === 'state' ? 'text[]' : 'uuid[]')})`),
  ];
  const limits = limitsFor(viewerOf(ctx), entityOf(ctx, source), source.t, values);
  const sums = all.map((name) => (parts.has(name) ? `(${parts.get(name)!.sql})::numeric as ${name}` : `null::numeric as ${name}`));
  const selected = [...keys.map(({ sql }, at) => `${sql} as k${at}`), `${unit?.sql ?? 'null::text'} as u`, ...sums];
  const groups = [...keys.map((_, at) => `${at + 1}`), ...(unit ? [`${keys.length + 1}`] : [])];
  return `select ${selected.join(', ')}
    from ${rowsOf(source, asked)} ${[...(source.counted ? [source.counted] : []), ...joins].join('\n      ')}
    where ${conditions.join(' and ') || 'true'}${limits}${groups.length > 0 ? ` group by ${groups.join(', ')}` : ''}`;
}

const isUnited = ({ receivesWork }: Asked, { subcontracted }: Source): boolean => receivesWork && subcontracted !== undefined;

/** The rows of the companies, and those that were passed on to them: two parts, because one condition for both would fit no index. */
function rowsOf(source: Source, asked: Asked): string {
  const { table, t, subcontracted } = source;
  if (!isUnited(asked, source)) return `${table} ${t}`;
  return `(select * from ${table} where company_id = any(${COMPANIES})
      union all select * from ${table} where company_id <> all(${COMPANIES}) and id in (${subcontracted!(COMPANIES)})) ${t}`;
}

/** @throws Error for a dimension that the source does not have: it is refused before */
export function columnOf({ by, time }: Source, dimension: MetricDimension, zone: () => string): Column {
  if (!isTime(dimension)) return by[dimension]!;
  const day = 'date' in time ? time.date : `(${time.instant} at time zone ${zone()})`;
  return { sql: dimension === 'day' ? `${day}::date` : `date_trunc('${dimension}', ${day}::timestamp)::date` };
}

function rangeOf({ time }: Source, { from, to }: Asked, param: Param): string[] {
  const conditions: string[] = [];
  if ('instant' in time) {
    if (from) conditions.push(`${time.instant} >= ${param(from.at, 'timestamptz')}`);
    if (to) conditions.push(`${time.instant} < ${param(to.at, 'timestamptz')}`);
    return conditions;
  }
  if (from) conditions.push(`${time.date} >= ${param(from.day, 'date')}`);
  if (to) conditions.push(`${time.date} <= ${param(to.day, 'date')}`);
  if (time.near && from) conditions.push(`${time.near} > ${param(from.at, 'timestamptz')} - interval '2 days'`);
  if (time.near && to) conditions.push(`${time.near} < ${param(to.at, 'timestamptz')} + interval '2 days'`);
  return conditions;
}

/** Entities are named, because those of imports are in a room next to this one. */
const entityOf = (ctx: Context, { entity }: Source): Function => ctx.em.getMetadata().getByClassName(entity as never).class as Function;

/** The rows are work, of which the viewer reads none. */
const seesNone = (ctx: Context, source: Source): boolean =>
  viewerOf(ctx).readsNoWork === true && readSpecOf(entityOf(ctx, source)).tenant?.subcontracted !== undefined;

/** A group's keys as they are answered and ordered: by time or name, and by what is named. */
export interface NamedKeys {
  columns: string[];
  joins: string[];
  order: string[];
}

/** Returns the SQL of the keys of groups `g`, with the names of the records. */
export function namesOf(groupBy: readonly MetricDimension[]): NamedKeys {
  const keys: NamedKeys = { columns: [], joins: [], order: [] };
  for (const [at, dimension] of groupBy.entries()) {
    const named = isTime(dimension) || dimension === 'state' ? undefined : NAMED[dimension];
    const label = named ? named.name(`n${at}`) : 'null';
    if (named) {
      keys.joins.push(`left join ${named.table} n${at} on n${at}.id = g.k${at}`);
      keys.order.push(`coalesce(lower(${label}), '')`);
    }
    keys.columns.push(`g.k${at}::text as k${at}`, `${label} as l${at}`);
    keys.order.push(`coalesce(g.k${at}::text, '')`);
  }
  return keys;
}
