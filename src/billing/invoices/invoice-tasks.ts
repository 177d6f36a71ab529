import type { EntityManager } from '@mikro-orm/postgresql';
import { JOB_FINISHED, type JobState, type LoadState } from '../../dispatch/model/states.ts';
import { WAGES } from '../../dispatch/pricing/wages.ts';
import { Concerned, type Watched } from '../../platform/commands/concerned.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce, planOnceForFew } from '../../platform/database/planned-once.ts';
import { actOnBehalfOf, definePurpose, withPartnerVisibility } from '../../platform/database/scope.ts';
import { PRICED_COLUMNS } from '../charges/add-on-charge.entity.ts';
import { LONGEST_DAY } from './facts/job-time.sql.ts';
import { NOT_ACCEPTED } from './facts/read-job-facts.ts';
import { repricedBy } from './following/repriced.ts';

/** Claims and ends tasks of all companies, and looks up whose books a job is in. What is written is written as these companies. */
export const INVOICING = definePurpose('invoicing', {
  invoice_task: ['select', 'update', 'delete'],
  job_assignment: ['select (job_id, customer_company_id, vendor_company_id)'],
});

/** Jobs whose invoices are to be compared with the work. */
export const invoicesToCompare = new FollowUps('invoice_task', INVOICING);

/** The prices at which material is sold and bought. */
const PRICES = ['material_sell_price', 'material_buy_price', 'material_rate_unit_of_measure', 'material_rate_supplier_account_id'];
/** The times of a load by which waiting is counted. */
const STAMPS = ['arrived_pickup', 'loaded', 'arrived_dropoff', 'unloaded'].map((step) => `summary_${step}_at`);
/** On what the invoices of a job depend. */
const WATCHED: Watched = {
  Job: new Set([
    ...['state', 'driver_id', 'driver_day_id', 'equipment_id', 'material_id', 'project_id', 'job_start_at', 'billable_hours'],
    ...['billable_hours_overridden', 'approved_work_time_minutes', 'adjusted_logging_started_at', 'adjusted_logging_ended_at'],
    ...['billing_approved_at', 'breaks', ...PRICES, 'unit_of_measure'],
    ...['load_unit_of_measure', 'route_id'],
    ...['customer', 'vendor', 'driver'].flatMap((side) => ['rate_id', 'rate_value', 'rate_type'].map((part) => `${side}_${part}`)),
  ]),
  Load: new Set([
    ...['state', 'summary_load_completed_at', 'quantity', 'unit_of_measure', 'billing_approved_at', 'material_id'],
    ...[...PRICES, ...STAMPS],
  ]),
  Ticket: new Set(['load_id', 'order_id', 'equipment_id', 'service_date', 'quantity', 'unit_of_measure', 'material_id', 'voided_at']),
  Order: new Set([
    // By its day, fuel is charged; and jobs that have not left follow it, with the day of their invoices.
    ...['load_at', 'job_start_at', 'truck_delay', 'trucks_per_delay', 'project_id', 'material_id'],
    'tax_rate',
    'tax_freight',
    'tax_material',
    'tax_add_ons',
    'material_rate_itemized',
    'account_id',
    'po_job_number',
    'chase_missing_tickets',
  ]),
  AddOnCharge: new Set(['job_id', ...PRICED_COLUMNS]),
  Invoice: new Set(['state']),
  DriverDay: new Set([
    ...['started_shift_at', 'ended_shift_at', 'adjusted_started_shift_at', 'adjusted_ended_shift_at', 'shift_adjustment_minutes'],
    ...['first_homebase_exit_at', 'last_homebase_entry_at', 'approved_totals'],
  ]),
  ...WAGES,
  JobAssignment: new Set([
    'rate_id',
    'rate_value',
    'rate_type',
    'own_rate',
    'customer_account_id',
    'vendor_account_id',
    'vendor_company_id',
    'link',
  ]),
};

/** Of an invoice that was voided, its id: it makes room for another one. */
export const voided = ({ id, changes }: AuditRecord): string[] => (changes.state?.[1] === 'voided' ? [id] : []);

/** Of a ticket that got its first load or lost its last one, its id. */
const linked = ({ id, event, changes }: AuditRecord): string[] =>
  event === 'update' && changes.load_id?.some((load) => load === null) ? [id] : [];

/** Of a ticket without a load that is deleted, its order. */
const leftOrder = ({ event, changes }: AuditRecord): readonly unknown[] =>
  event === 'destroy' && !changes.load_id?.[0] ? (changes.order_id ?? []) : [];

const APPROVALS = new Set(['job.missing_tickets_waived', 'job.approved', 'job.unapproved', 'load.approved', 'load.unapproved']);
/** A break may end after the job in which it began. It is in the breaks of all jobs of the day: those that are not finished are priced when they are. */
const BREAKS = 'job.breaks_changed';

