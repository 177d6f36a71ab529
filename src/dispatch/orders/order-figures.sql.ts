import { jobOfPerson, ofLedOrder } from '../access/own-work.sql.ts';
import { deliveredJson, deliveries } from '../model/delivered.ts';
import { CYCLE_MEAN, wholeMinutes } from '../model/load-figures.ts';
import { convertSql } from '../model/units-of-rates.ts';

/** The ordered quantity in the unit of the capacity; null if the units do not convert. A missing unit is taken to be the other one. */
const REQUESTED_IN_CAPACITY = convertSql(
  'o.quantity',
  'coalesce(o.unit_of_measure, o.equipment_type_gross_capacity_unit_of_measure)',
  'coalesce(o.equipment_type_gross_capacity_unit_of_measure, o.unit_of_measure)',
);
const ORDERS = `select o.id, o.material_id, o.quantity, o.unit_of_measure, o.load_unit_of_measure, o.equipment_type_gross_capacity, o.equipment_type_gross_capacity_unit_of_measure,
    ${REQUESTED_IN_CAPACITY} as requested_in_capacity, o.company_id = any($2::uuid[]) as own from orders o`;
/** Jobs `j` of orders `o` that are counted. */
const jobsSeen = (person: string): string =>
  `(o.own or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any($2::uuid[])))${person && ` and ${jobOfPerson('j', person)}`}`;
const OF_JOBS = `j.id, j.order_id, j.state, j.driver_id, j.material_id, j.gps_distance_meters, j.load_unit_of_measure, j.unit_of_measure`;
/** Counts of jobs `j`. */
const JOBS = `count(*)::int as jobs, sum(j.gps_distance_meters) as travelled,
    count(*) filter (where j.state = 'accepted')::int as accepted,
    count(*) filter (where j.state = 'assigned')::int as assigned,
    count(*) filter (where j.state = 'sent')::int as sent,
    count(*) filter (where j.state not in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled'))::int as started,
    count(*) filter (where j.state in ('created', 'rejected') or (j.state = 'accepted' and j.driver_id is null))::int as actionable`;
const OF_LOADS = `l.id, l.job_id, l.order_id, l.state, l.quantity, l.unit_of_measure, l.material_id, l.approved_at, l.summary_travelled_distance_meters,
    l.summary_arrived_pickup_at, l.summary_loaded_at, l.summary_arrived_dropoff_at, l.summary_unloaded_at, lag(l.summary_arrived_pickup_at) over cycle as previous_pickup_at, lag(l.paused_seconds) over cycle as previous_paused`;
const CYCLES = "window cycle as (partition by l.job_id, l.state = 'canceled', l.summary_arrived_pickup_at is null order by l.ordinality)";
/** The mean of the minutes at a site. What is canceled is left out: a load that was handed over counts as the one that continues it. */
const meanAtSite = (left: string, arrived: string): string =>
  `coalesce(round(avg(${wholeMinutes(left, arrived)}) filter (where l.state <> 'canceled')), 0)::int`;
/** Counts and averages of loads `l`. */
const LOADS = `count(*) filter (where l.state <> 'canceled')::int as loads,
    count(*) filter (where l.state = 'completed')::int as delivered,
    count(*) filter (where l.approved_at is not null)::int as approved,
    min(l.summary_unloaded_at) as first_unloaded,
    sum(l.summary_travelled_distance_meters) as travelled,
    ${CYCLE_MEAN} as cycle,
    ${meanAtSite('l.summary_loaded_at', 'l.summary_arrived_pickup_at')} as pickup,
    ${meanAtSite('l.summary_unloaded_at', 'l.summary_arrived_dropoff_at')} as dropoff`;
/** Tickets `t` of an order `o` that are counted. */
const ticketsSeen = (person: string): string =>
  `t.voided_at is null and ((o.own${person && ` and ${ofLedOrder('o.id', person)}`}) or exists (select 1 from seen where seen.id = t.job_id))`;
/** Their sums `tu` by unit. */
const TICKETS =
  't.unit_of_measure, count(*)::int as tickets, sum(t.quantity) as quantity, min(coalesce(t.service_date, t.created_at)) as first';
/** The sum of these; `tm` has the unit of most tickets. */
const ticketsIn = (tm: string): string => `sum(tu.tickets)::int as tickets, min(tu.first) as first,
    round(coalesce(sum(${convertSql('tu.quantity', 'tu.unit_of_measure', 'o.unit_of_measure')}), sum(${convertSql('tu.quantity', 'tu.unit_of_measure', 'o.load_unit_of_measure')}),
      sum(${convertSql('tu.quantity', 'tu.unit_of_measure', tm)})), 4) as quantity`;
