import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { REPORTED_UNIT, TICKET_OF_LOAD } from '../../dispatch/model/delivered.ts';
import { convertSql } from '../../dispatch/model/units-of-rates.ts';
import { NO_VISIT, TRUCK_THERE } from '../../proof/review/review-facts.ts';

/** The tolerances of the company of some books (BILLING B10 "default tolerance"), as columns; settings `ts` are in a left join. */
const TOLERATED = `${settingSql('ts', 'matchReportPercent')} / 100 as report_share, ${settingSql('ts', 'matchReportLeast')} as report_least,
      ${settingSql('ts', 'matchScalePercent')} / 100 as scale_share, ${settingSql('ts', 'matchTimePercent')} / 100 as time_share`;
/** Seconds without a position up to which the minutes of positions are those of the work. */
const LONGEST_GAP = 900;
/** By how much the clock of a scale may be wrong. */
const SCALE_CLOCK = "interval '15 minutes'";

const LOADED = 'coalesce(o.summary_loaded_at, o.summary_arrived_pickup_at)';

// A supplier's payable is for the material of a load, and the comparison is of its haulage.
const OF_JOB = `i.job_id = q.job_id and i.company_id = any($2::uuid[]) and i.state <> 'voided' and not i.of_material`;
const SIDE = `case when b.side = 'receivable' then 'customer' when b.payee_driver_id is not null then 'driver' else 'vendor' end`;
/** Codes of an array that apply. */
const codes = (of: Record<string, string>): string =>
  `array_remove(array[${Object.entries(of)
    .map(([code, condition]) => `case when ${condition} then '${code}' end`)
    .join(', ')}], null)`;

/** How the load is paid for: each part of the work, `p`, may have a rate of its own (BILLING B15). */
const BILLED_BY = 'coalesce(p.rate_type, b.rate_type)';
// The rate that was agreed on for a side: the owner notes it, and a link that was passed on has its own.
const AGREED = `case when j.company_id = b.company_id and j.rate_source -> (${SIDE}) ->> 'rate_type' = ${BILLED_BY}
    then (j.rate_source -> (${SIDE}) ->> 'value')::numeric when j.company_id <> b.company_id and a.rate_type = ${BILLED_BY} then a.rate_value end`;

/**
 * The loads of job `q.job_id` in the books of companies $2, with all that is known of each. What is computed in a step is kept (`materialized`): PostgreSQL
 * would put each conversion of units in the place of each of its names, and plan and compute it as often.
 */