/** A record that is made before any work: nothing is invoiced for it yet. */
const isPlanned = ({ type, event, changes }: AuditRecord): boolean =>
  event === 'create' &&
  (type === 'Order' ||
    type === 'User' ||
    type === 'Project' ||
    (type === 'Job' && NOT_ACCEPTED.includes(changes.state?.[1] as JobState)) ||
    (type === 'Load' && changes.state?.[1] === 'created'));

const isUnderWay = (type: string, state: unknown): boolean =>
  type === 'Job'
    ? ![...NOT_ACCEPTED, 'accepted', ...JOB_FINISHED].includes(state as JobState)
    : !['completed', 'canceled'].includes(state as LoadState);

/** A step on the way. Work has a price when it is finished, so that its invoices say the same before and after it. */
const isStep = ({ type, event, changes }: AuditRecord): boolean =>
  event === 'update' &&
  (type === 'Job' || type === 'Load') &&
  changes.state?.every((state) => isUnderWay(type, state)) === true &&
  Object.keys(changes).every((column) => column === 'state' || STAMPS.includes(column) || !WATCHED[type]!.has(column));

const anyTerms = (condition: string): string => `(j.rate_source @? '$.*.terms ? (${condition})'
    or exists (select from job_assignment a where a.job_id = j.id and a.rate_noted -> 'terms' @? '$ ? (${condition})')
    or exists (select from invoice i where i.job_id = j.id and i.rate_terms @? '$ ? (${condition})'))`;
/** A side of job `j` is paid by the time of the whole day. */
const BY_WHOLE_DAY = `(${anyTerms('@.timeBasis == "portal" || @.timeBasis == "shift"')}
    or exists (select from job_assignment a join rate c on c.id = a.rate_id where a.job_id = j.id and c.time_basis in ('portal', 'shift')))`;
/** SQL of the jobs of days $1, and of those of jobs $2, of which a side is paid by the time of the whole day: of it, the time of other jobs takes a part. */
const BY_DAY = `select j.id, j.company_id from job j
  where j.driver_day_id in (select unnest($1::uuid[]) union select o.driver_day_id from job o where o.id = any($2::uuid[]) offset 0) and ${BY_WHOLE_DAY}`;

/**
 * SQL of the jobs with which jobs $1 were paid before: those of days $2 that they left, and those of the drivers $3 whom each left, at about the same time. A
 * job that leaves its day, or its driver, asks for those with which it is paid then.
 */
// Each job is compared with those of its own driver, by the index of these: what the bounds are made of must not be known to be of another table, because
// below row-level security PostgreSQL uses no index for what it cannot prove to keep rows secret.
const BEFORE =
  namedStatement(`select j.id, j.company_id from job j where j.driver_day_id = any($2::uuid[]) and j.id <> all($1::uuid[]) and j.state <> all($4::text[])
  union select j.id, j.company_id from (
      select o.id, o.company_id, p.driver_id, o.job_start_at - interval '${LONGEST_DAY} hours' as since, o.job_start_at + interval '${LONGEST_DAY} hours' as until
      from unnest($1::uuid[], $3::uuid[]) p(id, driver_id) join job o on o.id = p.id where p.driver_id is not null offset 0) o
    cross join lateral (
      select x.id, x.company_id, x.state from job x
      where x.driver_id = o.driver_id and x.job_start_at >= o.since and x.job_start_at <= o.until offset 0) j
    where j.company_id = o.company_id and j.id <> o.id and j.state <> all($4::text[])`);
planOnce(BEFORE);

/** On what the time of a job depends, by which others of its day are paid. */
const TIMES = [
  ...['state', 'driver_day_id', 'billable_hours', 'billable_hours_overridden', 'approved_work_time_minutes', 'breaks'],
  ...['adjusted_logging_started_at', 'adjusted_logging_ended_at'],
];

/** Returns the jobs that are paid by what changed of their days. Work that was passed on is noted with its owner. */
async function paidByDays({ query }: SetTx, concerned: Concerned): Promise<string[]> {
  const days = concerned.ids('DriverDay');
  const timed = concerned.ids('Job', ({ id, changes }) => (TIMES.some((column) => column in changes) ? [id] : []));
  const left = concerned.of('Job').flatMap(({ id, event, changes }) => {
    const [day, driver] = event === 'update' ? [changes.driver_day_id?.[0], changes.driver_id?.[0]] : [];
    return day || driver ? [{ id, day, driver }] : [];
  });
  const rows = await withPartnerVisibility(async () => [
    ...(days.length + timed.length > 0 ? await query<Owned>(BY_DAY, [days, timed]) : []),
    ...(left.length > 0
      ? await query<Owned>(BEFORE, [
          left.map(({ id }) => id),
          [...new Set(left.flatMap(({ day }) => day ?? []))],
          left.map(({ driver }) => driver ?? null),
          NOT_ACCEPTED,
        ])
      : []),
  ]);
  for (const { company_id: companyId } of rows) actOnBehalfOf(companyId);
  return rows.map(({ id }) => id);
}

