import type DataLoader from 'dataloader';
import type { QueryConfig } from 'pg';
import { Field, Int, ObjectType } from 'type-graphql';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { plannedOnce } from '../../platform/database/planned-once.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { defineReadAlong } from '../../platform/read/together/read-along.ts';
import { DateTime } from '../../platform/scalars.ts';
import { jobOfPerson, ofLedOrder } from '../access/own-work.sql.ts';
import { DeliveredQuantity, deliveredJson, deliveries } from '../model/delivered.ts';
import { LONGEST_CYCLE, wholeMinutes } from '../model/load-figures.ts';
import { Order } from '../model/order.entity.ts';
import { convertSql } from '../model/units-of-rates.ts';

/** Counts and sums over an order's jobs and loads (SPEC `order_summary`). The four payables and receivables count invoices that are not voided. */
@ObjectType({ simpleResolvers: true })
export class OrderSummary {
  @Field(() => Int) acceptedJobsCount!: number;
  @Field(() => Int) assignedJobsCount!: number;
  @Field(() => Int) deliveredLoadsCount!: number;
  @Field(() => Int) jobsCount!: number;
  @Field(() => Int) loadsCount!: number;
  @Field(() => Int) sentJobsCount!: number;
  @Field(() => Int) startedJobsCount!: number;
  @Field(() => Int) fileAttachmentsCount!: number;
  @Field(() => Int) actionableJobsCount!: number;
  @Field(() => Int) approvedLoadsCount!: number;
  /** Also null if the ordered quantity does not convert to the unit of the capacity. */
  @Field(() => Int, { nullable: true }) calculatedLoadsCount!: number | null;
  @Field(() => Int) totalTicketsCount!: number;
  @Field(() => Int) approvedPayables!: number;
  @Field(() => Int) totalPayables!: number;
  @Field(() => Int) approvedReceivables!: number;
  @Field(() => Int) totalReceivables!: number;
  @Field(() => [DeliveredQuantity]) deliveredQuantities!: DeliveredQuantity[];
  @Field(() => DecimalScalar, { nullable: true }) materialGrossDeliveredQuantity!: string | null;
  @Field(() => DecimalScalar, { nullable: true }) materialGrossTicketedDeliveredQuantity!: string | null;
  @Field(() => DecimalScalar, { nullable: true }) materialGrossRequestedQuantity!: string | null;
  @Field(() => UnitOfMeasure, { nullable: true }) materialGrossUnitOfMeasure!: UnitOfMeasure | null;
  /**
   * In the order's unit; if the tickets convert only to the unit of the loads, in that; otherwise in the unit of most tickets. Tickets that
   * do not convert are left out.
   */
  @Field(() => DecimalScalar) totalTicketsQuantity!: string;
  @Field(() => DecimalScalar, { nullable: true }) travelledDistanceMeters!: string | null;
  @Field(() => DecimalScalar, { nullable: true }) estimatedDeliveredQuantity!: string | null;
  @Field(() => UnitOfMeasure, { nullable: true }) estimatedDeliveredUnitOfMeasure!: UnitOfMeasure | null;
  @Field(() => DateTime, { nullable: true }) firstLoadUnloadedAt!: string | null;
  @Field(() => DateTime, { nullable: true }) firstTicketAt!: string | null;
}

/** Averages over an order's loads in whole minutes, 0 without any (DOMAIN section 4 "LoadCycle"). */
export interface OrderAverages {
  loadCycleAvg: number;
  loadsPickupTimeMinutesAvg: number;
  loadsDropoffTimeMinutesAvg: number;
}

type Row = OrderSummary & OrderAverages & { id: string };

/**
 * Loads the summaries of orders by id, batched for each request, in one statement. Invoices are counted in the books of the reader. A vendor's summary counts the jobs passed on to it; for people who read own records only, it counts their jobs.
 */
export function orderFigures(ctx: Context): DataLoader<string, Row> {
  return loaderOf(ctx, 'orderFigures', async (ids) => {
    const { rows } = await (await poolOf(ctx.em)).query<Figures>(figuresOf(ctx, ids));
    const found = new Map(rows.map(({ data }) => [data[0] as string, rowOf(data)]));
    return ids.map((id) => found.get(id) ?? new Error(`order ${id} vanished while it was read`));
  });
}

interface Figures {
  data: unknown[];
}

function figuresOf(ctx: Context, ids: readonly string[]): QueryConfig {
  const { id, companyIds, ownRecordsOnly } = viewerOf(ctx);
  return plannedOnce(
    ownRecordsOnly
      ? { name: 'own-order-figures', text: OWN_FIGURES, values: [ids, companyIds, id] }
      : { name: 'order-figures', text: FIGURES, values: [ids, companyIds] },
  );
}

