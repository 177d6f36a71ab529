import { settingSql } from '../../../directory/companies/settings/setting-sql.ts';
import type { RateOwnerType } from '../../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../../directory/master-data/units.ts';
import { breaksPaidSql } from '../../../dispatch/drivers/driver-day-figures.ts';
import { kept } from '../../../dispatch/jobs/overridden-terms.ts';
import { deliveries } from '../../../dispatch/model/delivered.ts';
import { workedTimesSql } from '../../../dispatch/model/job-summary.ts';
import { JOB_FINISHED } from '../../../dispatch/model/states.ts';
import { incrementSql, minimumSql, sinceSql, termsSql, typeSql, valueSql } from '../../../dispatch/pricing/rate-statement.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import { isWaived, wantsTickets } from '../../../proof/chasing/missing-tickets.ts';
import { CONFLICTS } from '../../matching/ticket-conflicts.sql.ts';
import { arraySql, type Columns, objectSql } from './arrays.sql.ts';
import type { BooksCompany, FactsOfJob, JobFacts, JobOfOrder, LoadOfJob, MoreOfJob } from './job-facts.ts';
import { EDITED_TIMES, LONGEST_DAY, OTHERS_OF_DAY, PORTAL_MINUTES, SITE_MINUTES } from './job-time.sql.ts';

/** SQL of what the pay of a driver by time is counted by. @param u alias of the driver @param cs alias of the company's settings in a left join */
export const payBySql = (u: string, cs: string): string => `coalesce(${u}.pay_by, ${settingSql(cs, 'driverPayBy')})`;

/** Types of rates that pay for time. */
const BY_TIME: readonly RateType[] = ['RatePerHour', 'RatePerDay'];
/** The sides of a job. */
export const SIDES: readonly RateOwnerType[] = ['customer', 'vendor', 'driver'];
/** A rate that was noted before minimum and increment were has those of its rate card. */
const noted = (
  side: RateOwnerType,
): string => `'${side}', (select json_build_object('rateId', n.rate_id, 'type', n.rate_type, 'value', n.value, 'since', n.since, 'chosen', json_build_object('source', n.source, 'matched', coalesce(n.matched, '[]')), 'terms', coalesce(n.terms, case when not s.value ? 'terms' then ${termsSql('c', 'n.rate_type')} end),
    'minimum', coalesce(n.minimum, case when not s.value ? 'minimum' then ${minimumSql('c', 'n.rate_type')}::text end),
    'increment', coalesce(n.increment, case when not s.value ? 'increment' then ${incrementSql('c', 'n.rate_type')}::text end))
  from (select j.rate_source -> '${side}' as value) s
    cross join jsonb_to_record(s.value) n(rate_id uuid, rate_type text, value text, minimum text, increment text, terms jsonb, since text, source text, matched jsonb)
    left join rate c on c.id = n.rate_id where s.value is not null)`;
const site = (type: string, order: string): string =>
  `(select w.site_id from waypoint w where w.route_id = j.route_id and w.type = '${type}' order by w.ordinality ${order}, w.id ${order} limit 1)`;
/** The companies that approved a record of job `j`: its own company, and those to which it was passed on (`z`). */
const approvedBy = (type: 'Job' | 'Load', own: string, id: string): string => `array_remove(array_append(case when z.linked then array(
    select s.company_id from approval_state s where s.approvable_type = '${type}' and s.approvable_id = ${id} and s.billing_approved_at is not null) end,
    case when ${own}.billing_approved_at is not null then ${own}.company_id end), null)`;

const IS_APPROVED_PAY = `i.payee_driver_id is not null and i.billing_approved_at is not null and i.state <> 'voided'`;
/** Whether driver `u` of job `j` is paid for it with the day: what is approved decides over what was chosen. */
const PAID_BY_DAY = `case when j.driver_day_id is not null and exists (select from invoice i where i.driver_day_id = j.driver_day_id and ${IS_APPROVED_PAY}) then true
    when v.approved_pay then false else coalesce(u.pay_by = 'driver_day', false) end`;

