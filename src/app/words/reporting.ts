import { CATALOGUE } from '../../reporting/metrics/catalogue.ts';

/** What types of src/reporting are. */
export const REPORTING_TYPES = `
Metric: What can be measured. \`metricDefinitions\` says what each number means and takes.
MetricDimension: What measures can be grouped by.
`;

/** What their fields are. */
export const REPORTING_FIELDS = `
MetricDefinition.measure: The measure that is defined.
MetricKey.dimension: What kind of thing the group is of.
MetricValue.measure: The measure of which it is a value.
`;

/** What their values mean. */
export const REPORTING_VALUES = `
MetricDimension.company: The company whose record it is.
MetricDimension.day: The day of the work, in the time zone of the answer; money has the day of its invoice.
MetricDimension.dropoff_site: The last drop-off.
MetricDimension.month: The month, by its first day.
MetricDimension.pickup_site: The first pickup.
MetricDimension.state: The state of the record that is counted.
MetricDimension.week: The week from Monday, by that day.
`;

/** The catalogue of metrics says what its measures are. */
export const metricSentences = (): [string, string][] =>
  Object.entries(CATALOGUE).map(([name, { description }]) => [`Metric.${name}`, description]);
