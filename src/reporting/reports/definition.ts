import { Field, InputType, ObjectType } from 'type-graphql';
import { About } from '../../platform/model/about.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { Json } from '../../platform/scalars.ts';
import { localDate } from '../../platform/time.ts';
import { MetricFilter } from '../metrics/metric.inputs.ts';
import { Metric, MetricDimension } from '../metrics/metric-enums.ts';

/** The days that a report shows, counted from today in its time zone. */
export const ReportPeriod = stringEnum('ReportPeriod', [
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'last_90_days',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'this_year',
]);
export type ReportPeriod = keyof typeof ReportPeriod;

export const ReportChart = stringEnum('ReportChart', ['bar', 'line', 'none']);
export type ReportChart = keyof typeof ReportChart;

/** The contents of a report, as they are stored. */
export interface Definition {
  measures: Metric[];
  groupBy: MetricDimension[];
  filter: MetricFilter | null;
  timeZone: string | null;
  period: ReportPeriod;
  chart: ReportChart;
}

@InputType()
@About('Report')
export class ReportDefinitionInput {
  @Field(() => [Metric], { description: 'The measures.' }) measures!: Metric[];
  @Field(() => [MetricDimension], { nullable: true, description: 'The dimensions of the groups; the first is the axis of the plots.' })
  groupBy?: MetricDimension[] | null;
  @Field(() => MetricFilter, { nullable: true, description: 'As of `metrics`. A day of it is in place of that of the period.' })
  filter?: MetricFilter | null;
  @Field(() => String, { nullable: true, description: "An IANA time zone; by default, the company's." }) timeZone?: string | null;
  @Field(() => ReportPeriod, {
    nullable: true,
    description: 'The days that it shows unless somebody chooses others; by default, `last_30_days`.',
  })
  period?: ReportPeriod | null;
  @Field(() => ReportChart, { nullable: true, description: 'How it is drawn; by default, `bar`.' }) chart?: ReportChart | null;
}

@ObjectType({ simpleResolvers: true, description: 'The contents of a report.' })
export class ReportDefinition {
  @Field(() => [Metric], { description: 'The measures.' }) measures!: Metric[];
  @Field(() => [MetricDimension], { description: 'The dimensions of the groups; the first is the axis of the plots.' })
  groupBy!: MetricDimension[];
  @Field(() => Json, { nullable: true, description: 'The filter, as it was given.' }) filter!: object | null;
  @Field(() => String, { nullable: true, description: "Null means the company's." }) timeZone!: string | null;
  @Field(() => ReportPeriod, { description: 'The days that it shows.' }) period!: ReportPeriod;
  @Field(() => ReportChart, { description: 'How it is drawn.' }) chart!: ReportChart;
}

/** The dashboard of a report that says itself what it shows. */
export const CUSTOM = 'custom';

const shown = (
  measures: Metric[],
  groupBy: MetricDimension[],
  { period = 'last_30_days', chart = 'bar' }: Partial<Pick<Definition, 'period' | 'chart'>> = {},
): Definition => ({ measures, groupBy, filter: null, timeZone: null, period, chart });

/** The built-in dashboards. Built-in reports show them, and reports of companies may. */
export const DASHBOARDS: Readonly<Record<string, Definition>> = {
  loads_by_day: shown(['loads', 'delivered_quantity', 'ticketed_quantity'], ['day']),
  loads_by_pickup_site: shown(['loads', 'delivered_quantity', 'on_site_minutes'], ['pickup_site']),
  punctuality: shown(['started_jobs', 'on_time_starts', 'job_hours', 'cycle_minutes'], ['day'], { chart: 'line' }),
  drivers: shown(['jobs', 'loads', 'job_hours', 'cycle_minutes'], ['driver']),
  customers: shown(['loads', 'delivered_quantity', 'receivable'], ['customer']),
  vendors: shown(['jobs', 'loads', 'delivered_quantity', 'vendor_payable'], ['vendor']),
  margin_by_week: shown(['receivable', 'payable', 'margin'], ['week'], { period: 'last_90_days' }),
  open_approvals: shown(['loads_to_approve', 'jobs_to_approve', 'invoices_to_approve'], ['week'], { period: 'last_90_days' }),
  failed_imports: shown(['import_failures'], ['day']),
};

/** The contents of a report. */
export const definitionOf = ({ dashboardId, definition }: { dashboardId: string; definition?: Definition | null }): Definition =>
  definition ?? DASHBOARDS[dashboardId]!;

const DAY = 86_400_000;
const plus = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
/** Days since Monday. */
const weekday = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;

/** Returns the first and the last day of a period in a time zone, both inclusive. */
export function daysOf(period: ReportPeriod, now: Date, zone: string): { from: string; to: string } {
  const today = localDate(now, zone);
  const monday = plus(today, -weekday(today));
  const first = `${today.slice(0, 8)}01`;
  const before = plus(first, -1);
  const spans: Record<ReportPeriod, [string, string]> = {
    today: [today, today],
    yesterday: [plus(today, -1), plus(today, -1)],
    last_7_days: [plus(today, -6), today],
    last_30_days: [plus(today, -29), today],
    last_90_days: [plus(today, -89), today],
    this_week: [monday, plus(monday, 6)],
    last_week: [plus(monday, -7), plus(monday, -1)],
    this_month: [first, plus(`${plus(first, 31).slice(0, 8)}01`, -1)],
    last_month: [`${before.slice(0, 8)}01`, before],
    this_year: [`${today.slice(0, 4)}-01-01`, `${today.slice(0, 4)}-12-31`],
  };
  const [from, to] = spans[period];
  return { from, to };
}