/** A job with its owner. */
interface Owned {
  id: string;
  company_id: string;
}

// Jobs that nobody has accepted yet have no invoices, unless they were accepted before.
const ASK = namedStatement(`
insert into invoice_task (id, company_id, due_at)
select j.id, j.company_id, now() from job j
where (j.id = any($1::uuid[]) or j.order_id = any($2::uuid[]) or j.id = any(array(select l.job_id from load l where l.id = any($3::uuid[])))
    or j.id = any(array(select b.id from job b where b.id = any($5::uuid[]) and b.state = any($6::text[]))))
  and (j.state <> all($4::text[]) or exists (select from invoice i where i.job_id = j.id))
order by j.id
${invoicesToCompare.again}`);

/** Has the invoices of jobs compared with the work that changed, after the commit. */
export const invoicesOfJobs = defineConsequence(
  'invoices of jobs',
  async (tx, changes) => {
    const concerned = new Concerned(changes, WATCHED, (audit) => isPlanned(audit) || isStep(audit));
    // Each company of a chain approves for itself, which changes no record of the work; nor does it that a ticket will not come, or a break.
    const events = changes.flatMap((records) => records.events);
    const approvals = events.filter(({ name }) => APPROVALS.has(name));
    const breaks = [...new Set(events.flatMap(({ name, id }) => (name === BREAKS ? [id] : [])))];
    const noted = invoicesToCompare.notedIn(changes);
    const repriced = await repricedBy(tx, changes);
    if (concerned.none && approvals.length + breaks.length + noted.length + repriced.jobs.length === 0) return;
    const approved = (of: string) => approvals.filter(({ type }) => type === of).map(({ id }) => id);
    const jobs = [
      ...noted,
      ...repriced.jobs,
      ...(await paidByDays(tx, concerned)),
      ...concerned.ids('Job'),
      ...approved('Job'),
      ...['JobAssignment', 'Ticket', 'AddOnCharge'].flatMap((type) => concerned.inColumn(type, 'job_id')),
    ];
    const loads = [...concerned.ids('Load'), ...approved('Load'), ...concerned.inColumn('Ticket', 'load_id')];
    const [tickets, links, charges, drivers, projects] = ['Ticket', 'JobAssignment', 'AddOnCharge', 'User', 'Project'].map((type) =>
      concerned.ids(type),
    );
    const invoices = concerned.ids('Invoice', voided);
    // The weight of another scale is compared with the quantity that the truck hauled for the order.
    const wereOtherScales = concerned.ids('Ticket', linked);
    const more = [tickets, links, invoices, charges, drivers, projects].some((ids) => ids!.length > 0)
      ? await tx.query<{ id: string }>(
          `select distinct k.job_id as id from ticket k where k.id = any($1::uuid[]) and k.job_id is not null
             union select a.job_id from job_assignment a where a.id = any($2::uuid[])
             union select i.job_id from invoice i where i.id = any($3::uuid[])
             union select h.job_id from add_on_charge h where h.id = any($4::uuid[]) and h.job_id is not null
             union select j.id from job j where (j.driver_id = any($5::uuid[]) or j.project_id = any($6::uuid[]))
               and j.rate_source #>> '{driver,source}' = 'prevailing_wage'
             union select j.id from ticket k join job j on j.order_id = k.order_id and j.equipment_id = k.equipment_id where k.id = any($1::uuid[]) and k.load_id is null or k.id = any($7::uuid[])`,
          [tickets, links, invoices, charges, drivers, projects, wereOtherScales],
        )
      : [];
    const orders = [...concerned.ids('Order'), ...concerned.ids('Ticket', leftOrder)];
    const asked = [...jobs, ...more.map(({ id }) => id)];
    const count = asked.length + orders.length + loads.length + breaks.length;
    if (count > 0) await tx.query(planOnceForFew(ASK, count), [asked, orders, loads, NOT_ACCEPTED, breaks, JOB_FINISHED]);
  },
  { last: true },
);

/** Returns the companies in whose books jobs may be, by their ids: the owner's, and those of the links. */
export async function companiesOfJobs(
  em: EntityManager,
  jobs: readonly { id: string; companyId: string }[],
): Promise<Map<string, string[]>> {
  const rows = await invoicesToCompare.query<{ job: string; id: string }>(em, OF_LINKS, [jobs.map(({ id }) => id)]);
  const linked = Map.groupBy(rows, ({ job }) => job);
  return new Map(jobs.map(({ id, companyId }) => [id, [...new Set([companyId, ...(linked.get(id) ?? []).map((row) => row.id)])]]));
}

const OF_LINKS = `select a.job_id as job, a.customer_company_id as id from job_assignment a where a.job_id = any($1::uuid[])
  union select a.job_id, a.vendor_company_id from job_assignment a where a.job_id = any($1::uuid[]) and a.vendor_company_id is not null order by 1, 2`;
