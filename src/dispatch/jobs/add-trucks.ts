import { isConnected } from '../../directory/accounts/connections.ts';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { newId } from '../../platform/ids.ts';
import { columnOf, ORDER_FIELDS, type WorkField } from '../fields/work-fields.ts';
import { LOAD_TAKES } from '../loads/load-terms.ts';
import { materialPriceOf, PRICES } from '../pricing/material-price.ts';

/** SPEC Limits: loads per truck. */
const MOST_LOADS = 25;

/** Trucks to add to an order that is already in the database. */
export interface Trucks {
  orderId: string;
  /** The first truck's place in the order, from 1. */
  firstNumber: number;
  count: number;
  /** The order names a vendor, who gets them unless a driver has them. */
  hasVendor: boolean;
  loadsPerTruck?: number | null;
  jobUnitOfMeasure?: string | null;
  jobQuantity?: { toString(): string } | null;
}

/** Runs a statement of which nothing is to be learned. */
export type Write = (sql: string, parameters: unknown[]) => Promise<unknown>;

/** The person or client that the rows name as their author. */
export interface Author {
  type: string;
  id: string | null;
  name: string | null;
  /** The person who acts as the author. */
  realActor?: { type: string; id: string; name: string };
}

/**
 * Returns the loads of a job: as many as requested; by default 1 for jobs measured in loads, otherwise the job quantity (SPEC
 * `loads_per_truck`); 1 to 25.
 */
function loadsPerJob(trucks: Pick<Trucks, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'>): number {
  const asked = trucks.loadsPerTruck ?? (trucks.jobUnitOfMeasure === 'Load' ? 1 : Math.ceil(Number(String(trucks.jobQuantity ?? 1))));
  return Math.min(MOST_LOADS, Math.max(1, Number.isFinite(asked) ? asked : 1));
}

/** Returns `loads_per_truck` of a new order that does not set it (SPEC); null if the quantity of a job is unknown. */
export const loadsPerTruckOf = (trucks: Pick<Trucks, 'loadsPerTruck' | 'jobUnitOfMeasure' | 'jobQuantity'>): number | null =>
  trucks.loadsPerTruck ?? (trucks.jobUnitOfMeasure === 'Load' || trucks.jobQuantity != null ? loadsPerJob(trucks) : null);

/**
 * Adds jobs and their loads to any number of orders, in at most four statements. The database makes the rows from the orders, so that the terms of
 * hundreds of loads are never sent over the network.
 * @param write runs a statement on the caller's transaction, now or with its next one
 * @param rates how the jobs of an order are paid (pricing/rate-source.ts), by order; nothing if absent
 * @returns ids of the jobs, in the order of the trucks
 */
export async function addTrucks(
  write: Write,
  all: readonly Trucks[],
  stamp: { now: Date; by: Author },
  rates: object = {},
): Promise<string[]> {
  const jobs = all.flatMap((trucks) =>
    Array.from({ length: trucks.count }, (_, i) => ({
      id: newId(),
      orderId: trucks.orderId,
      number: trucks.firstNumber + i,
      loads: loadsPerJob(trucks),
    })),
  );
  if (jobs.length === 0) return [];
  const ids = jobs.map((job) => job.id);
  const [orders, numbers] = [jobs.map((job) => job.orderId), jobs.map((job) => job.number)];
  await write(planOnceForFew(INSERT_JOBS, ids.length), [
    ids,
    orders,
    numbers,
    jobs.map((job) => job.loads),
    stamp.now,
    JSON.stringify(rates),
    [...new Set(orders)],
  ]);
  const loads = jobs.flatMap((job) => Array.from({ length: job.loads }, (_, i) => ({ id: newId(), jobId: job.id, ordinality: i + 1 })));
  await insertLoads(write, loads, stamp.now);
  if (all.some(({ hasVendor }) => hasVendor)) await write(planOnceForFew(INSERT_ASSIGNMENTS, ids.length), [ids.map(newId), ids, stamp.now]);
  const { type, id, name, realActor } = stamp.by;
  const author = [type, id, name, realActor?.type, realActor?.id, realActor?.name].map((one) => one ?? null);
  await write(planOnceForFew(INSERT_EVENTS, ids.length), [ids.map(newId), ids.map(newId), ids, stamp.now, ...author]);
  return ids;
}