const KNOWN = `
  books as (select distinct on (i.job_id, i.company_id, i.side) i.* from invoice i where ${OF_JOB} and i.reason = 'regular'
    order by i.job_id, i.company_id, i.side, i.part, i.id),
  lines as (select i.job_id, i.company_id, i.side, li.load_id, (array_agg(i.id order by i.part))[1] as invoice_id, sum(li.quantity) as quantity,
      sum(coalesce(li.edited_quantity, li.delivered_quantity)) as delivered, sum(li.total_amount) as amount, max(li.rate) filter (where li.corrects_id is null) as rate,
      max(li.rate_type) filter (where li.corrects_id is null) as rate_type, max(li.unit_of_measure) filter (where li.corrects_id is null) as unit,
      max(abs(li.edited_rate - li.work_rate) * li.quantity) as edited_by,
      case when count(distinct i.id) filter (where li.corrects_id is null) > 1 then min(abs(li.total_amount)) filter (where li.corrects_id is null) end as twice
    from invoice i join invoice_line_item li on li.invoice_id = i.id where ${OF_JOB} and li.line_item_type <> 'MaterialRateLineItem' group by 1, 2, 3, 4),
  loads as (select l.*, k.id as ticket_id, k.ticket_number, k.quantity as ticketed, k.replaced_quantity, k.unit_of_measure as ticket_unit,
      ${REPORTED_UNIT} as own_unit, ${TRUCK_THERE} as truck_there, ${NO_VISIT} as no_visit, k.site_id as ticket_site_id,
      row_number() over (order by l.ordinality, l.id) = 1 as is_first,
      case when bool_and(l.summary_has_gps_data) over () and j.gps_longest_gap_seconds <= ${LONGEST_GAP} then sum(l.summary_gps_minutes) over () end as gps_minutes
    from job j join load l on l.job_id = j.id ${TICKET_OF_LOAD}
    where j.id = q.job_id and l.state = 'completed'),
  weighed as (select distinct on (s.load_id, s.company_id) s.* from (select distinct on (w.id) o.id as load_id, w.company_id, w.quantity, w.unit_of_measure,
        abs(${convertSql('w.quantity', 'w.unit_of_measure', 'o.ticket_unit')} - o.ticketed) as difference
      from job j join loads o on o.job_id = j.id join orders r on r.id = j.order_id
        join ticket w on w.order_id = j.order_id and w.equipment_id = j.equipment_id and w.load_id is null and w.voided_at is null
      where j.id = q.job_id and o.ticketed is not null and w.quantity is not null and case
          when w.site_id is null then w.service_date between ${LOADED} and o.summary_load_completed_at
          else w.service_date between ${LOADED} - ${SCALE_CLOCK} and o.summary_load_completed_at + ${SCALE_CLOCK} and w.site_id is distinct from o.ticket_site_id
            and w.site_id <> all(array(
              select s.site_id from waypoint s where s.route_id = coalesce(j.route_id, r.route_id) and s.type = 'pickup' and s.site_id is not null)) end
      order by w.id, greatest(${LOADED} - w.service_date, w.service_date - o.summary_load_completed_at, interval '0'), o.ordinality) s
    where s.difference is not null order by s.load_id, s.company_id, s.difference desc, s.quantity desc),
  units as materialized (select b.company_id, b.side, o.id as load_id, coalesce(o.ticket_unit, o.own_unit) as from_unit, n.unit as line_unit,
      ${convertSql('1.0', 'coalesce(o.ticket_unit, o.own_unit)', 'n.unit')} is not null and n.unit is not null and n.rate_type not like '%Commission' as by_unit
    from books b join loads o on o.job_id = b.job_id left join lines n on n.company_id = b.company_id and n.side = b.side and n.load_id = o.id),
  known as materialized (select b.company_id, b.side, o.id as load_id, b.job_id, b.order_id, o.ticket_id, coalesce(n.invoice_id, b.id) as invoice_id,
      b.customer_account_id, b.vendor_account_id, b.payee_driver_id, b.receivable_company_id, b.vendor_company_id, b.driver_company_id,
      o.ticket_number, b.service_date, case when u.by_unit then u.line_unit else u.from_unit end as unit, u.by_unit,
      round(${convertSql('o.ticketed', 'o.ticket_unit', 'case when u.by_unit then u.line_unit else u.from_unit end')}, 4) as ticket_quantity,
      round(${convertSql(
        'case when o.ticket_id is null then o.quantity else coalesce(o.replaced_quantity, o.quantity) end',
        'o.own_unit',
        'case when u.by_unit then u.line_unit else u.from_unit end',
      )}, 4) as reported_quantity,
      round(${convertSql('w.quantity', 'w.unit_of_measure', 'case when u.by_unit then u.line_unit else u.from_unit end')}, 4) as other_scale_quantity,
      o.truck_there, o.no_visit, n.twice, ${TOLERATED}, case when t.load_id is null and o.is_first then round(t.delivered * 60) end as billed_minutes, case when o.is_first then o.gps_minutes end as gps_minutes,
      round(t.amount / nullif(t.quantity, 0), 4) as hourly, case when u.by_unit then n.delivered end as billed_quantity, n.quantity as paid_quantity, n.rate, n.amount, n.edited_by,
      case when b.by_hand or p.by_hand then ${AGREED} end as agreed, coalesce(p.rate_value, b.rate_value) as rate_value,
      n.load_id is null and b.state not in ('created', 'in_progress') and not exists (select from lines w where w.job_id = b.job_id and w.company_id = b.company_id
        and w.side = b.side and w.load_id is null) as is_unbilled,
      m.vendor_bill_id, m.their_date, m.their_quantity, m.their_rate, m.their_amount,
      ${LOADED} as loaded_at, coalesce(o.summary_unloaded_at, o.summary_load_completed_at) as unloaded_at
    from books b join job j on j.id = b.job_id left join job_assignment a on a.id = b.job_assignment_id join loads o on o.job_id = b.job_id
      join units u on u.company_id = b.company_id and u.side = b.side and u.load_id = o.id
      left join lines n on n.company_id = b.company_id and n.side = b.side and n.load_id = o.id left join invoice p on p.id = n.invoice_id
      left join lines t on t.company_id = b.company_id and t.side = b.side and t.load_id is null and t.rate_type = 'RatePerHour'
      left join weighed w on w.load_id = o.id and w.company_id = b.company_id
      left join company_settings ts on ts.id = b.company_id
      left join load_match m on m.company_id = b.company_id and m.side = b.side and m.load_id = o.id)`;

