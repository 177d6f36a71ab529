import { firstKnown } from '../../platform/database/first-known.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import { isPaidWithDaySql } from '../invoices/invoiced-work.ts';

const names = (of: string, where = ''): string => `coalesce(array_agg(distinct ${of}) filter (where ${of} is not null${where}), '{}')`;
/** The only value of a column, null if there are several. */
const only = (of: string): string => `case when count(distinct ${of}) = 1 then min(${of}::text) end`;

/** SQL of what line `li` comes to where its invoice is billed anew by `x`; a part that a load does not have then is nothing. */
export const rebilledSql = (x: string, li: string): string => `case when ${x}.rebill_lines is null then ${li}.total_amount
  else coalesce((${x}.rebill_lines ->> concat(${li}.line_item_type, ' ', ${li}.load_id, ' ', ${li}.part))::numeric, 0) end`;

const ofLoad = (sum: string): string => `sum(${sum}) over (partition by invoice_id, line_item_type, load_id)`;
/**
 * SQL: what a line comes to anew is its quantity at the rate that was asked for, or that of all bands of its load together, which are one then. Overtime, and freight
 * of which the price of material is a part, come to more. A share of a day is no product.
 */
const IS_AT_RATE = `rate_type = 'RatePerDay' or round(quantity * asked_rate, 2) = rebill_total
      or load_id is not null and round(${ofLoad('quantity')} * asked_rate, 2) = ${ofLoad('rebill_total')}`;

/** A row about the same line as one of `summed`. */
const same = (t: string): string => `${t}.about = s.about and ${t}.grouping is not distinct from s.grouping and ${t}.rate = s.rate
    and ${t}.rate_type is not distinct from s.rate_type and ${t}.line_item_type = s.line_item_type`;

/**
 * SQL of the lines of settlement $1, one for each $2 (order, job or load) at one rate, grouped by the kinds of $3 in their order. Each group has its
 * subtotal on each of its lines.
 */
