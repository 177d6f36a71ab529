import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { ALL_WORK, deliveries } from '../../dispatch/model/delivered.ts';
import { breakMinutesSql, jobSummarySql, SEEN_THERE } from '../../dispatch/model/job-summary.ts';
import { incrementSql, minimumSql, termsSql } from '../../dispatch/pricing/rate-statement.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';

/** SQL of what the pay of a driver by time is counted by. @param u alias of the driver @param cs alias of the company's settings in a left join */
export const payBySql = (u: string, cs: string): string => `coalesce(${u}.pay_by, ${settingSql(cs, 'driverPayBy')})`;

/** The sides of a job. */
export const SIDES: readonly RateOwnerType[] = ['customer', 'vendor', 'driver'];
/** A rate that was noted before minimum and increment were has those of its card. */
const noted = (
  side: RateOwnerType,
): string => `'${side}', (select jsonb_build_object('rateId', n.rate_id, 'type', n.rate_type, 'value', n.value, 'terms', coalesce(n.terms, case when not s.value ? 'terms' then ${termsSql('c')} end),
    'minimum', coalesce(n.minimum, case when not s.value ? 'minimum' then ${minimumSql('c')}::text end),
    'increment', coalesce(n.increment, case when not s.value ? 'increment' then ${incrementSql('c')}::text end))
  from (select j.rate_source -> '${side}' as value) s
    cross join jsonb_to_record(s.value) n(rate_id uuid, rate_type text, value text, minimum text, increment text, terms jsonb)
    left join rate c on c.id = n.rate_id where s.value is not null)`;
const site = (type: string, order: string): string =>
  `(select w.site_id from waypoint w where w.route_id = j.route_id and w.type = '${type}' order by w.ordinality ${order}, w.id ${order} limit 1)`;
const approvedBy = (type: 'Job' | 'Load', own: string, id: string): string => `array_remove(array_append(array(
    select s.company_id from approval_state s where s.approvable_type = '${type}' and s.approvable_id = ${id} and s.billing_approved_at is not null),
    case when ${own}.billing_approved_at is not null then ${own}.company_id end), null)`;

const approvedPay = (work: string): string =>
  `exists (select from invoice i where ${work} and i.payee_driver_id is not null and i.billing_approved_at is not null and i.state <> 'voided')`;
const PAID_BY_DAY = `case when ${approvedPay('i.driver_day_id = j.driver_day_id')} then true when ${approvedPay('i.job_id = j.id')} then false
  else (select ${payBySql('u', 'cs')} = 'driver_day' from app_user u left join company_settings cs on cs.id = u.company_id where u.id = j.driver_id) end`;

// Somebody else's day pays nobody for the job.
const OWN_DAY = '(select d.id from driver_day d where d.id = j.driver_day_id and d.driver_id = j.driver_id)';

/**
 * SQL of the charges that were requested for some work, and of those that somebody added to its invoices, as `ChargeOfJob` has them; copies
 * of requests are nobody's.
 * @param of the condition of a charge `h`
 * @param ofInvoice the condition of an invoice `hi` of the work
 */
export const chargesSql = (
  of: string,
  ofInvoice: string,
): string => `coalesce((select jsonb_agg(jsonb_build_object('id', h.id, 'companyId', h.company_id, 'invoiceId', h.add_on_applicable_id, 'addOnId', h.add_on_id,
      'name', h.name, 'quantity', h.quantity::text, 'type', h.revenue_cost_rate_type, 'rate', h.revenue_rate_value::text, 'costRate', h.cost_rate_value::text,
      'percentage', h.percentage::text, 'percentageBase', h.percentage_base, 'taxable', h.taxable, 'uses', a.add_on_types, 'scheduleId', s.id, 'scheduleType', s.surcharge_type) order by h.created_at, h.id)
    from (select h.* from add_on_charge h where ${of} and h.add_on_applicable_id is null
      union all select h.* from invoice hi join add_on_charge h on h.add_on_applicable_id = hi.id and h.requested_by_id is not null
        where ${ofInvoice} and hi.state <> 'voided') h
      left join add_on a on a.id = h.add_on_id left join fuel_surcharge_schedule s on s.id = a.fuel_surcharge_schedule_id), '[]')`;

const seen = (what: string, type: string, at: string): string =>
  `${what}(g.occurred_at) filter (where g.geofence_trigger_type = '${type}' and g.waypoint_type = '${at}')`;
const SITE_MINUTES = `(select floor(extract(epoch from x.until - x.since) / 60)::int - ${breakMinutesSql('j', 'x.since', 'x.until')}
  from (select ${seen('min', 'enter', 'pickup')} as since, ${seen('max', 'exit', 'drop_off')} as until from geofence_trigger g where g.job_id = j.id and ${SEEN_THERE}) x
  where x.until >= x.since)`;
