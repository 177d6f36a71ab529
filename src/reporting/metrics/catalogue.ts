import { DELIVERED, DELIVERED_UNIT } from '../../dispatch/model/delivered.ts';
import { jobSummarySql } from '../../dispatch/model/job-summary.ts';
import { cycleMinutes, LONGEST_CYCLE } from '../../dispatch/model/load-figures.ts';
import { JOB_FINISHED } from '../../dispatch/model/states.ts';
import type { Metric } from './metric-enums.ts';
import { BOUGHT, COMPANIES, type Column, FAILED, IMPORTS, INVOICES, JOBS, LOADS, ORDERS, type Source } from './sources.ts';

/** A sum over rows of a source. Sums of groups add up to the sum of all, whatever is made of them. */
export interface Part extends Column {
  source: Source;
  /** SQL of what a row adds to the sum. */
  ofRow: string;
  /** SQL of the unit in which a row is counted; absent of numbers and of minutes and hours. */
  unit?: Column;
}

/** One measure: the only place that says what its number means. */
export interface Measure {
  description: string;
  parts: readonly Part[];
  /** SQL of the value of the sums of its parts; by default the only sum. */
  value?: (...sums: string[]) => string;
  /** The unit of all values; absent if they have the unit of their rows, or are plain counts. */
  unit?: 'minutes' | 'hours';
  /** A group without rows has no value, instead of zero. */
  mean?: true;
  /** The permissions to read it: people with all of them do, those who read own records only for these. Without any, everybody reads as much as they see of it. */
  permissions?: readonly string[];
}

/** After the planned start of a job, minutes within which its driver left in time. */
const GRACE = 5;

const count = (source: Source, condition?: string, ...joins: string[]): Part => ({
  source,
  joins,
  sql: condition ? `count(*) filter (where ${condition})` : 'count(*)',
  ofRow: condition ? `(case when ${condition} then 1 else 0 end)` : '1',
});
const sum = (source: Source, value: string, condition?: string, more: Pick<Part, 'joins' | 'unit'> = {}): Part => ({
  source,
  ...more,
  sql: condition ? `sum(${value}) filter (where ${condition})` : `sum(${value})`,
  ofRow: condition ? `(case when ${condition} then ${value} end)` : value,
});
const minutes = (from: string, to: string): string => `floor(extract(epoch from ${to} - ${from}) / 60)`;
/** Minutes at a site, as a load says them. */
const stay = (from: string, to: string): string =>
  `case when l.summary_${from} is null or l.summary_${to} is null then 0 else greatest(0, ${minutes(`l.summary_${from}`, `l.summary_${to}`)}) end`;
const STAYED = `l.state <> 'canceled' and ((l.summary_arrived_pickup_at is not null and l.summary_loaded_at is not null)
  or (l.summary_arrived_dropoff_at is not null and l.summary_unloaded_at is not null))`;
/** The cycle that ends with load `l`, as its job and its order count it (PROOF A6): one over a night is no usual one. */
const CYCLE = cycleMinutes('l.summary_arrived_pickup_at', 'before.at', 'before.paused_seconds');
const IS_CYCLE = `before.at is not null and ${CYCLE} <= ${LONGEST_CYCLE}`;
const mean = (sum: string, rows: string): string => `round(${sum} / nullif(${rows}, 0), 1)`;

const BY_UNIT: Column = { sql: DELIVERED_UNIT, joins: ['ticket'] };
const quantity = (condition: string): Part =>
  sum(LOADS, DELIVERED, `l.state = 'completed'${condition}`, { joins: ['ticket'], unit: BY_UNIT });

/** What is owed by an invoice: as it says, or as the settlement says that bills it anew at another rate. */
const OWED = 'coalesce(re.rebill_total_amount, i.total_amount)';
const PRETAX =
  'coalesce(re.rebill_total_amount - coalesce(re.rebill_tax_total_amount, 0), i.total_amount - coalesce(i.tax_total_amount, 0))';
const money = (side: string, of = OWED): Part => sum(INVOICES, of, side, { unit: { sql: 'i.currency' }, joins: ['rebilled'] });
const TO_DRIVERS = `i.side = 'payable' and i.payee_driver_id is not null`;
const PRICE_OF_MATERIAL = 'round(bought.quantity * d.price, 2)';
const IN_ITS_CURRENCY = { unit: { sql: 'c.currency' } };
const BOUGHT_FOR: Part = sum(BOUGHT, `coalesce(owed.amount, ${PRICE_OF_MATERIAL})`, undefined, IN_ITS_CURRENCY);
/** The cost of material that no payable of a supplier has. */
const NOT_OWED: Part = sum(BOUGHT, PRICE_OF_MATERIAL, 'owed.amount is null', IN_ITS_CURRENCY);
const minus = (first: string, ...others: string[]): string =>
  `coalesce(${first}, 0)${others.map((other) => ` - coalesce(${other}, 0)`).join('')}`;

/** Invoices are read with this, and money with what shows the rates of its side (src/billing/invoices/invoice.access.ts). */
const READS = 'view_settlements';
const [CUSTOMER, VENDOR, DRIVER] = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'];

export const HOURS = `round(case when j.billable_hours_overridden then j.billable_hours
  else coalesce(j.approved_work_time_minutes, (${jobSummarySql('j')} ->> 'workTimeMinutes')::int) / 60.0 end, 4)`;