/**
 * Adds loads to known jobs, with the terms of the jobs. Lock the jobs first.
 * @param returning SQL of what is wanted of them
 */
export async function insertLoads<T>(
  write: (sql: string, parameters: unknown[]) => Promise<T>,
  loads: readonly { id: string; jobId: string; ordinality: number }[],
  now: Date,
  returning = '',
): Promise<T | undefined> {
  if (loads.length === 0) return undefined;
  return write(planOnceForFew(`${INSERT_LOADS}${returning}`, loads.length), [
    loads.map((load) => load.id),
    loads.map((load) => load.jobId),
    loads.map((load) => load.ordinality),
    now,
    [...new Set(loads.map((load) => load.jobId))],
  ]);
}

/**
 * Returns the SQL of the start of the i-th truck: groups of `trucks_per_delay` leave `truck_delay` minutes apart (DOMAIN 1.1 "Start
 * stagger"); the integer division rounds down. The calendar ends with the year 9999, because the text of a timestamp has four digits for
 * it.
 */
export const START_SQL = (number: string): string =>
  `least(coalesce(o.job_start_at, o.load_at) + (${number} - 1) / greatest(1, o.trucks_per_delay) * o.truck_delay * interval '1 minute', '9999-12-31T23:59:59.999Z'::timestamptz)`;

/** Columns that a job takes from its order, and follows until it has left. */
export const TERMS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries<WorkField>(ORDER_FIELDS).flatMap(([field, { job }]) => (job ? [[columnOf(job), `o.${columnOf(field)}`]] : [])),
  ),
  project_id: 'o.project_id',
  load_unit_of_measure: 'coalesce(o.load_unit_of_measure, o.unit_of_measure)',
  service_id: 'o.service_id',
  service_class_id: 'o.service_class_id',
  material_id: 'o.material_id',
  foreman_ids: 'o.foreman_ids',
  collaborator_ids: 'o.collaborator_ids',
  salesperson_ids: 'o.salesperson_ids',
  sales_contact_id: 'o.sales_contact_id',
  foreman_contact_id: 'o.foreman_contact_id',
  supervisor_contact_id: 'o.supervisor_contact_id',
  collaborator_contact_id: 'o.collaborator_contact_id',
  ...Object.fromEntries(['customer', 'vendor', 'driver'].map((side) => [`${side}_rate_id`, `o.${side}_rate_id`])),
  ...Object.fromEntries(Object.entries(PRICES).map(([column, price]) => [column, materialPriceOf(price, `o.material_rate_${price}`)])),
};

// A truck goes to nobody who has left since the order was made, as no other assignment does: it waits for somebody else.
const IS_DRIVEN = '(o.driver_id is not null and d.discarded_at is null)';
const ASSIGNED = `(${IS_DRIVEN} or (o.vendor_id is not null and ov.discarded_at is null))`;

const JOB_COLUMNS: Record<string, string> = {
  id: 'r.id',
  created_at: '$5',
  updated_at: '$5',
  company_id: 'o.company_id',
  order_id: 'o.id',
  number: 'r.number',
  job_id: `o.order_id || '-' || r.number`,
  state: `case when ${ASSIGNED} then 'assigned' else 'created' end`,
  state_changed_at: `case when ${ASSIGNED} then $5::timestamptz end`,
  job_start_at: START_SQL('r.number'),
  ...TERMS,
  // SPEC: an own driver comes with their own truck.
  equipment_id: `coalesce(case when ${IS_DRIVEN} then coalesce(d.equipment_id, d.default_equipment_id) end, o.equipment_id)`,
  driver_id: `case when ${IS_DRIVEN} then o.driver_id end`,
  phase_id: `(select p.id from phase p where p.order_id = o.id and p."primary" order by p.created_at limit 1)`,
  priority: '0',
  billable_hours: '0',
  requested_equipment_type_name: 'et.name',
  requested_equipment_type_accounting_id: 'et.accounting_id',
  requested_loads_count: 'r.loads',
  equipment_type_gross_capacity: 'coalesce(o.equipment_type_gross_capacity, et.gross_capacity)',
  equipment_type_gross_capacity_unit_of_measure:
    'coalesce(o.equipment_type_gross_capacity_unit_of_measure, et.gross_capacity_unit_of_measure)',
  route_id: 'o.route_id',
  rate_source: '$6::jsonb -> o.id::text',
  driver_require_all_permissions: settingSql('cs', 'driverRequireAllPermissions'),
  version: '1',
};

