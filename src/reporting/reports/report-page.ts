import { dayAt, zoneOf } from '../../dispatch/model/company-day.ts';
import { findKept, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { currentIds } from '../../platform/database/former-ids.ts';
import { Denied, Invalid } from '../../platform/errors.ts';
import type { Archived } from '../../platform/read/past/archived.ts';
import { isDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { CATALOGUE, isByUnit } from '../metrics/catalogue.ts';
import type { MetricGroup } from '../metrics/metric.inputs.ts';
import type { Metric } from '../metrics/metric-enums.ts';
import { lacking, mayMeasure, readQuestion } from '../metrics/question.ts';
import { metricGroups, metricsArchived } from '../metrics/read-metrics.ts';
import { type Definition, daysOf, definitionOf } from './definition.ts';
import { READS_REPORTS } from './page-link.ts';
import { Report } from './report.entity.ts';

/** Groups that a page shows; beyond that, somebody chooses fewer days or exports. */
export const MOST_GROUPS = 2_000;
/** Lines of a sheet. */
export const MOST_LINES = 50_000;

/** The data of the page of a report. */
export interface ReportPage {
  name: string;
  company: string;
  timeZone: string;
  from: string;
  to: string;
  chart: Definition['chart'];
  groupBy: Definition['groupBy'];
  measures: { measure: Metric; description: string; byUnit: boolean }[];
  /** Measures of the report that the reader may not see. */
  leftOut: Metric[];
  groups: MetricGroup[];
  totals: MetricGroup;
  /** There are more groups than the page shows. */
  more: boolean;
  /** The archived part of these days, if there is one. */
  archived: Omit<Archived, 'path'> | null;
}

/** The filter of a report, with the records that stayed in place of those that were merged since it was kept. */
async function presentFilter<F extends object>(ctx: Context, filter: F): Promise<F> {
  if (!viewerOf(ctx).hasMerged) return filter;
  const current = await currentIds(ctx, Object.values(filter).flat());
  const present = (value: unknown) => (Array.isArray(value) ? value.map((id) => current.get(id) ?? id) : value);
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, present(value)])) as F;
}

/**
 * Returns what a report shows of some days, as the viewer sees it.
 * @param days `YYYY-MM-DD`, by default those of the report; and the groups that are returned at most
 * @throws Missing, Denied, HaulgateError 403 if they may see none of its measures, Invalid
 */
export async function readReport(
  ctx: Context,
  path: { id: string; companyId: string },
  { most, ...days }: { from?: string; to?: string; most: number },
): Promise<ReportPage> {
  const viewer = viewerOf(ctx);
  const report = await findKept(ctx, Report, path.id, { companyId: path.companyId, shared: true });
  if (!viewer.can(READS_REPORTS)) throw new Denied(READS_REPORTS);
  const definition = definitionOf(report);
  const measures = definition.measures.filter((measure) => lacking(viewer, measure).length === 0);
  if (measures.length === 0) mayMeasure(viewer, definition.measures);
  for (const [field, day] of Object.entries(days))
    if (day !== undefined && !isDate(day)) throw new Invalid([{ model: 'Report', field, key: 'date_invalid' }]);
  if (days.from && days.to && days.to < days.from) throw new Invalid([{ model: 'Report', field: 'to', key: 'before_start' }]);
  const zone = definition.timeZone ?? (await zoneOf(ctx, path.companyId));
  const usual = daysOf(definition.period, presentTime(), zone);
  const { startDate, endDate, ...kept } = definition.filter ?? {};
  const filter = await presentFilter(ctx, kept);
  const day = (given: string | null | undefined) => given && dayAt(given, zone);
  const [from, to] = [days.from ?? day(startDate) ?? usual.from, days.to ?? day(endDate) ?? usual.to];
  // One of them was chosen, and the other one is the report's: zeros would look like days without work.
  if ((days.from || days.to) && to < from)
    throw new Invalid([{ model: 'Report', ...(days.to ? { field: 'to', key: 'before_start' } : { field: 'from', key: 'after_end' }) }]);
  const question = { measures, filter: { ...filter, startDate: from, endDate: to }, timeZone: zone };
  const asked = await readQuestion(ctx, { ...question, groupBy: definition.groupBy }, path.companyId);
  const groups = await metricGroups(ctx, asked, most + 1);
  const [totals] = await metricGroups(ctx, { ...asked, groupBy: [] }, 1);
  const archived = await metricsArchived(ctx, asked);
  return {
    ...{ name: report.name, company: path.companyId, timeZone: zone, from, to, chart: definition.chart, groupBy: definition.groupBy },
    measures: measures.map((measure) => ({ measure, description: CATALOGUE[measure].description, byUnit: isByUnit(CATALOGUE[measure]) })),
    leftOut: definition.measures.filter((measure) => !measures.includes(measure)),
    groups: groups.slice(0, most),
    totals: totals!,
    more: groups.length > most,
    archived: archived && from <= archived.before.slice(0, 10) ? archived : null,
  };
}