/** The driver of job `j` as `u`, with what their company pays, and the day as `dd`. Somebody else's day pays nobody for the job. */
const OF_DRIVER = `left join lateral (select u.company_id, ${payBySql('u', 'cs')} as pay_by, case when ${settingSql('cs', 'overtimePaid')} then ${settingSql('cs', 'overtimeAfterMinutes')} end as overtime_after,
    ${settingSql('cs', 'breaksPaid')} as breaks_paid from app_user u left join company_settings cs on cs.id = u.company_id where u.id = j.driver_id) u on true
  left join driver_day dd on dd.id = j.driver_day_id`;
const ofOwnDay = (column: string): string => `case when dd.driver_id = j.driver_id then dd.${column} end`;
/** The facts of the invoices of job `j`, as `v`. Supplements have no rate of their own. */
const INVOICED = `cross join lateral (select bool_or(${IS_APPROVED_PAY}) as approved_pay, bool_or(i.counted is not null and i.state <> 'voided') as was_counted,
    bool_or(i.time_terms ->> 'overtimeAfter' is not null and i.state <> 'voided') as had_overtime, array_agg(i.company_id) filter (where i.stack_out_noted) as noted,
    json_agg(concat_ws(' ', i.company_id, i.side, coalesce(i.job_assignment_id::text, ''))) filter (where i.by_hand and i.reason in ('regular', 'partial') and i.state <> 'voided') as by_hand,
    bool_or(i.of_material and i.billing_approved_at is not null and i.state <> 'voided') as bought,
    json_agg(json_build_object('type', i.rate_type, 'terms', i.rate_terms)) filter (where (i.rate_type = 'RatePerDay' or i.rate_terms ?| '{minimumPer,timeBasis}') and i.state <> 'voided') as daily
  from invoice i where i.job_id = j.id) v`;

/**
 * Of job `j`, as `z`: whether it was passed on, and whether it is asked how long it took. That is asked if everything is (of jobs $2, or of all if
 * that is null), and otherwise if a side of it is paid by time; what was agreed on along a link may be that. Most jobs go by what they haul and are
 * in nobody else's books: their events, crossings and links need not be looked up (D-BILLING-375).
 */
const PASSED_ON = `cross join lateral (select y.linked, y.whole, y.whole or y.linked
      or ${SIDES.map((side) => `coalesce(j.rate_source -> '${side}' ->> 'rate_type' = any('{${BY_TIME.join(',')}}'), false)`).join(' or ')} as timed
    from (select exists (select from job_assignment a where a.job_id = j.id) as linked, $2::uuid[] is null or j.id = any($2::uuid[]) as whole offset 0) y
    offset 0) z`;
const ifTimed = (sql: string): string => `case when z.timed then ${sql} end`;

/**
 * SQL of the charges that were requested for some work, and of those that somebody added to its invoices, as `ChargeOfJob` has them; copies
 * of requests are nobody's.
 * @param of the condition of a charge `h`
 * @param ofInvoice the condition of an invoice `hi` of the work
 */
export const chargesSql = (
  of: string,
  ofInvoice: string,
): string => `coalesce((select json_agg(json_build_object('id', h.id, 'since', ${sinceSql('h')}, 'companyId', h.company_id, 'invoiceId', h.add_on_applicable_id, 'addOnId', h.add_on_id,
      'name', h.name, 'quantity', h.quantity::text, 'type', h.revenue_cost_rate_type, 'rate', h.revenue_rate_value::text, 'costRate', h.cost_rate_value::text,
      'percentage', h.percentage::text, 'percentageBase', h.percentage_base, 'taxable', h.taxable, 'uses', a.add_on_types, 'scheduleId', s.id, 'scheduleType', s.surcharge_type) order by h.created_at, h.id)
    from (select h.* from add_on_charge h where ${of} and h.add_on_applicable_id is null
      union all select h.* from invoice hi join add_on_charge h on h.add_on_applicable_id = hi.id and h.requested_by_id is not null
        where ${ofInvoice} and hi.state <> 'voided') h
      left join add_on a on a.id = h.add_on_id left join fuel_surcharge_schedule s on s.id = a.fuel_surcharge_schedule_id), '[]')`;