/** The figures of a single order come in the message of the order. */
export const figuresAlong = defineReadAlong(Order, {
  fields: ['orderSummary', 'loadCycleAvg', 'loadsPickupTimeMinutesAvg', 'loadsDropoffTimeMinutesAvg'],
  statement: (ctx, id) => figuresOf(ctx, [id]),
  keep(ctx, id, rows) {
    const [figures] = rows as Figures[];
    if (figures) orderFigures(ctx).prime(id, rowOf(figures.data));
  },
});

/** The largest GraphQL Int: an order of three billion grains takes no more loads than that. */
const MOST = 2 ** 31 - 1;
/** The ordered quantity in the unit of the capacity; null if the units do not convert. A missing unit is taken to be the other one. */
const REQUESTED_IN_CAPACITY = convertSql(
  'o.quantity',
  'coalesce(o.unit_of_measure, o.equipment_type_gross_capacity_unit_of_measure)',
  'coalesce(o.equipment_type_gross_capacity_unit_of_measure, o.unit_of_measure)',
);

/** The SQL of the fields of an answer on order `o`, by their names; the id comes first. */
const VALUES: Record<keyof Row, string> = {
  id: 'o.id',
  jobsCount: 'coalesce(j.jobs, 0)',
  acceptedJobsCount: 'coalesce(j.accepted, 0)',
  assignedJobsCount: 'coalesce(j.assigned, 0)',
  sentJobsCount: 'coalesce(j.sent, 0)',
  startedJobsCount: 'coalesce(j.started, 0)',
  actionableJobsCount: 'coalesce(j.actionable, 0)',
  loadsCount: 'coalesce(s.loads, 0)',
  deliveredLoadsCount: 'coalesce(s.delivered, 0)',
  approvedLoadsCount: 'coalesce(s.approved, 0)',
  fileAttachmentsCount:
    "case when o.own then (select count(*)::int from file_attachment f where f.file_attachable_id = o.id and f.file_attachable_type = 'Order') else 0 end",
  totalTicketsCount: 'coalesce(t.tickets, 0)',
  approvedPayables: 'coalesce(i.approved_payables, 0)',
  totalPayables: 'coalesce(i.payables, 0)',
  approvedReceivables: 'coalesce(i.approved_receivables, 0)',
  totalReceivables: 'coalesce(i.receivables, 0)',
  calculatedLoadsCount: `case when o.equipment_type_gross_capacity > 0 and ${REQUESTED_IN_CAPACITY} is not null then least(${MOST}, ceil(${REQUESTED_IN_CAPACITY} / o.equipment_type_gross_capacity))::int end`,
  deliveredQuantities: `coalesce((select ${deliveredJson('q', { quantity: 'o.quantity', unit: 'o.unit_of_measure' })} from q where q.order_id = o.id), '[]')`,
  materialGrossDeliveredQuantity: 'g.delivered::text',
  materialGrossTicketedDeliveredQuantity:
    '(select max(u.delivered)::text from (select sum(q.delivered) as delivered from q where q.order_id = o.id and q.ticketed group by q.unit_of_measure) u)',
  materialGrossUnitOfMeasure: 'coalesce(g.unit_of_measure, o.unit_of_measure)',
  materialGrossRequestedQuantity: 'o.quantity::text',
  totalTicketsQuantity: 'coalesce(t.quantity, 0)::text',
  travelledDistanceMeters: 'coalesce(j.travelled, s.travelled)::text',
  estimatedDeliveredQuantity:
    'case when o.equipment_type_gross_capacity is not null then (o.equipment_type_gross_capacity * coalesce(s.delivered, 0))::text end',
  estimatedDeliveredUnitOfMeasure: 'o.equipment_type_gross_capacity_unit_of_measure',
  firstLoadUnloadedAt: 's.first_unloaded',
  firstTicketAt: 't.first',
  loadCycleAvg: 'coalesce(s.cycle, 0)',
  loadsPickupTimeMinutesAvg: 'coalesce(s.pickup, 0)',
  loadsDropoffTimeMinutesAvg: 'coalesce(s.dropoff, 0)',
};
const NAMES = Object.keys(VALUES);

/** The row of an answer, whose values come without their names: that is the cheapest JSON that PostgreSQL writes. */
function rowOf(data: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < NAMES.length; i++) row[NAMES[i]!] = data[i];
  return row as unknown as Row;
}