// The orders, and further down the jobs, are looked up by their keys first. If they were joined to hundreds of rows, PostgreSQL would read
// all of the company's, and check the company of each.
const INSERT_JOBS =
  `with o as materialized (select * from orders where id = any($7::uuid[])) insert into job (${Object.keys(JOB_COLUMNS).join(', ')}) select ${Object.values(JOB_COLUMNS).join(', ')}
  from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) r(id, order_id, number, loads) join o on o.id = r.order_id
  left join equipment_type et on et.id = o.equipment_type_id left join app_user d on d.id = o.driver_id
  left join account ov on ov.id = o.vendor_id left join company_settings cs on cs.id = o.company_id`.replaceAll('$5,', '$5::timestamptz,');

const jobsOf = (ids: string) => `j as materialized (select * from job where id = any(${ids}::uuid[]))`;

const INSERT_LOADS = `with ${jobsOf('$5')} insert into load (id, created_at, updated_at, company_id, job_id, order_id, ordinality, load_id, state, ${Object.keys(LOAD_TAKES).join(', ')}, paused_seconds, summary_gps_minutes, version)
  select r.id, $4::timestamptz, $4::timestamptz, j.company_id, j.id, j.order_id, r.ordinality, j.job_id || '-' || r.ordinality, 'created', ${Object.values(
    LOAD_TAKES,
  )
    .map((column) => `j.${column}`)
    .join(', ')}, 0, 0, 1
  from unnest($1::uuid[], $2::uuid[], $3::int[]) r(id, job_id, ordinality) join j on j.id = r.job_id`;

const INSERT_ASSIGNMENTS = `with ${jobsOf('$2')} insert into job_assignment (id, created_at, updated_at, job_id, link, customer_company_id, vendor_company_id, customer_account_id, vendor_account_id, rate_id, rate_value, rate_type)
  select r.id, $3::timestamptz, $3::timestamptz, r.job_id, 0, o.company_id, case when ${isConnected('v')} then v.connected_company_id end,
    (select c.id from account c where ${isConnected('v')} and c.company_id = v.connected_company_id and c.connected_company_id = o.company_id),
    v.id, (select r.id from rate r where r.id = o.vendor_rate_id and (r.account_id is null or r.account_id = v.id)), o.vendor_rate_value, o.vendor_rate_type
  from unnest($1::uuid[], $2::uuid[]) r(id, job_id) join j on j.id = r.job_id join orders o on o.id = j.order_id join account v on v.id = o.vendor_id
  where o.driver_id is null and v.discarded_at is null`;

const INSERT_EVENTS = `with ${jobsOf('$3')} insert into job_event (id, created_at, updated_at, company_id, job_id, event_name, state, event_source, occurred_at, payload, created_by_type, created_by_id, created_by_name,
    real_actor_type, real_actor_id, real_actor_name)
  select e.id, $4::timestamptz, $4::timestamptz, j.company_id, j.id, e.name, e.state, 'automation', $4::timestamptz, e.payload, $5, $6::uuid, $7, $8, $9::uuid, $10
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) r(made, assigned, job_id) join j on j.id = r.job_id join orders o on o.id = j.order_id
  cross join lateral (values (r.made, 'JobCreated', 'created', null::jsonb),
    (r.assigned, 'JobAssigned', 'assigned', case when o.driver_id is not null then jsonb_build_object('driver_id', o.driver_id) else jsonb_build_object('vendor_id', o.vendor_id) end)) e(id, name, state, payload)
  where e.state = 'created' or j.state = 'assigned'`;
