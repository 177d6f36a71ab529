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
import { DeliveredQuantity, deliveredJson } from '../model/delivered.ts';
import { Order } from '../model/order.entity.ts';
import { figuresOfOneSql, figuresSql } from './order-figures.sql.ts';

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
 * Loads the summaries of orders by id, batched for each request, in one statement. Invoices are counted in the books of the reader. A vendor's
 * summary counts the jobs passed on to it; for people who read own records only, it counts their jobs.
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
  const { id: person, companyIds, ownRecordsOnly } = viewerOf(ctx);
  const [id, more] = ids;
  if (id !== undefined && more === undefined)
    return plannedOnce(
      ownRecordsOnly
        ? { name: 'own-figures-of-order', text: OWN_FIGURES_OF_ONE, values: [id, companyIds, person] }
        : { name: 'figures-of-order', text: FIGURES_OF_ONE, values: [id, companyIds] },
    );
  return plannedOnce(
    ownRecordsOnly
      ? { name: 'own-order-figures', text: OWN_FIGURES, values: [ids, companyIds, person] }
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
  calculatedLoadsCount: `case when o.equipment_type_gross_capacity > 0 and o.requested_in_capacity is not null then least(${MOST}, ceil(o.requested_in_capacity / o.equipment_type_gross_capacity))::int end`,
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
/** Where the statement about one order has them elsewhere. */
const VALUES_OF_ONE: Partial<typeof VALUES> = {
  deliveredQuantities: "coalesce(g.quantities, '[]')",
  materialGrossTicketedDeliveredQuantity: 'g.ticketed::text',
};
const NAMES = Object.keys(VALUES);

/** The row of an answer, whose values come without their names: that is the cheapest JSON that PostgreSQL writes. */
function rowOf(data: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < NAMES.length; i++) row[NAMES[i]!] = data[i];
  return row as unknown as Row;
}

const FIGURES = figuresSql(Object.values(VALUES), '');
const OWN_FIGURES = figuresSql(Object.values(VALUES), '$3::uuid');
const OF_ONE = Object.values({ ...VALUES, ...VALUES_OF_ONE });
const FIGURES_OF_ONE = figuresOfOneSql(OF_ONE, '');
const OWN_FIGURES_OF_ONE = figuresOfOneSql(OF_ONE, '$3::uuid');
