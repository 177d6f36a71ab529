import { dayAt, zoneOf } from '../../dispatch/model/company-day.ts';
import { companyOf, receivesIn, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { type ErrorItem, HaulgateError, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { dayBounds, isDate, isZone } from '../../platform/time.ts';
import { CATALOGUE } from './catalogue.ts';
import { FILTERED, type MetricQuestion, MOST_KEYS, MOST_MEASURES } from './metric.inputs.ts';
import { isTime, type Metric, type MetricDimension } from './metric-enums.ts';
import type { Asked } from './metric-sql.ts';

export type Question = Pick<MetricQuestion, 'measures' | 'groupBy' | 'filter' | 'timeZone'>;

/** Returns what a measure may be grouped by and filtered with: what all of its sources have. */
export const dimensionsOf = (measure: Metric, among: readonly MetricDimension[]): MetricDimension[] =>
  among.filter((dimension) => isTime(dimension) || CATALOGUE[measure].parts.every(({ source }) => source.by[dimension] !== undefined));

/** Returns the permissions that a viewer lacks for a measure. */
export function lacking(viewer: Viewer, measure: Metric): string[] {
  const { permissions = [] } = CATALOGUE[measure];
  // All rows that people with own records only see are theirs, among them what they are paid.
  const own = viewer.ownRecordsOnly === true ? ':own' : '';
  return permissions.filter((permission) => !viewer.can(permission) && !viewer.can(`${permission}${own}`));
}

/** @throws HaulgateError 403, which names each measure with the permission that is missing */
export function mayMeasure(viewer: Viewer, measures: readonly Metric[]): void {
  const denied = measures.flatMap((measure, at) => {
    const [permission] = lacking(viewer, measure);
    return permission ? [{ model: 'Metric', field: `measures.${at}`, key: 'metric_denied', params: { measure, permission } }] : [];
  });
  if (denied.length > 0) throw new HaulgateError(403, 'forbidden', denied);
}

/** Returns the problems of a question that do not depend on who asks it. */
export function problemsOf({ measures, groupBy, filter, timeZone }: Question): ErrorItem[] {
  const items: ErrorItem[] = [];
  const report = (field: string, key: string, params?: ErrorItem['params']) => void items.push({ model: 'Metric', field, key, params });
  if (measures.length === 0) report('measures', 'metric_without_measure');
  const keys = groupBy ?? [];
  const check = (name: string, given: readonly string[], max: number) => {
    if (given.length > max) report(name, 'too_many_items', { max });
    const twice = given.find((one, at) => given.indexOf(one) < at);
    if (twice) report(name, 'metric_named_twice', { name: twice });
  };
  check('measures', measures, MOST_MEASURES);
  check('groupBy', keys, MOST_KEYS);
  if (timeZone && !isZone(timeZone)) report('timeZone', 'not_a_time_zone');
  const narrowed = Object.entries(FILTERED).filter(([name]) => given(filter, name) !== undefined);
  for (const measure of measures) {
    const fits = (dimension: MetricDimension): boolean => dimensionsOf(measure, [dimension]).length > 0;
    for (const [at, dimension] of keys.entries()) if (!fits(dimension)) report(`groupBy.${at}`, 'metric_not_by', { measure, dimension });
    for (const [name, dimension] of narrowed) if (!fits(dimension)) report(`filter.${name}`, 'metric_not_by', { measure, dimension });
  }
  for (const [name] of [...narrowed, ['companyIds'] as const])
    if (name !== 'states' && given(filter, name)?.some((id) => !isUuid(id))) report(`filter.${name}`, 'not_a_uuid');
  return items;
}

/**
 * Returns the problems of a question that can have no answer but zeros, which look like a week without work: a state that no record is ever in, and a
 * last day before the first.
 * @param asked the question with its days, as they are in its zone; without them, instants are compared with nothing
 */
export function emptyProblemsOf({ measures, filter }: Pick<Question, 'measures' | 'filter'>, asked?: Asked): ErrorItem[] {
  const items: ErrorItem[] = [];
  const day = (given: string | null | undefined) => (given && isDate(given) ? given : undefined);
  const [from, to] = asked ? [asked.from?.day, asked.to?.day] : [day(filter?.startDate), day(filter?.endDate)];
  const states = filter?.states;
  if (from && to && to < from) items.push({ model: 'Metric', field: 'filter.endDate', key: 'before_start' });
  const known = [...new Set(measures.flatMap((measure) => CATALOGUE[measure].parts.flatMap(({ source }) => source.states)))];
  if (states?.some((state) => !known.includes(state)))
    items.push({ model: 'Metric', field: 'filter.states', key: 'not_one_of', params: { values: known.join(', ') } });
  return items;
}

const given = (filter: Question['filter'], name: string): string[] | undefined =>
  (filter as Record<string, string[] | null> | null)?.[name] ?? undefined;

/**
 * Reads a question of a viewer about a company, or about several of the family.
 * @throws Missing for a company that they do not see, HaulgateError 403 for a measure that they may not read, Invalid
 */
export async function readQuestion(ctx: Context, question: Question, companyId?: string | null): Promise<Asked> {
  const viewer = viewerOf(ctx);
  const { measures, groupBy, filter, timeZone } = question;
  const company = companyOf(ctx, companyId);
  mayMeasure(viewer, measures);
  const items = problemsOf(question);
  if (items.length > 0) throw new Invalid(items);
  const companyIds = filter?.companyIds ? [...new Set(filter.companyIds.map((id) => companyOf(ctx, id)))] : [company];
  const zone = timeZone || (await zoneOf(ctx, company));
  const from = filter?.startDate ? dayAt(filter.startDate, zone) : undefined;
  const to = filter?.endDate ? dayAt(filter.endDate, zone) : undefined;
  const filters = Object.entries(FILTERED).flatMap(([name, dimension]) => {
    const values = given(filter, name);
    return values ? [[dimension, values] as const] : [];
  });
  return {
    ...{ measures, groupBy: groupBy ?? [], companyIds, zone, filters: new Map(filters) },
    receivesWork: receivesIn(viewer, companyIds),
    ...(from ? { from: { day: from, at: dayBounds(from, zone).start } } : {}),
    ...(to ? { to: { day: to, at: dayBounds(to, zone).end } } : {}),
  };
}