const onSite = (done: string, site: string): string =>
  `floor(extract(epoch from l.summary_${done}_at - l.summary_arrived_${site}_at) / 60)::int`;

/** What link `a` is paid for, by its rate card `c`. */
const TYPE_OF_LINK = typeSql('a.rate_value', 'a.rate_type', 'c.type');
const OF_RATE_CARD = {
  minimum: `${minimumSql('c', TYPE_OF_LINK)}::text`,
  increment: `${incrementSql('c', TYPE_OF_LINK)}::text`,
  terms: termsSql('c', TYPE_OF_LINK),
  since: sinceSql('c'),
};
/** The agreements for the sides of job `j`, and along its links: as they were noted when the work was done, or else as their rate cards say. */
const AGREED: Columns<Pick<JobFacts, 'rates' | 'links'>> = {
  rates: `json_strip_nulls(json_build_object(${SIDES.map(noted).join(', ')}))`,
  links: `coalesce((select json_agg(json_build_object('id', a.id, 'customerCompanyId', a.customer_company_id, 'vendorCompanyId', a.vendor_company_id,
        'customerAccountId', a.customer_account_id, 'vendorAccountId', a.vendor_account_id, 'ownRate', a.own_rate, 'commission', a.commission_rate_value::text, 'rateId', a.rate_id, 'type', coalesce(n.rate_type, ${TYPE_OF_LINK}),
        'value', coalesce(n.value, coalesce(a.rate_value, ${valueSql('c')})::text),
        ${(['minimum', 'increment', 'terms', 'since'] as const).map((part) => `'${part}', case when n.rate_id = a.rate_id then n.${part} else ${OF_RATE_CARD[part]} end`).join(', ')}) order by a.link)
      from job_assignment a left join rate c on c.id = a.rate_id
        left join lateral jsonb_to_record(case when j.state = any('{${JOB_FINISHED.join(',')}}') then a.rate_noted end)
          n(rate_id uuid, rate_type text, value text, minimum text, increment text, terms jsonb, since text) on n.rate_id = a.rate_id
      where a.job_id = j.id), '[]')`,
};

/** The books of job `j` in which somebody set the rate by hand. */
const BY_HAND = `coalesce(v.by_hand, '[]')`;

/** The prices at which material is sold and bought, and their unit: columns of a load and of its job. */
const PRICES = ['material_sell_price', 'material_buy_price', 'material_rate_unit_of_measure', 'material_rate_supplier_account_id'] as const;
/** The price of load `d` of job `j`: what somebody set on the load stays, whatever the job says (DOMAIN 3.5). */
const priceOf = (column: (typeof PRICES)[number]): string => `(case when ${kept('d', column)} then d.${column} else j.${column} end)::text`;

/**
 * The supplier of the material of load `d` of job `j`: once a payable is approved, the payee of that, so that nobody pays for it twice; otherwise the seller, if
 * its price is known.
 */
const SUPPLIER = `coalesce(case when v.bought then (select bi.vendor_account_id from invoice_line_item bl join invoice bi on bi.id = bl.invoice_id
      where bl.load_id = d.id and bi.of_material and bi.billing_approved_at is not null and bi.state <> 'voided' order by bi.part limit 1) end,
    case when ${priceOf('material_buy_price')} is not null and ${priceOf('material_rate_unit_of_measure')} is not null then ${priceOf('material_rate_supplier_account_id')}::uuid end)`;

