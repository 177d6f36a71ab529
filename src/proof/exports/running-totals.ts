import type DataLoader from 'dataloader';
import { Field, Int, ObjectType } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { materialsOfTicket } from '../material-of-ticket.ts';
import { servedSql } from './served.ts';

/** What a day's tickets of one material come to, up to one of them. */
@ObjectType({
  simpleResolvers: true,
  description: "What a day's tickets of the same project (or of the order, without one), material and unit come to, up to this one.",
})
export class TicketRunningTotal {
  @Field(() => Int, { description: 'How many they are: 1 at the first.' }) loadsCount!: number;
  @Field(() => DecimalScalar, { description: 'Their net weights, or quantities, as the tickets have them.' }) quantity!: string;
  @Field(() => DecimalScalar, {
    description: 'What was accepted of them, less what was wasted; 0 while nobody said that any was delivered.',
  })
  acceptedQuantity!: string;
}

const SERVED = servedSql('t');

/**
 * SQL of the running totals of tickets: `$1` are their ids, `$2` the companies of the reader. Days are those of the company, by when the material was served.
 * The tickets of a project's days are found by `orders_project_idx` and `ticket_served_idx`. Days begin and end in columns of `works`, because a call
 * within the comparison would keep that index from being used.
 */
const TOTALS = `with asked as materialized (
    select o.project_id, t.order_id, date_trunc('day', ${SERVED} at time zone c.time_zone) as day, c.time_zone
    from ticket t join orders o on o.id = t.order_id join company c on c.id = t.company_id
    where t.id = any($1::uuid[]) and t.company_id = any($2::uuid[])),
  days as materialized (
    select distinct a.project_id, case when a.project_id is null then a.order_id end as order_id, a.day,
      ${dayStartSql('a.day', 'a.time_zone')} as begins_at, ${dayStartSql("a.day + interval '1 day'", 'a.time_zone')} as ends_at
    from asked a),
  works as materialized (
    select o.id as order_id, o.material_id, d.project_id as work, d.day, d.begins_at, d.ends_at from days d join orders o on o.project_id = d.project_id
    union all select o.id, o.material_id, o.id, d.day, d.begins_at, d.ends_at from days d join orders o on o.id = d.order_id where d.project_id is null),
  counted as (
    select t.id, count(*) over w as loads, sum(t.quantity) over w as quantity,
      sum(case when t.acceptance = 'delivered' then t.quantity - coalesce(t.wasted_quantity, 0) else 0 end) over w as accepted
    from works k join ticket t on t.order_id = k.order_id and t.company_id = any($2::uuid[])
      and ${SERVED} >= k.begins_at and ${SERVED} < k.ends_at
      left join job j on j.id = t.job_id
      left join load l on l.id = t.load_id
    where t.voided_at is null and t.quantity is not null and t.acceptance is distinct from 'rejected'
    window w as (partition by k.work, k.day, coalesce(${materialsOfTicket('t', 'l', 'j', 'k').join(', ')}), t.unit_of_measure
      order by ${SERVED}, t.created_at, t.id rows unbounded preceding))
  select id, loads::int as "loadsCount", trim_scale(quantity)::text as quantity, trim_scale(accepted)::text as "acceptedQuantity"
  from counted where id = any($1::uuid[])`;

/**
 * Loads the running totals of tickets by id, batched, in one statement. Null of tickets that count for nothing (voided, rejected, without a quantity or an order)
 * or are of another company, and for people who see some of the company's tickets only.
 */
export const runningTotals = (ctx: Context): DataLoader<string, TicketRunningTotal | null> =>
  loaderOf(ctx, 'runningTotalsOfTickets', async (ids) => {
    const { companyIds, ownRecordsOnly, siteIds } = viewerOf(ctx);
    if (ownRecordsOnly || siteIds) return ids.map(() => null);
    const found = await queryOf<TicketRunningTotal & { id: string }>(ctx, TOTALS, [[...ids], companyIds]);
    const totals = new Map(found.map(({ id, ...total }) => [id, total]));
    return ids.map((id) => totals.get(id) ?? null);
  });
