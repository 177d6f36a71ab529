import { subcontractedJobs, subcontractedOrders } from '../../dispatch/access/subcontracted.ts';
import { InvoiceState } from '../../dispatch/fields/invoice-enums.ts';
import { kept } from '../../dispatch/jobs/overridden-terms.ts';
import { DELIVERED, DELIVERED_UNIT, TICKET_OF_LOAD } from '../../dispatch/model/delivered.ts';
import { JobState, LoadState, OrderState } from '../../dispatch/model/states.ts';
import { convertSql } from '../../dispatch/model/units-of-rates.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import type { MetricDimension, TimeDimension } from './metric-enums.ts';

/** SQL of a value of a row, and the joins of its source that it reads. */
export interface Column {
  sql: string;
  joins?: readonly string[];
}

/** The rows that a measure counts: those of one table, with everything that they may be grouped by. */
export interface Source {
  /** Name of the entity whose rows the viewer sees; its limits are for the alias `t`. */
  entity: string;
  table: string;
  /** Alias of the table in every expression. */
  t: string;
  /** Ids of rows of other companies that were passed on to the companies `p`; absent if there are none. */
  subcontracted?: (p: string) => string;
  /** The rows that hang on it and are counted in its place. */
  counted?: string;
  /** Joins by their names, in the order in which they are written. Each finds one row at most. */
  joins: Readonly<Record<string, { sql: string; after?: readonly string[] }>>;
  /** A condition that all rows meet. */
  where?: string;
  /** The time by which rows belong to a day: an instant, or a day of the company. */
  time: { instant: string } | { date: string /** An instant of at most two days before or after it, which an index has. */; near?: string };
  by: Readonly<Partial<Record<Exclude<MetricDimension, TimeDimension>, Column>>>;
  /** The states that rows which are counted may be in. */
  states: readonly string[];
}

const of = (sql: string, ...joins: string[]): Column => ({ sql, joins });

/** Stops of a type of which no other one is further on in a direction. */
const stop = (route: string, name: string, type: string, direction: '<' | '>'): string =>
  `left join waypoint ${name} on ${name}.route_id = ${route}.route_id and ${name}.type = '${type}' and not exists (
    select from waypoint n where n.route_id = ${name}.route_id and n.type = '${type}' and (n.ordinality, n.id) ${direction} (${name}.ordinality, ${name}.id))`;
/** The first pickup and the last drop-off of a route, as invoices name them. */
const stopsOf = (route: string) => ({
  pickup: { sql: stop(route, 'ps', 'pickup', '<') },
  dropoff: { sql: stop(route, 'ds', 'drop_off', '>') },
});
const AT_STOPS = { pickup_site: of('ps.site_id', 'pickup'), dropoff_site: of('ds.site_id', 'dropoff') };

/** The companies that are counted are always the first parameter. */
export const COMPANIES = '$1::uuid[]';
/** A customer is in the books of the company that owns the work; whoever hauls it for others has these others instead. */
const ofOwner = (owner: string, column: string): string => `case when ${owner}.company_id = any(${COMPANIES}) then ${column} end`;
/** To whom the companies that are counted passed a job on: the first of their links. */
const VENDOR = `(select a.vendor_account_id from job_assignment a
  where a.job_id = j.id and a.customer_company_id = any(${COMPANIES}) and a.vendor_account_id is not null order by a.link limit 1)`;

const JOB_SIDES = {
  company: of('j.company_id'),
  project: of('j.project_id'),
  order: of('j.order_id'),
  customer: of(ofOwner('o', 'o.account_id'), 'order'),
  vendor: of(VENDOR),
  driver: of('j.driver_id'),
  truck: of('j.equipment_id'),
};
const ORDER_OF_JOB = { order: { sql: 'join orders o on o.id = j.order_id' } };

export const ORDERS: Source = {
  entity: 'Order',
  table: 'orders',
  t: 'o',
  subcontracted: subcontractedOrders,
  joins: stopsOf('o'),
  time: { instant: 'o.load_at' },
  by: {
    company: of('o.company_id'),
    project: of('o.project_id'),
    order: of('o.id'),
    customer: of(ofOwner('o', 'o.account_id')),
    material: of('o.material_id'),
    ...AT_STOPS,
    state: of('o.state'),
  },
  states: Object.keys(OrderState),
};

export const JOBS: Source = {
  entity: 'Job',
  table: 'job',
  t: 'j',
  subcontracted: subcontractedJobs,
  joins: {
    ...ORDER_OF_JOB,
    ...stopsOf('j'),
    left: {
      sql: `left join lateral (select coalesce(j.adjusted_logging_started_at, (select min(e.occurred_at) from job_event e
        where e.job_id = j.id and e.event_name = 'ToPickup' and e.undone_at is null)) as at) s on true`,
    },
  },
  time: { instant: 'j.job_start_at' },
  by: { ...JOB_SIDES, material: of('coalesce(j.material_id, o.material_id)', 'order'), ...AT_STOPS, state: of('j.state') },
  states: Object.keys(JobState),
};