/** The deliveries of the loads of job `j`, of order `o`. */
const DELIVERED = deliveries(
  {
    loads: 'load',
    jobs: '(select j.id, j.load_unit_of_measure, j.unit_of_measure, j.material_id)',
    orders: '(select o.id, o.material_id)',
  },
  ...['l.load_id', 'l.ordinality', 'l.version', 'l.company_id', 'l.billing_approved_at', 'm.density', 'k.id as ticket_id'],
  `case when m.density is not null then ${sinceSql('m')} end as density_since`,
  ...[
    'k.version as ticket_version',
    'k.created_at as ticketed_at',
    '(extract(epoch from l.summary_load_completed_at) * 1000000)::bigint as completed_at',
  ],
  `(select json_agg(json_build_object('id', ta.id, 'since', ${sinceSql('ta')}, 'companyId', ta.company_id, 'at', ta.created_at, 'field', ta.field, 'before', ta.before, 'after', ta.after, 'reason', ta.reason) order by ta.created_at, ta.id)
    from ticket_amendment ta where ta.ticket_id = k.id and ta.field in ('quantity', 'unitOfMeasure')) as amendments`,
  ...['l.own_terms', ...PRICES.map((column) => `l.${column}`)],
  ...[`${onSite('loaded', 'pickup')} as at_pickup`, `${onSite('unloaded', 'dropoff')} as at_dropoff`],
);
/** Of load `d`, what its place and its quantity are. */
const OF_LOAD: Columns<JobOfOrder['loads'][number]> = {
  ...{
    id: 'd.id',
    loadId: 'd.load_id',
    ordinality: 'd.ordinality',
    state: 'd.state',
    quantity: 'd.quantity::text',
    unit: 'd.unit_of_measure',
  },
  ...{ materialId: 'd.material_id', density: 'd.density::text', densitySince: 'd.density_since', completedAt: 'd.completed_at' },
};

/** Why the ticket of load `d` of job `j`, of order `o`, does not say its quantity, if somebody expects that (PROOF A4); of one that nobody began, only if there is a ticket. */
const TICKET_PROBLEM = `case when d.ticket_id is null and d.state in ('completed', 'created') then
      case when exists (select from ticket lt where lt.load_id = d.id and lt.voided_at is null) then 'ticket_incomplete'
        when d.state = 'completed' and ${wantsTickets('o')} and not ${isWaived('j.id', 'd.id')} then 'ticket_missing' end end`;

/** Few companies have conflicts keep invoices from being approved, and to ask that is cheaper than to look at each load. */
const BLOCKS = 'exists (select from company_settings bs where bs.id = j.company_id and bs.ticket_conflict_blocks)';

// Each customer and vendor of the job, and each company that is in its books: a row to join with, because policies let no index find either of two. A profile that is found
// twice is the same member of the object.
const PROFILES = `(select json_object_agg(bp.id, json_build_object('poRequired', bp.po_required, 'poPattern', bp.po_pattern, 'exempt', bp.tax_exempt_number is not null,
      'fuelLagWeeks', bp.fuel_lag_weeks, 'breaksPaid', bp.breaks_paid))
    from (select o.account_id as id union all select unnest(array[a.customer_account_id, a.vendor_account_id]) from job_assignment a where a.job_id = j.id) x join billing_profile bp on bp.id = x.id)`;
export const COMPANY: Columns<Required<BooksCompany>> = {
  id: 'c.id',
  since: `${sinceSql('c')}`,
  currency: 'c.currency',
  serviceDate: '(j.job_start_at at time zone c.time_zone)::date',
  fuelDate: `(case when ${settingSql('cs', 'fuelDate')} = 'job_start' then coalesce(j.job_start_at, o.load_at) else o.load_at end at time zone c.time_zone)::date`,
  thinBelow: `${settingSql('cs', 'thinMarginPercent')}`,
  approvesWork: `${settingSql('cs', 'approvalBeforeInvoice')}`,
  cancelNotice: `case when ${settingSql('cs', 'stackOutsRequested')} then ${settingSql('cs', 'cancelNoticeMinutes')} end`,
  stackOutNoted: 'coalesce(c.id = any(v.noted), false)',
};
const COMPANIES = `(select json_agg(${arraySql(COMPANY)} order by c.id <> j.company_id, c.id)
    from (select j.company_id as id union all select a.vendor_company_id from job_assignment a where z.linked and a.job_id = j.id and a.vendor_company_id <> j.company_id
        and not exists (select from job_assignment e where e.job_id = a.job_id and e.vendor_company_id = a.vendor_company_id and e.link < a.link)) x join company c on c.id = x.id
      left join company_settings cs on cs.id = x.id)`;