const DELIVERED = `from (${deliveries({ loads: 'l', jobs: 'seen', orders: 'o' })}) d where d.state = 'completed' and d.quantity is not null`;
/** Counts of invoices `i`. */
const INVOICES = `count(*) filter (where i.side = 'payable')::int as payables, count(*) filter (where i.side = 'receivable')::int as receivables,
    count(*) filter (where i.side = 'payable' and i.billing_approved_at is not null)::int as approved_payables,
    count(*) filter (where i.side = 'receivable' and i.billing_approved_at is not null)::int as approved_receivables`;
const invoicesSeen = (person: string): string =>
  `i.company_id = any($2::uuid[]) and i.state <> 'voided' ${person && `and i.payee_driver_id = ${person}`}`;

/**
 * The figures of orders $1, of which the reader has the companies $2.
 * @param values SQL of what is answered of an order
 * @param person whose records alone are counted; empty for all that the reader's companies may see
 */
export const figuresSql = (values: readonly string[], person: string): string => `
with o as (${ORDERS} where o.id = any($1::uuid[])),
seen as (select ${OF_JOBS} from job j join o on o.id = j.order_id where ${jobsSeen(person)}),
j as (select j.order_id, ${JOBS} from seen j group by j.order_id),
l as (select ${OF_LOADS} from load l join o on o.id = l.order_id join seen on seen.id = l.job_id ${CYCLES}),
s as (select l.order_id, ${LOADS} from l group by l.order_id),
tu as (select t.order_id, ${TICKETS} from ticket t join o on o.id = t.order_id where ${ticketsSeen(person)} group by t.order_id, t.unit_of_measure),
tm as (select distinct on (order_id) order_id, unit_of_measure from tu order by order_id, quantity desc nulls last, unit_of_measure),
t as (select tu.order_id, ${ticketsIn('tm.unit_of_measure')} from tu join tm on tm.order_id = tu.order_id join o on o.id = tu.order_id group by tu.order_id),
q as (select d.order_id, d.unit_of_measure, d.material_name, d.ticketed, sum(d.quantity) as delivered ${DELIVERED} group by 1, 2, 3, 4),
i as (select i.order_id, ${INVOICES} from invoice i join o on o.id = i.order_id where ${invoicesSeen(person)} group by i.order_id),
g as (select distinct on (order_id) order_id, unit_of_measure, sum(delivered) as delivered from q group by order_id, unit_of_measure order by order_id, sum(delivered) desc, unit_of_measure)
select json_build_array(${values.join(', ')}) as data
from o left join j on j.order_id = o.id left join s on s.order_id = o.id left join g on g.order_id = o.id left join t on t.order_id = o.id left join i on i.order_id = o.id`;

/**
 * The same of one order $1, which needs neither groups nor joins: PostgreSQL takes longer to set a statement up than to run it. `g` has all of what was
 * delivered.
 */
export const figuresOfOneSql = (values: readonly string[], person: string): string => `
with o as (${ORDERS} where o.id = $1::uuid),
seen as (select ${OF_JOBS} from o, job j where j.order_id = $1::uuid and ${jobsSeen(person)}),
l as (select ${OF_LOADS} from load l join seen on seen.id = l.job_id where l.order_id = $1::uuid ${CYCLES}),
tu as (select ${TICKETS}, first_value(t.unit_of_measure) over (order by sum(t.quantity) desc nulls last, t.unit_of_measure) as most
  from o, ticket t where t.order_id = $1::uuid and ${ticketsSeen(person)} group by t.unit_of_measure),
q as (select d.unit_of_measure, d.material_name, d.ticketed, sum(d.quantity) as delivered, sum(sum(d.quantity)) over unit as of_unit,
    sum(sum(d.quantity)) filter (where d.ticketed) over unit as ticketed_of_unit
  ${DELIVERED} group by d.unit_of_measure, d.material_name, d.ticketed window unit as (partition by d.unit_of_measure))
select json_build_array(${values.join(', ')}) as data
from o, (select ${JOBS} from seen j) j, (select ${LOADS} from l) s, (select ${INVOICES} from invoice i where i.order_id = $1::uuid and ${invoicesSeen(person)}) i,
  lateral (select ${ticketsIn('tu.most')} from tu) t,
  lateral (select ${deliveredJson('q', { quantity: 'o.quantity', unit: 'o.unit_of_measure' })} as quantities, max(q.of_unit) as delivered, max(q.ticketed_of_unit) as ticketed,
    (array_agg(q.unit_of_measure order by q.of_unit desc, q.unit_of_measure))[1] as unit_of_measure from q) g`;