export const LINES = `with line as materialized (
    select li.id, li.line_item_type, li.rate, li.rate_type, li.quantity, li.unit_of_measure, li.total_amount, li.pay_start_time, li.pay_end_time,
      li.billing_adjustment_minutes, li.load_id, i.job_id, i.driver_day_id, i.order_id, i.job_assignment_id, i.driver_id, i.equipment_id,
      -- The pay of a day that is for no time begins with the day of its company.
      coalesce(j.job_start_at, li.pay_start_time, (select ${dayStartSql('i.service_date', 'c.time_zone')} from company c where c.id = i.company_id)) as starts_at,
      e.name as equipment, e.external_id, y.name as equipment_type, s.name as service, m.name as material, k.ticket_number,
      -- Another rate is one of freight: the price of material stays. That of a commission is a percentage, which its payee does not read.
      case when li.line_item_type <> 'MaterialRateLineItem' and li.rate_type <> 'RateCommission' then x.rebill_rate_value end as asked_rate, ${rebilledSql('x', 'li')} as rebill_total,
      i.id as invoice_id, i.company_id
    from settlement_invoice x
      join invoice_line_item li on li.invoice_id = x.invoice_id
      join invoice i on i.id = x.invoice_id
      left join job j on j.id = i.job_id
      left join orders o on o.id = i.order_id
      left join load l on l.id = li.load_id
      left join ticket k on k.load_id = li.load_id and k.voided_at is null
      left join equipment e on e.id = i.equipment_id
      left join equipment_type y on y.id = e.equipment_type_id
      left join service s on s.id = o.service_id
      left join material m on m.id = ${firstKnown('k.material_id', 'l.material_id', 'i.material_id')}
    where x.settlement_id = $1),
  grouped as (
    select *, case when ${IS_AT_RATE} then asked_rate end as rebill_rate_value, coalesce(case $2 when 'order' then order_id when 'job' then job_id else coalesce(load_id, job_id) end, driver_day_id) as about,
      case when cardinality($3::text[]) > 0 then array_to_string(array(
        select coalesce(case g when 'material' then material when 'equipment_type' then equipment_type else service end, '')
        from unnest($3::text[]) with ordinality as u(g, n) order by n), ', ') end as grouping
    from line),
  summed as (
    select grouping, about, rate, rate_type, line_item_type, min(starts_at) as date, ${names('external_id')} as trucks,
      ${names('equipment_type')} as types, ${names('equipment')} as equipment, ${names('service')} as services, ${names('material')} as materials,
      ${names('ticket_number')} as tickets, sum(quantity) as quantity, sum(total_amount) as total, sum(rebill_total) as rebilled,
      count(distinct load_id)::int as loads, min(pay_start_time) as pay_start, max(pay_end_time) as pay_end,
      coalesce(sum(billing_adjustment_minutes), 0)::int as minutes, case when count(rebill_rate_value) = count(*) then ${only('rebill_rate_value')} end as rebill_rate,
      ${only('job_assignment_id')}::uuid as link, ${only('driver_id')}::uuid as driver, ${only('unit_of_measure')} as unit
    from grouped group by grouping, about, rate, rate_type, line_item_type),
  -- The pay of a day is for all of its jobs that have none of their own.
  work as (
    select grouping, about, rate, rate_type, line_item_type, load_id, job_id from grouped where job_id is not null
    union select g.grouping, g.about, g.rate, g.rate_type, g.line_item_type, null, j.id from grouped g join job j on j.driver_day_id = g.driver_day_id
      where g.job_id is null and ${isPaidWithDaySql('j', 'g')}),
  named as (
    select w.grouping, w.about, w.rate, w.rate_type, w.line_item_type, min(o.order_id) as first,
      json_agg(json_build_object('orderId', o.id, 'jobId', j.id, 'friendlyJobId', j.job_id, 'friendlyOrderId', o.order_id,
        'loadId', l.id, 'friendlyLoadId', l.load_id, 'loadOrdinality', l.ordinality) order by o.order_id, j.job_id, l.ordinality, l.id) as ids
    from work w join job j on j.id = w.job_id join orders o on o.id = j.order_id left join load l on l.id = w.load_id
    group by 1, 2, 3, 4, 5),
  units as (
    select grouping, about, rate, rate_type, line_item_type, json_agg(json_build_object('quantity', trim_scale(quantity)::text, 'unitOfMeasure', unit_of_measure)
      order by unit_of_measure) as quantities
    from (select grouping, about, rate, rate_type, line_item_type, unit_of_measure, sum(quantity) as quantity from grouped group by 1, 2, 3, 4, 5, 6) u
    where unit_of_measure is not null
    group by 1, 2, 3, 4, 5)
  select s.grouping as "group", sum(s.total) over (partition by s.grouping)::text as subtotal, s.date, s.trucks as "truckExternalIds",
    s.types as "equipmentTypes", s.equipment as "equipmentNames", s.services, s.materials, coalesce(u.quantities, '[]') as quantities, coalesce(n.ids, '[]') as ids,
    s.quantity::text as "totalQuantity", s.rate::text as "rateValue", array_remove(array[s.rate_type], null) as "rateTypes", s.total::text as "totalAmount",
    s.loads as "loadsCount", s.tickets as "ticketNumbers", s.pay_start as "payStartTime", s.pay_end as "payEndTime", s.minutes as "billingAdjustmentMinutes",
    s.rebill_rate as "rebillRateValue", s.rebilled::text as "rebillTotalAmount", s.line_item_type as "lineItemType",
    (select json_build_object('id', a.id, 'vendorAccount', (select json_build_object('id', v.id, 'name', v.name) from account v where v.id = a.vendor_account_id))
      from job_assignment a where a.id = s.link) as "vendorJobAssignment",
    (select json_build_object('id', d.id, 'firstName', d.first_name, 'lastName', d.last_name) from app_user d where d.id = s.driver) as driver,
    case when s.line_item_type = 'MaterialRateLineItem' then s.unit end as "materialRateUnitOfMeasure"
  from summed s left join units u on ${same('u')} left join named n on ${same('n')}
  order by s.grouping, s.date, n.first, s.about, s.line_item_type, s.rate`;