/** Of load `d` of job `j`, of order `o`, everything. */
export const LOAD: Columns<Required<LoadOfJob>> = {
  ...OF_LOAD,
  version: 'd.version',
  ticketId: 'd.ticket_id',
  ticketVersion: 'd.ticket_version',
  amendments: 'd.amendments',
  ticketProblem: TICKET_PROBLEM,
  ticketedAt: 'd.ticketed_at',
  sellPrice: `${priceOf('material_sell_price')}`,
  buyPrice: `${priceOf('material_buy_price')}`,
  materialUnit: `${priceOf('material_rate_unit_of_measure')}`,
  supplierId: SUPPLIER,
  ownPrice: `coalesce(${kept('d', 'material_rate_unit_of_measure')}, false)`,
  onSite: 'json_build_array(d.at_pickup, d.at_dropoff)',
  approvedBy: `${approvedBy('Load', 'd', 'd.id')}`,
};
/** Of job `j`, of order `o`, what the first column has of it. */
export const JOB: Columns<FactsOfJob> = {
  id: 'j.id',
  version: 'j.version',
  companyId: 'j.company_id',
  orderId: 'j.order_id',
  orderVersion: 'o.version',
  jobId: 'j.job_id',
  startAt: 'j.job_start_at',
  number: 'j.number',
  projectId: 'j.project_id',
  equipmentId: 'j.equipment_id',
  materialId: 'coalesce(j.material_id, o.material_id)',
  driverId: 'j.driver_id',
  driverDayId: `${ofOwnDay('id')}`,
  driverDayVersion: `${ofOwnDay('version')}`,
  paidByDay: PAID_BY_DAY,
  driverCompanyId: 'u.company_id',
  driverCommission: `json_build_object('value', j.driver_commission_rate_value::text, 'type', j.driver_commission_rate_type)`,
  isDayCharged: 'exists (select from add_on_charge dh where dh.driver_day_id = j.driver_day_id and dh.add_on_applicable_id is null)',
  // Nothing is priced by its sites: an invoice notes them, and a preview does not.
  pickupSiteId: `case when z.whole then ${site('pickup', 'asc')} end`,
  dropoffSiteId: `case when z.whole then ${site('drop_off', 'desc')} end`,
  state: 'j.state',
  accountId: 'o.account_id',
  overridingHours: 'case when j.billable_hours_overridden then j.billable_hours::text end',
  approvedMinutes: 'j.approved_work_time_minutes',
  siteMinutes: ifTimed(SITE_MINUTES),
  portalMinutes: ifTimed(PORTAL_MINUTES),
  overtimeAfter: 'u.overtime_after',
  breaksPaid: `${breaksPaidSql('dd', 'u.breaks_paid, false')}`,
  dailyRates: `coalesce(v.daily, '[]')`,
  othersOfDay: `coalesce(${ifTimed(OTHERS_OF_DAY)}, '[]')`,
  editedTimes: `coalesce(${ifTimed(EDITED_TIMES)}, '[]')`,
  hadOvertime: 'coalesce(v.had_overtime, false)',
  byHand: BY_HAND,
  wasCounted: 'coalesce(v.was_counted, false)',
  approvedBy: `${approvedBy('Job', 'j', 'j.id')}`,
  taxRate: 'o.tax_rate::text',
  taxFreight: 'o.tax_freight',
  taxMaterial: 'o.tax_material',
  taxAddOns: 'o.tax_add_ons',
};
export const MORE: Columns<MoreOfJob> = {
  purchaseOrder: 'o.po_job_number',
  profiles: `coalesce(${PROFILES}, '{}')`,
  itemized: 'o.material_rate_itemized',
  canceled: `case when j.state = 'canceled' then (select json_build_object('from', t.from_state, 'at', t.created_at) from transition t
      where t.company_id = j.company_id and t.subject_type = 'Job' and t.subject_id = j.id and t.event = 'cancel' order by t.created_at desc limit 1) end`,
  sellPrice: 'j.material_sell_price::text',
  materialUnit: 'j.material_rate_unit_of_measure',
  rates: AGREED.rates,
  links: `case when z.linked then ${AGREED.links} else '[]' end`,
  loads: `coalesce((select json_agg(${arraySql(LOAD)} order by d.ordinality)
      from (${DELIVERED}) d where d.job_id = j.id), '[]')`,
  companies: COMPANIES,
  conflicts: `case when z.linked or ${BLOCKS} then ${CONFLICTS} else '[]' end`,
  charges: `${chargesSql('h.job_id = j.id', 'hi.job_id = j.id')}`,
};