/** The difference between a ticket and what was reported. */
const REPORTED = 'abs(c.ticket_quantity - c.reported_quantity)';
const IS_TOLERATED = `${REPORTED} <= greatest(c.report_least, c.report_share * abs(c.reported_quantity))`;
/** The difference between the pit's scale and another one. */
const SCALES = 'abs(c.ticket_quantity - c.other_scale_quantity)';
const ARE_SCALES_TOLERATED = `${SCALES} <= c.scale_share * abs(c.ticket_quantity)`;
/** The difference between the minutes that are billed and those of positions. */
const TIMES = 'abs(c.billed_minutes - c.gps_minutes)';
const IS_OTHER_TIME = `${TIMES} > c.time_share * c.gps_minutes`;
const WAS_ELSEWHERE = 'c.truck_there = false';
const DELIVERED = 'coalesce(c.ticket_quantity, c.reported_quantity)';
const OTHER_QUANTITY = `c.their_quantity <> ${DELIVERED}`;
const OTHER_RATE = 'c.their_rate <> c.rate';
/** A job that lasts over midnight is of the day on which it starts, and the ticket of a load after that is of the next one, by which vendors bill it. */
const IS_AFTER_MIDNIGHT = `exists (select from company z where z.id = c.company_id and c.their_date > c.service_date
      and c.their_date in ((c.loaded_at at time zone z.time_zone)::date, (c.unloaded_at at time zone z.time_zone)::date))`;

const COMPARED = `compared as (select c.*,
    ${codes({
      qty_ticket_vs_load: `${REPORTED} > 0 and not (${IS_TOLERATED})`,
      qty_ticket_vs_invoice: 'c.billed_quantity <> c.ticket_quantity',
      qty_scale_vs_scale: `${SCALES} > 0 and not (${ARE_SCALES_TOLERATED})`,
      time_vs_gps: `${WAS_ELSEWHERE} or ${IS_OTHER_TIME}`,
      gps_absent: 'c.no_visit',
      price_vs_order: 'c.edited_by > 0 or c.rate_value <> c.agreed',
      no_ticket: 'c.ticket_id is null and c.by_unit',
      no_invoice: 'c.is_unbilled',
      qty_bill_vs_ticket: OTHER_QUANTITY,
      price_bill_vs_invoice: OTHER_RATE,
      amount_bill_vs_invoice: `c.their_amount is distinct from c.amount and c.vendor_bill_id is not null and not coalesce(${OTHER_QUANTITY}, false)
        and not coalesce(${OTHER_RATE}, false)`,
      date_bill_vs_load: `c.their_date <> c.service_date and not ${IS_AFTER_MIDNIGHT}`,
      twice_billed: 'c.twice is not null',
    })} as variances,
    ${codes({
      qty_ticket_vs_load: `${REPORTED} > 0 and ${IS_TOLERATED}`,
      qty_scale_vs_scale: `${SCALES} > 0 and ${ARE_SCALES_TOLERATED}`,
      time_vs_gps: `${TIMES} > 0 and not ${IS_OTHER_TIME}`,
    })} as tolerated,
    coalesce(greatest(
      case when ${REPORTED} > 0 and not (${IS_TOLERATED}) and c.by_unit then round(${REPORTED} * c.rate, 2) end,
      case when c.by_unit then round(abs(c.billed_quantity - c.ticket_quantity) * c.rate, 2) end,
      case when ${SCALES} > 0 and not (${ARE_SCALES_TOLERATED}) and c.by_unit then round(${SCALES} * c.rate, 2) end,
      case when ${WAS_ELSEWHERE} or c.no_visit then abs(c.amount) end, c.twice, case when ${IS_OTHER_TIME} then round(${TIMES} * c.hourly / 60, 2) end,
      round(c.edited_by, 2), round(abs(c.rate_value - c.agreed) * c.paid_quantity, 2),
      case when c.ticket_id is null and c.by_unit then abs(c.amount) end,
      case when c.is_unbilled then round(${DELIVERED} * c.rate_value, 2) end,
      case when c.vendor_bill_id is not null then abs(c.their_amount - coalesce(c.amount, 0)) end), 0) as amount_at_stake
  from known c)`;