const PORTAL_MINUTES = `(select greatest(0, floor(extract(epoch from d.last_homebase_entry_at - d.first_homebase_exit_at) / 60)::int + d.shift_adjustment_minutes
    - case when ${settingSql('cs', 'breaksPaid')} then 0 else coalesce((select sum(floor(extract(epoch from
        least(e.ended_at, d.last_homebase_entry_at) - greatest(e.started_at, d.first_homebase_exit_at)) / 60))::int from driver_state_event e
      where e.driver_day_id = d.id and e.state = 'break' and e.ended_at > d.first_homebase_exit_at and e.started_at < d.last_homebase_entry_at), 0) end)
  from driver_day d left join company_settings cs on cs.id = d.company_id
  where d.id = j.driver_day_id and d.last_homebase_entry_at >= d.first_homebase_exit_at)`;

const onSite = (done: string, site: string): string =>
  `floor(extract(epoch from l.summary_${done}_at - l.summary_arrived_${site}_at) / 60)::int`;

/** What is agreed on for the sides of job `j`, and along its links. */
const AGREED = `'rates', jsonb_strip_nulls(jsonb_build_object(${SIDES.map(noted).join(', ')})),
    'links', coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'customerCompanyId', a.customer_company_id, 'vendorCompanyId', a.vendor_company_id,
        'customerAccountId', a.customer_account_id, 'vendorAccountId', a.vendor_account_id, 'rateId', a.rate_id, 'type', coalesce(a.rate_type, c.type),
        'value', coalesce(a.rate_value, c.time_rate, c.unit_rate, c.commission_percentage, c.commission_amount, c.flat_amount)::text,
        'minimum', ${minimumSql('c')}::text, 'increment', ${incrementSql('c')}::text, 'terms', ${termsSql('c')}) order by a.link)
      from job_assignment a left join rate c on c.id = a.rate_id where a.job_id = j.id), '[]')`;

/** The books of job `j` in which somebody set the rate by hand. */
const BY_HAND = `'byHand', coalesce((select jsonb_agg(concat_ws(' ', i.company_id, i.side, coalesce(i.job_assignment_id::text, ''))) from invoice i
      where i.job_id = j.id and i.by_hand and i.reason in ('regular', 'partial') and i.state <> 'voided'), '[]')`;

/** The microsecond at which load `l` was completed. */
const COMPLETED_AT = `'completedAt', (extract(epoch from l.summary_load_completed_at) * 1000000)::bigint`;
/** The density of the material of delivery `d`. */
const DENSITY = `'materialId', d.material_id, 'density', (select m.density::text from material m where m.id = d.material_id)`;

