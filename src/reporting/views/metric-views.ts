import type { PublishedColumn, PublishedView } from '../../platform/database/published.ts';
import { CATALOGUE, type Part } from '../metrics/catalogue.ts';
import type { Metric, MetricDimension } from '../metrics/metric-enums.ts';
import { columnOf } from '../metrics/metric-sql.ts';
import { BOUGHT, COMPANIES, IMPORTS, INVOICES, JOBS, LOADS, ORDERS, type Source } from '../metrics/sources.ts';
import { COMPANY_ARRAY, ifMay, mayAll, ZONE } from './scope.ts';

/** The name of a dimension as a column, and its meaning. */
const DIMENSIONS: Readonly<Record<Exclude<MetricDimension, 'week' | 'month'>, [name: string, about: string]>> = {
  day: ['day', 'The day to which the row belongs, in the zone of your company.'],
  company: ['company_id', 'The company that owns the row: another one of work that was passed on to you.'],
  project: ['project_id', 'Id of the project.'],
  order: ['order_id', 'Id of the order.'],
  customer: ['customer_id', 'Id of the account of the customer; null of work that was passed on to you.'],
  vendor: ['vendor_id', 'Id of the account of the vendor to whom you passed the work on.'],
  driver: ['driver_id', 'Id of the driver.'],
  truck: ['equipment_id', 'Id of the truck.'],
  material: ['material_id', 'Id of the material.'],
  pickup_site: ['pickup_site_id', 'Id of the site of the first pickup.'],
  dropoff_site: ['dropoff_site_id', 'Id of the site of the last drop-off.'],
  state: ['state', 'The state of the row.'],
};

/** A number of a row, and the measure that it is a part of. */
interface Counted {
  measure: Metric;
  /** Which of the measure's parts; the first by default. */
  part?: number;
  about?: string;
  permissions?: readonly string[];
}

interface MetricView {
  name: string;
  about: string;
  source: Source;
  keys: Readonly<Record<string, PublishedColumn>>;
  counted: Readonly<Record<string, Counted>>;
  /** Without it there are no rows. */
  permission?: string;
}

const ID = (t: string, of: string): PublishedColumn => ({ sql: `${t}.id`, about: `Id of the ${of}.` });
const MONEY_OF_MARGIN = CATALOGUE.margin.permissions!;

/** The rows that measures count, with what each of them adds: the definitions are those of the catalogue. */
const METRIC_VIEWS: readonly MetricView[] = [
  {
    name: 'metric_orders',
    about: 'Orders as metrics count them: yours, and those of which work was passed on to you. Sum a column to get the metric of its name.',
    source: ORDERS,
    keys: {},
    counted: { orders: { measure: 'orders' } },
  },
  {
    name: 'metric_jobs',
    about: 'Jobs as metrics count them: yours, and those that were passed on to you. Sum a column to get the metric of its name.',
    source: JOBS,
    keys: { job_id: ID('j', 'job') },
    counted: {
      jobs: { measure: 'jobs' },
      started_jobs: { measure: 'started_jobs' },
      on_time_starts: { measure: 'on_time_starts' },
      job_hours: { measure: 'job_hours' },
      jobs_to_approve: { measure: 'jobs_to_approve' },
    },
  },
  {
    name: 'metric_loads',
    about: 'Loads as metrics count them: yours, and those of jobs that were passed on to you. Sum a column to get the metric of its name.',
    source: LOADS,
    keys: { load_id: ID('l', 'load'), job_id: ID('j', 'job') },
    counted: {
      loads: { measure: 'loads' },
      delivered_quantity: { measure: 'delivered_quantity' },
      ticketed_quantity: { measure: 'ticketed_quantity' },
      on_site_minutes: {
        measure: 'on_site_minutes',
        about: 'Minutes at both sites together; divide their sum by that of `on_site_loads`.',
      },
      on_site_loads: { measure: 'on_site_minutes', part: 1, about: '1 if `on_site_minutes` is known.' },
      cycle_minutes: { measure: 'cycle_minutes', about: 'Minutes of the cycle that ended with it; divide their sum by that of `cycles`.' },
      cycles: { measure: 'cycle_minutes', part: 1, about: '1 if `cycle_minutes` is known.' },
      loads_to_approve: { measure: 'loads_to_approve' },
    },
  },
  {
    name: 'metric_invoices',
    about: 'Invoices that are not voided as metrics count them. Sum a column by currency to get the metric of its name.',
    source: INVOICES,
    permission: 'view_settlements',
    keys: { invoice_id: ID('i', 'invoice') },
    counted: {
      receivable: { measure: 'receivable' },
      vendor_payable: { measure: 'vendor_payable' },
      driver_payable: { measure: 'driver_payable' },
      payable: { measure: 'payable' },
      receivable_without_tax: {
        measure: 'margin',
        about: 'What adds to the margin: a receivable without tax.',
        permissions: MONEY_OF_MARGIN,
      },
      payable_without_tax: {
        measure: 'margin',
        part: 1,
        about: 'What the margin is less: a payable without tax.',
        permissions: MONEY_OF_MARGIN,
      },
      invoices_to_approve: { measure: 'invoices_to_approve' },
    },
  },
  {
    name: 'metric_material_costs',
    about:
      'Completed loads whose material you bought, from when the invoice of the customer has a price. The margin is `receivable_without_tax`, less `payable_without_tax` of `metric_invoices` and `material_cost_without_payable`.',
    source: BOUGHT,
    permission: 'view_settlements',
    keys: { load_id: ID('l', 'load'), job_id: ID('j', 'job') },
    counted: {
      material_cost: { measure: 'material_cost' },
      material_cost_without_payable: {
        measure: 'margin',
        part: 2,
        about: 'What the margin is less: material of which no payable of a supplier says what it costs.',
        permissions: MONEY_OF_MARGIN,
      },
    },
  },
  {
    name: 'metric_imports',
    about: 'Imported records as metrics count them.',
    source: IMPORTS,
    permission: 'view_imports',
    keys: { imported_record_id: ID('r', 'imported record') },
    counted: { import_failures: { measure: 'import_failures' } },
  },
];

