import { CATALOGUE } from '../../reporting/metrics/catalogue.ts';

/** The descriptions of types of src/reporting. */
export const REPORTING_TYPES = `
Metric: The measures that exist. \`metricDefinitions\` describes what each number means and takes.
MetricDimension: The dimensions by which measures can be grouped.
Report: A question to the catalogue of metrics that is kept under a name.
ReportCategory: The categories by which reports are sorted.
ReportChart: How a report is drawn.
ReportPeriod: The days that a report shows, counted from today in its time zone.
`;

/** The descriptions of their fields. */
export const REPORTING_FIELDS = `
MetricDefinition.measure: The measure that is defined.
MetricKey.dimension: The kind of thing that the group is of.
MetricValue.measure: The measure of which it is a value.
Report.reportCategory: The category in which it is listed.
`;

/** The meanings of their values. */
export const REPORTING_VALUES = `
MetricDimension.company: The company whose record it is.
MetricDimension.day: The day of the work, in the time zone of the answer; money has the day of its invoice.
MetricDimension.dropoff_site: The last drop-off.
MetricDimension.month: The month, by its first day.
MetricDimension.pickup_site: The first pickup.
MetricDimension.state: The state of the record that is counted.
ReportChart.bar: As bars.
ReportChart.line: As lines.
ReportChart.none: As a table alone.
ReportPeriod.last_30_days: Today and the 29 days before it.
ReportPeriod.last_7_days: Today and the six days before it.
ReportPeriod.last_90_days: Today and the 89 days before it.
ReportPeriod.last_month: The month before this one.
ReportPeriod.last_week: The week before this one, from Monday.
ReportPeriod.this_month: This month.
ReportPeriod.this_week: This week, from Monday.
ReportPeriod.this_year: This year.
ReportPeriod.today: Today.
ReportPeriod.yesterday: Yesterday.
MetricDimension.week: The week from Monday, by that day.
`;

/** The catalogue of metrics says what its measures are. */
export const metricSentences = (): [string, string][] =>
  Object.entries(CATALOGUE).map(([name, { description }]) => [`Metric.${name}`, description]);