/**
 * The facts of jobs $1, each by itself, as arrays (facts-in-rows.ts), in parts: a function has no more than 100 arguments. They are text anyway, so none is kept as `jsonb`
 * meanwhile. Of jobs that are not paid by time, how long they took is left out, unless they are among jobs $2, or that is null; `timed` says of which it is there.
 */
export const FACTS = namedStatement(`
select ${arraySql(JOB)} as facts, z.timed,
  ${ifTimed(workedTimesSql('j'))} as worked, ${arraySql(MORE)} as more
from job j join orders o on o.id = j.order_id ${OF_DRIVER} ${INVOICED} ${PASSED_ON}
where j.id = any($1::uuid[])`);

/**
 * The jobs of the day of the driver of each of jobs $1, in the order of the work, without those in states $2: those of the shift on which it hangs, also after
 * midnight; and of the same date, where one of both hangs on no shift yet.
 */
export const SAME_DAY = namedStatement(`with w as materialized (
    select j.id, j.company_id, j.driver_id, j.job_start_at, d.id as day, c.time_zone from job j join company c on c.id = j.company_id
      left join driver_day d on d.id = j.driver_day_id and d.driver_id = j.driver_id where j.id = any($1::uuid[])),
  s as (
    select w.id as of, s.id, s.job_start_at, s.number from w join job s on s.driver_day_id = w.day
      where s.id <> w.id and s.driver_id = w.driver_id and s.company_id = w.company_id and s.state <> all($2::text[])
    union all
    select w.id, s.id, s.job_start_at, s.number from w join job s on s.driver_id = w.driver_id
      where s.id <> w.id and s.company_id = w.company_id and s.state <> all($2::text[])
        and s.job_start_at between w.job_start_at - interval '${LONGEST_DAY} hours' and w.job_start_at + interval '${LONGEST_DAY} hours'
        and (s.job_start_at at time zone w.time_zone)::date = (w.job_start_at at time zone w.time_zone)::date
        and (w.day is null or not exists (select from driver_day d where d.id = s.driver_day_id and d.driver_id = s.driver_id)))
  select of as "jobId", id from s order by job_start_at, number, id`);

/** The jobs of orders $1, without those in states $2, and how much their completed loads count. */
export const OF_ORDERS =
  namedStatement(`select o.id as "orderId", json_build_object('id', j.id, 'number', j.number, 'companyId', j.company_id, 'accountId', o.account_id, 'state', j.state,
    'driverId', j.driver_id, 'driverDayId', ${ofOwnDay('id')}, 'paidByDay', ${PAID_BY_DAY}, 'driverCompanyId', u.company_id, 'byHand', ${BY_HAND}, 'rates', ${AGREED.rates}, 'links', ${AGREED.links},
    'loads', coalesce((select json_agg(${objectSql(OF_LOAD)} order by d.ordinality)
      from (${DELIVERED}) d where d.job_id = j.id and d.state = 'completed'), '[]')) as facts
  from job j join orders o on o.id = j.order_id ${OF_DRIVER} ${INVOICED}
  where j.order_id = any($1::uuid[]) and j.state <> all($2::text[]) order by j.number, j.id`);