/** Loads belong to the day of their job, as in their list and in billing (REMAINING B: `filter[start_date]` of loads). */
export const LOADS: Source = {
  entity: 'Job',
  table: 'job',
  t: 'j',
  subcontracted: subcontractedJobs,
  counted: 'join load l on l.job_id = j.id',
  joins: {
    ...ORDER_OF_JOB,
    ...stopsOf('l'),
    ticket: { sql: TICKET_OF_LOAD },
    before: {
      sql: `left join lateral (select b.summary_arrived_pickup_at as at, b.paused_seconds from load b
        where b.job_id = l.job_id and b.ordinality < l.ordinality and b.state <> 'canceled' and b.summary_arrived_pickup_at is not null
        order by b.ordinality desc limit 1) before on l.state <> 'canceled' and l.summary_arrived_pickup_at is not null`,
    },
  },
  time: { instant: 'j.job_start_at' },
  by: {
    ...JOB_SIDES,
    // As `deliveries` finds it.
    material: of('coalesce(k.material_id, l.material_id, j.material_id, o.material_id)', 'order', 'ticket'),
    ...AT_STOPS,
    state: of('l.state'),
  },
  states: Object.keys(LoadState),
};

/** A quantity in another unit; between weight and volume by the density of its material, in tonnes of a cubic metre. */
function inUnit(quantity: string, from: string, to: string, density: string): string {
  const weight = convertSql(quantity, from, `'Tonne'`);
  const volume = convertSql(quantity, from, `'CubicMeter'`);
  return `coalesce(${convertSql(quantity, from, to)}, ${convertSql(`(${weight} / ${density})`, `'CubicMeter'`, to)}, ${convertSql(`(${volume} * ${density})`, `'Tonne'`, to)})`;
}

/** A price of material: as somebody set it on the load, or as on its job. */
const OF_LOAD = (column: string): string => `case when ${kept('l', column)} then l.${column} else j.${column} end`;

/**
 * The material of completed loads that the company buys (BILLING B8 "Margin"), from when the customer's invoice has a price: before that, only one side of a
 * margin would be known. What a supplier gets for a load is what his payable says, as `owed`.
 */
export const BOUGHT: Source = {
  ...LOADS,
  subcontracted: undefined,
  counted: `join load l on l.job_id = j.id and l.state = 'completed' join company c on c.id = j.company_id
    join orders o on o.id = j.order_id ${TICKET_OF_LOAD}
    left join material m on m.id = ${firstKnown('k.material_id', 'l.material_id', 'j.material_id', 'o.material_id')}
    cross join lateral (select ${DELIVERED} as q, ${DELIVERED_UNIT} as u, ${OF_LOAD('material_rate_unit_of_measure')} as wanted, ${OF_LOAD('material_buy_price')} as price, m.density) d
    cross join lateral (select round(${inUnit('d.q', 'd.u', 'd.wanted', 'd.density')}, 4) as quantity) bought
    left join lateral (select sum(pl.total_amount) as amount from invoice_line_item pl join invoice pi on pi.id = pl.invoice_id
      where pl.load_id = l.id and pi.of_material and pi.company_id = j.company_id and pi.state <> 'voided') owed on true`,
  joins: { ...LOADS.joins, order: { sql: '' }, ticket: { sql: '' } },
  where: `coalesce(d.price, owed.amount) is not null and exists (select from invoice i
    where i.job_id = j.id and i.company_id = j.company_id and i.side = 'receivable' and i.state not in ('created', 'in_progress', 'voided'))`,
  time: { date: '(j.job_start_at at time zone c.time_zone)::date', near: 'j.job_start_at' },
  // A margin is of loads and of invoices, and they have different states.
  by: { ...LOADS.by, state: undefined },
};

/** The account of an invoice for the same job in the same books: voided ones and supplements have the same. */
const inBooks = (account: string, which: string): string => `left join lateral (select b.${account} as id from invoice b
  where b.job_id = i.job_id and b.company_id = i.company_id and ${which} and b.${account} is not null limit 1)`;

/**
 * Invoices in the books of the companies, without voided ones. They have the day of their work in the zone of their books. Both sides of a job have its
 * customer and its vendor, so that a margin by them is what is left of a job's receivable; the pay of a whole day has neither. `rebilled` is what a
 * settlement bills one at instead.
 */
export const INVOICES: Source = {
  entity: 'Invoice',
  table: 'invoice',
  t: 'i',
  joins: {
    customer: { sql: `${inBooks('customer_account_id', `b.side = 'receivable'`)} cu on i.side = 'payable'` },
    vendor: { sql: `${inBooks('vendor_account_id', `b.side = 'payable' and not b.of_material`)} ve on i.vendor_account_id is null` },
    rebilled: { sql: 'left join settlement_invoice re on re.invoice_id = i.id and re.live and re.rebill_rate_value is not null' },
  },
  where: `i.state <> 'voided'`,
  time: { date: 'i.service_date' },
  by: {
    company: of('i.company_id'),
    project: of('i.project_id'),
    order: of('i.order_id'),
    customer: of('coalesce(i.customer_account_id, cu.id)', 'customer'),
    vendor: of('coalesce(i.vendor_account_id, ve.id)', 'vendor'),
    driver: of('coalesce(i.payee_driver_id, i.driver_id)'),
    truck: of('i.equipment_id'),
    material: of('i.material_id'),
    pickup_site: of('i.pickup_site_id'),
    dropoff_site: of('i.dropoff_site_id'),
    state: of('i.state'),
  },
  states: Object.keys(InvoiceState),
};

/** The states of imported records that failed, for now or for good. */
export const FAILED = ['failed', 'exhausted'] as const;

/** Only those that failed are counted: whatever else becomes of an import is in the records that it made. */
export const IMPORTS: Source = {
  entity: 'ImportedRecord',
  table: 'imported_record',
  t: 'r',
  joins: {},
  time: { instant: 'r.import_received_at' },
  by: { company: of('r.company_id'), state: of('r.state') },
  states: FAILED,
};