const COLUMNS = [
  ...['company_id', 'side', 'load_id', 'job_id', 'order_id', 'ticket_id', 'invoice_id', 'customer_account_id', 'vendor_account_id'],
  ...['payee_driver_id', 'receivable_company_id', 'vendor_company_id', 'driver_company_id', 'ticket_number', 'service_date'],
  ...[
    'unit_of_measure',
    'ticket_quantity',
    'reported_quantity',
    'billed_quantity',
    'other_scale_quantity',
    'billed_minutes',
    'gps_minutes',
    'rate',
    'amount',
    'variances',
    'tolerated',
    'amount_at_stake',
  ],
];
const KEY = new Set(['company_id', 'side', 'load_id']);
const CHANGING = COLUMNS.filter((column) => !KEY.has(column));
// A waiver holds as long as the same differs, and comes to the same.
const SAME = 'excluded.variances = load_match.variances and excluded.amount_at_stake = load_match.amount_at_stake';
const WAIVED = [
  'waived_at',
  'waive_reason',
  'waived_by_type',
  'waived_by_id',
  'waived_by_name',
  'real_actor_type',
  'real_actor_id',
  'real_actor_name',
];
const resultOf = (of: string): string =>
  `case when cardinality(${of}.variances) > 0 then 'variance' when cardinality(${of}.tolerated) > 0 then 'tolerated' else 'matched' end`;

// Job by job: PostgreSQL expects a handful of rows of each part, and would join the loads of fifty jobs with each other in nested loops.
/**
 * Compares the loads of jobs $1 in the books of companies $2. @returns the sides that changed, and whether a vendor may bill one of their loads that
 * none bills yet
 */
export const MATCH_LOADS = `insert into load_match (id, ${COLUMNS.join(', ')}, result)
select gen_random_uuid(), ${COLUMNS.map((column) => (column === 'unit_of_measure' ? 'c.unit' : `c.${column}`)).join(', ')}, ${resultOf('c')}
from (select distinct unnest($1::uuid[]) as job_id) q cross join lateral (with ${KNOWN},
  ${COMPARED} select * from compared) c
on conflict (load_id, side, company_id) where load_id is not null do update set
  ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')},
  ${WAIVED.map((column) => `${column} = case when ${SAME} then load_match.${column} end`).join(',\n  ')},
  result = case when ${SAME} and load_match.result = 'waived' then 'waived' else excluded.result end, version = load_match.version + 1, updated_at = present_time()
where (${CHANGING.map((column) => `load_match.${column}`).join(', ')}) is distinct from (${CHANGING.map((column) => `excluded.${column}`).join(', ')})
  or (load_match.result <> excluded.result and load_match.result <> 'waived')
returning side = 'payable' and vendor_account_id is not null and vendor_bill_id is null as "mayBeBilled",
  case when exists (select from company_settings bs where bs.id = load_match.company_id and bs.ticket_conflict_blocks) then job_id end as "blockedJobId",
  (select j.company_id from job j where j.id = load_match.job_id) as "ownerId"`;

/** Loads of jobs $1 that vendors may bill in the books of companies $2 are locked, so that what is compared is what is billed when it is written. */
const LOCKED = `locked as materialized (select m.id from load_match m where m.job_id = any($1::uuid[]) and m.company_id = any($2::uuid[])
    and m.vendor_account_id is not null order by m.id for update)`;