const UNITS: Readonly<Record<string, string>> = {
  metric_loads: 'The unit of the quantities. Add only what has one unit.',
  metric_invoices: 'The currency of the amounts. Add only what has one currency.',
  metric_material_costs: 'The currency of the amounts. Add only what has one currency.',
};

function viewOf({ name, about, source, keys, counted, permission }: MetricView): PublishedView {
  const columns: Record<string, PublishedColumn> = { ...keys };
  for (const [dimension, [column, said]] of Object.entries(DIMENSIONS)) {
    if (dimension !== 'day' && source.by[dimension as keyof Source['by']] === undefined) continue;
    columns[column] ??= { sql: columnOf(source, dimension as MetricDimension, () => ZONE).sql, about: said };
  }
  const parts = Object.values(counted).map(({ measure, part = 0 }): Part => CATALOGUE[measure].parts[part]!);
  const unit = parts.find((part) => part.unit)?.unit;
  if (unit) columns[name === 'metric_loads' ? 'unit_of_measure' : 'currency'] = { sql: unit.sql, about: UNITS[name]! };
  for (const [column, { measure, part = 0, about: said, permissions }] of Object.entries(counted)) {
    const definition = CATALOGUE[measure];
    const needed = (permissions ?? definition.permissions ?? []).filter((one) => one !== permission);
    const masked = needed.length > 0 ? ` Null without ${needed.join(', ')}.` : '';
    columns[column] = { sql: ifMay(needed, definition.parts[part]!.ofRow), about: `${said ?? definition.description}${masked}` };
  }
  const joins = [...new Set(Object.values(source.joins).map(({ sql }) => sql))].filter(Boolean);
  const conditions = [
    ...(source.subcontracted ? [] : [`${source.t}.company_id = any(${COMPANIES})`]),
    ...(source.where ? [source.where] : []),
    ...(permission ? [mayAll(permission)] : []),
  ];
  const text = (sql: string): string => sql.replaceAll(COMPANIES, COMPANY_ARRAY);
  return {
    name,
    about: permission ? `${about} None without ${permission}.` : about,
    columns: Object.fromEntries(Object.entries(columns).map(([column, said]) => [column, { ...said, sql: text(said.sql) }])),
    from: text(
      `from ${rowsOf(source)} ${[...(source.counted ? [source.counted] : []), ...joins].join(' ')}${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}`,
    ),
  };
}

/** As `groupsSql` has them of a company to which work may have been passed on. */
const rowsOf = ({ table, t, subcontracted }: Source): string =>
  subcontracted
    ? `(select * from ${table} where company_id = any(${COMPANIES})
      union all select * from ${table} where company_id <> all(${COMPANIES}) and id in (${subcontracted(COMPANIES)})) ${t}`
    : `${table} ${t}`;

export const metricViews: readonly PublishedView[] = METRIC_VIEWS.map(viewOf);
