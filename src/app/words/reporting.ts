import { CATALOGUE } from '../../reporting/metrics/catalogue.ts';

/** The descriptions of types of src/reporting. */
export const REPORTING_TYPES = `
DataHealthCode: What can be wrong with the records of a company.
DataHealthFilter: Which findings are listed.
DataHealthRecordType: The records that can be mended.
Metric: The measures that exist. \`metricDefinitions\` describes what each number means and takes.
MetricDimension: The dimensions by which measures can be grouped.
Report: A question to the catalogue of metrics that is kept under a name.
ReportCategory: The categories by which reports are sorted.
ReportChart: How a report is drawn.
ReportPeriod: The days that a report shows, counted from today in its time zone.
`;

/** The descriptions of their fields. */
export const REPORTING_FIELDS = `
DataHealthCount.code: What was looked for.
DataHealthFinding.code: What is wrong.
DataHealthFinding.recordType: The kind of record that is to be mended.
MetricDefinition.measure: The measure that is defined.
MetricKey.dimension: The kind of thing that the group is of.
MetricValue.measure: The measure of which it is a value.
Report.reportCategory: The category in which it is listed.
`;

/** The meanings of their values. */
export const REPORTING_VALUES = `
DataHealthCode.account_at_wrong_level: A customer without orders here in the last 30 days, whose namesake at another company of the caller has orders.
DataHealthCode.account_twice: An account that is called like an older one.
DataHealthCode.customer_type_missing: An account that is the customer of orders or rate cards without the type.
DataHealthCode.driver_at_wrong_level: A driver whose work of the last 30 days is all of another company of the caller.
DataHealthCode.driver_is_vendor: A driver with the name, telephone or e-mail address of a vendor account.
DataHealthCode.driver_of_vendor: A driver with the telephone or e-mail address of one whom a vendor shares.
DataHealthCode.driver_without_rate: A driver to whose latest job no rate applies.
DataHealthCode.material_without_density: A material that open orders count by weight and pay by volume, or the other way round, without its density.
DataHealthCode.order_without_rate: An order of today or later to which no customer rate applies.
DataHealthCode.type_without_capacity: A type of active equipment without a capacity.
DataHealthCode.unit_mismatch: An order of today or later whose unit does not convert into that of its rate.
DataHealthCode.vendor_not_connected: A vendor with jobs to do that is not connected.
DataHealthRecordType.EquipmentType: A type of equipment.
DataHealthRecordType.Material: A material.
DataHealthCode.vendor_type_missing: An account that is the vendor of orders, jobs or rate cards without the type.
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
