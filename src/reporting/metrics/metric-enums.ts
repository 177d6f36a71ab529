import { stringEnum } from '../../platform/model/columns.ts';

/** The measures of the catalogue (`catalogue.ts` defines each). */
export const Metric = stringEnum('Metric', [
  'orders',
  'jobs',
  'started_jobs',
  'on_time_starts',
  'job_hours',
  'jobs_to_approve',
  'loads',
  'delivered_quantity',
  'ticketed_quantity',
  'on_site_minutes',
  'cycle_minutes',
  'loads_to_approve',
  'receivable',
  'vendor_payable',
  'driver_payable',
  'payable',
  'material_cost',
  'margin',
  'invoices_to_approve',
  'import_failures',
]);
export type Metric = keyof typeof Metric;

/** The dimensions by which measures may be grouped, and filtered. */
export const MetricDimension = stringEnum('MetricDimension', [
  'day',
  'week',
  'month',
  'company',
  'project',
  'order',
  'customer',
  'vendor',
  'driver',
  'truck',
  'material',
  'pickup_site',
  'dropoff_site',
  'state',
]);
export type MetricDimension = keyof typeof MetricDimension;

/** The dimensions that cut time into pieces. */
export type TimeDimension = 'day' | 'week' | 'month';
export const isTime = (dimension: MetricDimension): dimension is TimeDimension =>
  dimension === 'day' || dimension === 'week' || dimension === 'month';
