import type { MetricDimension, TimeDimension } from './metric-enums.ts';

/** The names of records, by the dimension of groups. */
export const NAMED: Readonly<Record<Exclude<MetricDimension, TimeDimension | 'state'>, { table: string; name: (t: string) => string }>> = {
  company: { table: 'company', name: (t) => `${t}.legal_name` },
  project: { table: 'project', name: (t) => `${t}.name` },
  order: { table: 'orders', name: (t) => `${t}.order_id` },
  customer: { table: 'account', name: (t) => `${t}.name` },
  vendor: { table: 'account', name: (t) => `${t}.name` },
  driver: { table: 'app_user', name: (t) => `concat_ws(' ', ${t}.first_name, ${t}.last_name)` },
  truck: { table: 'equipment', name: (t) => `${t}.name` },
  material: { table: 'material', name: (t) => `${t}.name` },
  pickup_site: { table: 'site', name: (t) => `${t}.name` },
  dropoff_site: { table: 'site', name: (t) => `${t}.name` },
};