/** The facts of job $1 by itself. */
export const FACTS = namedStatement(`
select jsonb_build_object('id', j.id, 'version', j.version, 'companyId', j.company_id, 'orderId', j.order_id, 'jobId', j.job_id, 'startAt', j.job_start_at, 'number', j.number, 'projectId', j.project_id, 'equipmentId', j.equipment_id,
    'materialId', coalesce(j.material_id, o.material_id), 'driverId', j.driver_id, 'driverDayId', ${OWN_DAY}, 'paidByDay', coalesce(${PAID_BY_DAY}, false), 'driverCompanyId', (select u.company_id from app_user u where u.id = j.driver_id),
    'pickupSiteId', ${site('pickup', 'asc')}, 'dropoffSiteId', ${site('drop_off', 'desc')}, 'state', j.state, 'accountId', o.account_id,
    'overridingHours', case when j.billable_hours_overridden then j.billable_hours::text end, 'approvedMinutes', j.approved_work_time_minutes,
    'workedMinutes', (s.summary ->> 'workTimeMinutes')::int, 'siteMinutes', ${SITE_MINUTES}, 'portalMinutes', ${PORTAL_MINUTES},
    'overtimeAfter', (select case when ${settingSql('cs', 'overtimePaid')} then ${settingSql('cs', 'overtimeAfterMinutes')} end
      from app_user u left join company_settings cs on cs.id = u.company_id where u.id = j.driver_id),
    ${BY_HAND}, 'wasCounted', exists (select from invoice i where i.job_id = j.id and i.counted is not null and i.state <> 'voided'),
    'startedAt', coalesce(s.summary ->> 'adjustedLoggingStartedAt', s.summary ->> 'loggingStartedAt'),
    'endedAt', coalesce(s.summary ->> 'adjustedLoggingEndedAt', s.summary ->> 'loggingEndedAt'),
    'approvedBy', ${approvedBy('Job', 'j', 'j.id')}, 'taxRate', o.tax_rate::text, 'taxFreight', o.tax_freight, 'taxMaterial', o.tax_material, 'taxAddOns', o.tax_add_ons,
    'purchaseOrder', o.po_job_number, 'profiles', coalesce((select jsonb_object_agg(bp.id, jsonb_build_object('poRequired', bp.po_required, 'poPattern', bp.po_pattern,
        'exempt', bp.tax_exempt_number is not null, 'fuelLagWeeks', bp.fuel_lag_weeks))
      from billing_profile bp where bp.id = o.account_id or bp.id in (select a.customer_account_id from job_assignment a where a.job_id = j.id)), '{}'),
    'itemized', o.material_rate_itemized, 'buyPrice', j.material_buy_price::text,
    'canceled', case when j.state = 'canceled' then (select jsonb_build_object('from', t.from_state, 'at', t.created_at) from transition t
      where t.company_id = j.company_id and t.subject_type = 'Job' and t.subject_id = j.id and t.event = 'cancel' order by t.created_at desc limit 1) end, 'sellPrice', j.material_sell_price::text, 'materialUnit', j.material_rate_unit_of_measure,
    ${AGREED},
    'loads', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'loadId', l.load_id, 'ordinality', l.ordinality, 'state', d.state, 'version', l.version, 'quantity', d.quantity::text,
        'unit', d.unit_of_measure, 'ticketId', k.id, 'ticketVersion', k.version, 'ticketedAt', k.created_at, ${DENSITY}, ${COMPLETED_AT},
        'onSite', array[${onSite('loaded', 'pickup')}, ${onSite('unloaded', 'dropoff')}], 'approvedBy', ${approvedBy('Load', 'l', 'l.id')}) order by l.ordinality)
      from (${deliveries(ALL_WORK)}) d join load l on l.id = d.id left join ticket k on k.load_id = d.id and k.voided_at is null and k.quantity is not null
      where d.job_id = j.id), '[]'),
    'companies', (select jsonb_agg(jsonb_build_object('id', c.id, 'currency', c.currency, 'serviceDate', (j.job_start_at at time zone c.time_zone)::date,
        'fuelDate', (o.load_at at time zone c.time_zone)::date, 'thinBelow', ${settingSql('cs', 'thinMarginPercent')},
        'cancelNotice', case when ${settingSql('cs', 'stackOutsRequested')} then ${settingSql('cs', 'cancelNoticeMinutes')} end,
        'stackOutNoted', exists (select from invoice i where i.job_id = j.id and i.company_id = c.id and i.stack_out_noted)))
      from company c left join company_settings cs on cs.id = c.id
      where c.id = j.company_id or c.id in (select a.vendor_company_id from job_assignment a where a.job_id = j.id)),
    'charges', ${chargesSql('h.job_id = j.id', 'hi.job_id = j.id')}) as facts
from job j join orders o on o.id = j.order_id cross join lateral (select ${jobSummarySql('j')}::jsonb as summary) s
where j.id = $1`);

/** The jobs of the driver and date of job $1, in the order of the work, without those in states $2. */
export const SAME_DAY = namedStatement(`select s.id from job j join company c on c.id = j.company_id join job s on s.driver_id = j.driver_id
  where j.id = $1 and s.id <> j.id and s.company_id = j.company_id and s.state <> all($2::text[])
    and s.job_start_at between j.job_start_at - interval '1 day' and j.job_start_at + interval '1 day'
    and (s.job_start_at at time zone c.time_zone)::date = (j.job_start_at at time zone c.time_zone)::date
  order by s.job_start_at, s.number, s.id`);

/** The other jobs of the order of job $1, without those in states $2, and how much their completed loads count. */
export const SAME_ORDER =
  namedStatement(`select jsonb_build_object('id', j.id, 'number', j.number, 'companyId', j.company_id, 'accountId', o.account_id, 'state', j.state,
    'driverId', j.driver_id, 'driverDayId', ${OWN_DAY}, 'paidByDay', coalesce(${PAID_BY_DAY}, false),
    'driverCompanyId', (select u.company_id from app_user u where u.id = j.driver_id), ${BY_HAND}, ${AGREED},
    'loads', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'loadId', l.load_id, 'ordinality', l.ordinality, 'state', d.state, 'quantity', d.quantity::text,
        'unit', d.unit_of_measure, ${DENSITY}, ${COMPLETED_AT}) order by l.ordinality)
      from (${deliveries(ALL_WORK)}) d join load l on l.id = d.id where d.job_id = j.id and d.state = 'completed'), '[]')) as facts
  from job own join job j on j.order_id = own.order_id join orders o on o.id = j.order_id
  where own.id = $1 and j.id <> own.id and j.state <> all($2::text[]) order by j.number, j.id`);