/** Each company along a chain approves for itself (PROOF A2), so a total is that of the list that the company reads. */
const unapproved = (type: 'Job' | 'Load', t: string): string => `case when j.company_id = any(${COMPANIES}) then ${t}.approved_at is null
  else not exists (select from approval_state a where a.approvable_id = ${t}.id and a.approvable_type = '${type}'
    and a.company_id = any(${COMPANIES}) and a.approved_at is not null) end`;

/** Work waits for an approval while its order is under way or over (DOMAIN 1.4): the lists of what waits have it then. */
const WAITS = "o.state in ('in_progress', 'completed')";

/** Every measure. */
export const CATALOGUE: Readonly<Record<Metric, Measure>> = {
  orders: { description: 'Orders, in all states.', parts: [count(ORDERS)] },
  jobs: { description: 'Jobs, in all states.', parts: [count(JOBS)] },
  started_jobs: { description: 'Jobs whose driver has left for them.', parts: [count(JOBS, 's.at is not null', 'left')] },
  on_time_starts: {
    description: `Jobs whose driver left for them by the planned start, or at most ${GRACE} minutes later.`,
    parts: [count(JOBS, `s.at <= j.job_start_at + interval '${GRACE} minutes'`, 'left')],
  },
  job_hours: {
    description: 'Billable hours of finished jobs, as `billable_hours` says them.',
    parts: [sum(JOBS, HOURS, `j.state in ('${JOB_FINISHED.join("', '")}')`)],
    unit: 'hours',
  },
  jobs_to_approve: {
    description: 'Finished jobs that your company has not approved yet, of orders that are under way or over.',
    parts: [count(JOBS, `j.state in ('completed', 'ended', 'in_review') and ${WAITS} and ${unapproved('Job', 'j')}`, 'order')],
  },
  loads: { description: 'Completed loads, on the day of their job.', parts: [count(LOADS, `l.state = 'completed'`)] },
  delivered_quantity: {
    description: 'The quantity that completed loads delivered: by their tickets, otherwise as reported.',
    parts: [quantity('')],
  },
  ticketed_quantity: { description: 'The part of it that tickets prove.', parts: [quantity(' and k.id is not null')] },
  on_site_minutes: {
    description: 'Mean minutes of a load at its pickup and drop-off together.',
    parts: [
      sum(LOADS, `${stay('arrived_pickup_at', 'loaded_at')} + ${stay('arrived_dropoff_at', 'unloaded_at')}`, STAYED),
      count(LOADS, STAYED),
    ],
    value: mean,
    unit: 'minutes',
    mean: true,
  },
  cycle_minutes: {
    description: `Mean minutes from arrival to arrival at the pickup, over consecutive loads of a job; without cycles of more than ${LONGEST_CYCLE / 60} hours.`,
    parts: [sum(LOADS, CYCLE, IS_CYCLE, { joins: ['before'] }), count(LOADS, IS_CYCLE, 'before')],
    value: mean,
    unit: 'minutes',
    mean: true,
  },
  loads_to_approve: {
    description: 'Completed loads that your company has not approved yet, of orders that are under way or over.',
    parts: [count(LOADS, `l.state = 'completed' and ${WAITS} and ${unapproved('Load', 'l')}`, 'order')],
  },
  receivable: {
    description:
      'The sum that customers owe, with tax: the totals of receivables that are not voided, or what a settlement bills them anew at.',
    parts: [money(`i.side = 'receivable'`)],
    permissions: [READS, CUSTOMER],
  },
  vendor_payable: {
    description:
      'The sum that is owed to vendors, also for material: the totals of their payables that are not voided, or what they are billed anew at.',
    parts: [money(`i.side = 'payable' and i.payee_driver_id is null`)],
    permissions: [READS, VENDOR],
  },
  driver_payable: {
    description: 'The sum that is owed to drivers: the totals of their payables that are not voided, or what they are billed anew at.',
    parts: [money(TO_DRIVERS)],
    permissions: [READS, DRIVER],
  },
  payable: {
    description: 'The sum that is owed to vendors and drivers together.',
    parts: [money(`i.side = 'payable'`)],
    permissions: [READS, VENDOR, DRIVER],
  },
  material_cost: {
    description: "The price for which the material of completed loads was bought, once the customer's invoice has a price.",
    parts: [BOUGHT_FOR],
    // What suppliers' invoices say of it is read with invoices alone.
    permissions: [READS, VENDOR],
  },
  margin: {
    description: 'Receivables without tax, less payables and the bought material of which no payable says what it costs.',
    parts: [money(`i.side = 'receivable'`, PRETAX), money(`i.side = 'payable'`, PRETAX), NOT_OWED],
    value: minus,
    permissions: [READS, CUSTOMER, VENDOR, DRIVER],
  },
  invoices_to_approve: {
    description: 'Invoices that can be approved, and nobody has.',
    parts: [count(INVOICES, `i.state = 'pending' and i.blockers = '{}'`)],
    permissions: [READS],
  },
  import_failures: {
    description: 'Imported records that failed, for now or for good, by when they were received.',
    parts: [count(IMPORTS, `r.state in ('${FAILED.join("', '")}')`)],
    permissions: ['view_imports'],
  },
};

/** The unit of a measure's values: of the rows, of all, or none. */
export const isByUnit = (measure: Measure): boolean => measure.parts.some(({ unit }) => unit !== undefined);