/**
 * Forgets loads of jobs $1 that are not billed any more, in the books of companies $2. What a vendor bills for one stays, without the load; so does what
 * one bills that is owed to somebody else by now.
 */
export const FORGET_LOADS = `with ${LOCKED},
  gone as (select m.id from load_match m where (select count(*) from locked) >= 0 and m.job_id = any($1::uuid[]) and m.company_id = any($2::uuid[])
    and not exists (select from load l join invoice i on i.job_id = l.job_id and i.company_id = m.company_id and i.side = m.side and i.state <> 'voided' and not i.of_material
      and i.reason = 'regular' where l.id = m.load_id and l.state = 'completed'
        and (m.vendor_bill_id is null or i.vendor_account_id is not distinct from m.vendor_account_id))),
  kept as (update load_match m set load_id = null, job_id = null, order_id = null, ticket_id = null, invoice_id = null, reported_quantity = null,
      ticket_quantity = null, billed_quantity = null, rate = null, amount = null, variances = '{no_load}', tolerated = '{}', result = 'variance',
      amount_at_stake = abs(m.their_amount), ${WAIVED.map((column) => `${column} = null`).join(', ')},
      version = m.version + 1, updated_at = present_time()
    from gone where gone.id = m.id and m.vendor_bill_id is not null)
delete from load_match m using gone where gone.id = m.id and m.vendor_bill_id is null`;

/** A line `o` of a bill that has no load, of the vendor of load `m`. */
const UNPLACED = `o.load_id is null and o.company_id = m.company_id and o.vendor_account_id = m.vendor_account_id`;
/** A line that names no load names a ticket. */
const BY_LOAD = `o.billed_load_id = m.load_id and ${UNPLACED}`;
const BY_TICKET = `o.billed_load_id is null and lower(btrim(o.ticket_number)) = lower(btrim(m.ticket_number)) and ${UNPLACED}`;

/** Gives loads of jobs $1 what vendors bill for them or their tickets, and has no load yet: one line each, the oldest. @returns a row for each */
export const ADOPT = `with own as materialized (select m.id, m.load_id, m.company_id, m.vendor_account_id, m.ticket_number from load_match m
    where m.job_id = any($1::uuid[]) and m.company_id = any($2::uuid[]) and m.side = 'payable' and m.vendor_bill_id is null and m.vendor_account_id is not null),
  lines as (select m.id, o.id as line, o.created_at from own m join load_match o on ${BY_LOAD}
    union all select m.id, o.id, o.created_at from own m join load_match o on ${BY_TICKET}),
  chosen as (select distinct on (w.line) w.id, w.line from (select distinct on (id) id, line from lines order by id, created_at, line) w order by w.line, w.id),
  held as materialized (select o.id from load_match o where o.id in (select line from chosen) order by o.id for update),
  adopted as (delete from load_match o using chosen c where (select count(*) from held) >= 0 and o.id = c.line
    returning c.id, o.vendor_bill_id, o.billed_load_id, o.their_date, o.their_quantity, o.their_rate, o.their_amount)
update load_match m set vendor_bill_id = a.vendor_bill_id, billed_load_id = a.billed_load_id, their_date = a.their_date, their_quantity = a.their_quantity,
  their_rate = a.their_rate, their_amount = a.their_amount
from adopted a where a.id = m.id returning m.id`;

/** Says of other lines for loads of jobs $1 that these are billed already. */
export const NOTE_TWICE = `with own as materialized (select m.load_id, m.company_id, m.vendor_account_id, m.ticket_number from load_match m
    where m.job_id = any($1::uuid[]) and m.company_id = any($2::uuid[]) and m.side = 'payable' and m.vendor_bill_id is not null),
  named as (select o.id from own m join load_match o on ${BY_LOAD} union select o.id from own m join load_match o on ${BY_TICKET}),
  lines as materialized (select o.id from load_match o where o.id in (select id from named) order by o.id for update)
update load_match o set variances = '{twice_billed}', version = o.version + 1, updated_at = present_time()
from lines where lines.id = o.id and o.variances = '{no_load}'`;