/** @param person whose records alone are counted; empty for all that the reader's companies may see */
const figuresSql = (person: string): string => `
with o as (select o.id, o.material_id, o.quantity, o.unit_of_measure, o.load_unit_of_measure, o.equipment_type_gross_capacity, o.equipment_type_gross_capacity_unit_of_measure,
    o.company_id = any($2::uuid[]) as own from orders o where o.id = any($1::uuid[])),
seen as (
  select j.id, j.order_id, j.state, j.driver_id, j.material_id, j.gps_distance_meters, j.load_unit_of_measure, j.unit_of_measure from job j join o on o.id = j.order_id
  where (o.own or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any($2::uuid[])))${person && ` and ${jobOfPerson('j', person)}`}),
j as (
  select j.order_id, count(*)::int as jobs, sum(j.gps_distance_meters) as travelled,
    count(*) filter (where j.state = 'accepted')::int as accepted,
    count(*) filter (where j.state = 'assigned')::int as assigned,
    count(*) filter (where j.state = 'sent')::int as sent,
    count(*) filter (where j.state not in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled'))::int as started,
    count(*) filter (where j.state in ('created', 'rejected') or (j.state = 'accepted' and j.driver_id is null))::int as actionable
  from seen j group by j.order_id),
l as (
  select l.id, l.job_id, l.order_id, l.state, l.quantity, l.unit_of_measure, l.material_id, l.approved_at, l.summary_travelled_distance_meters,
    l.summary_arrived_pickup_at, l.summary_loaded_at, l.summary_arrived_dropoff_at, l.summary_unloaded_at, lag(l.summary_arrived_pickup_at) over cycle as previous_pickup_at, lag(l.paused_seconds) over cycle as previous_paused
  from load l join o on o.id = l.order_id join seen on seen.id = l.job_id
  window cycle as (partition by l.job_id, l.state = 'canceled', l.summary_arrived_pickup_at is null order by l.ordinality)),
s as (
  select l.order_id, count(*) filter (where l.state <> 'canceled')::int as loads,
    count(*) filter (where l.state = 'completed')::int as delivered,
    count(*) filter (where l.approved_at is not null)::int as approved,
    min(l.summary_unloaded_at) as first_unloaded,
    sum(l.summary_travelled_distance_meters) as travelled,
    coalesce(round(avg(${wholeMinutes('l.summary_arrived_pickup_at', 'l.previous_pickup_at')} - l.previous_paused / 60) filter (where l.state <> 'canceled' and l.previous_pickup_at is not null
      and ${wholeMinutes('l.summary_arrived_pickup_at', 'l.previous_pickup_at')} - l.previous_paused / 60 <= ${LONGEST_CYCLE})), 0)::int as cycle,
    coalesce(round(avg(${wholeMinutes('l.summary_loaded_at', 'l.summary_arrived_pickup_at')})), 0)::int as pickup,
    coalesce(round(avg(${wholeMinutes('l.summary_unloaded_at', 'l.summary_arrived_dropoff_at')})), 0)::int as dropoff
  from l group by l.order_id),
tu as (
  select t.order_id, t.unit_of_measure, count(*)::int as tickets, sum(t.quantity) as quantity, min(coalesce(t.service_date, t.created_at)) as first
  from ticket t join o on o.id = t.order_id
  where t.voided_at is null and ((o.own${person && ` and ${ofLedOrder('o.id', person)}`}) or exists (select 1 from seen where seen.id = t.job_id)) group by t.order_id, t.unit_of_measure),
tm as (select distinct on (order_id) order_id, unit_of_measure from tu order by order_id, quantity desc nulls last, unit_of_measure),
t as (
  select tu.order_id, sum(tu.tickets)::int as tickets, min(tu.first) as first,
    round(coalesce(sum(${convertSql('tu.quantity', 'tu.unit_of_measure', 'o.unit_of_measure')}), sum(${convertSql('tu.quantity', 'tu.unit_of_measure', 'o.load_unit_of_measure')}),
      sum(${convertSql('tu.quantity', 'tu.unit_of_measure', 'tm.unit_of_measure')})), 4) as quantity
  from tu join tm on tm.order_id = tu.order_id join o on o.id = tu.order_id group by tu.order_id),
q as (
  select d.order_id, d.unit_of_measure, d.material_name, d.ticketed, sum(d.quantity) as delivered
  from (${deliveries({ loads: 'l', jobs: 'seen', orders: 'o' })}) d where d.state = 'completed' and d.quantity is not null group by 1, 2, 3, 4),
i as (
  select i.order_id, count(*) filter (where i.side = 'payable')::int as payables, count(*) filter (where i.side = 'receivable')::int as receivables,
    count(*) filter (where i.side = 'payable' and i.billing_approved_at is not null)::int as approved_payables,
    count(*) filter (where i.side = 'receivable' and i.billing_approved_at is not null)::int as approved_receivables
  from invoice i join o on o.id = i.order_id
  where i.company_id = any($2::uuid[]) and i.state <> 'voided' ${person && `and i.payee_driver_id = ${person}`} group by i.order_id),
g as (select distinct on (order_id) order_id, unit_of_measure, sum(delivered) as delivered from q group by order_id, unit_of_measure order by order_id, sum(delivered) desc)
select json_build_array(${Object.values(VALUES).join(', ')}) as data
from o left join j on j.order_id = o.id left join s on s.order_id = o.id left join g on g.order_id = o.id left join t on t.order_id = o.id left join i on i.order_id = o.id`;

const FIGURES = figuresSql('');
const OWN_FIGURES = figuresSql('$3::uuid');
