import { Arg, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { TicketSource } from '../directory/master-data/source.ts';
import { UnitOfMeasure } from '../directory/master-data/units.ts';
import { isOwnersSide } from '../dispatch/access/order.policy.ts';
import { ofJobOfPerson } from '../dispatch/access/own-work.sql.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { find, viewerOf } from '../platform/authz/authorization.ts';
import { AnySignedIn } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { type Decimal, DecimalScalar } from '../platform/decimal.ts';

/** An order's tickets of one truck in one unit, with the truck's name as the senders wrote it; voided ones are left out. */
@ObjectType({ simpleResolvers: true })
export class TicketRollupSummary {
  @Field(() => String, { description: 'Empty if the tickets name no vendor.' }) externalVendorName!: string;
  @Field(() => String, { description: 'Empty if the tickets name no truck.' }) externalTruckId!: string;
  @Field(() => Int) totalTicketsCount!: number;
  @Field(() => Int, { description: 'The tickets among them that could not be matched to a job.' }) totalTicketsMissingJobCount!: number;
  @Field(() => DecimalScalar) totalTicketsQuantity!: Decimal;
  @Field(() => DecimalScalar) totalTicketsMissingJobQuantity!: Decimal;
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
}

@InputType()
export class TicketRollupFilter {
  @Field(() => [TicketSource], { nullable: true }) sources?: TicketSource[] | null;
}

const ROLLUP = `select coalesce(t.external_vendor_name, '') as "externalVendorName", coalesce(t.external_truck_id, '') as "externalTruckId",
    t.unit_of_measure as "unitOfMeasure", count(*)::int as "totalTicketsCount",
    count(*) filter (where t.job_id is null)::int as "totalTicketsMissingJobCount",
    coalesce(sum(t.quantity), 0) as "totalTicketsQuantity",
    coalesce(sum(t.quantity) filter (where t.job_id is null), 0) as "totalTicketsMissingJobQuantity"
  from ticket t where t.order_id = $1 and t.company_id = $2 and t.voided_at is null and ($3::text[] is null or t.source = any($3))
    and ($4::uuid is null or ${ofJobOfPerson('t.job_id', '$4::uuid')})
  group by 1, 2, 3 order by 1, 2, 3`;

@Resolver()
export class TicketRollupResolver {
  @Query(() => [TicketRollupSummary], { description: "An order's tickets by vendor, truck and unit, and how many of them lack a job." })
  @AnySignedIn()
  async ticketRollup(
    @Ctx() ctx: Context,
    @Arg('orderId', () => ID) orderId: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('filter', () => TicketRollupFilter, { nullable: true }) filter?: TicketRollupFilter,
  ): Promise<TicketRollupSummary[]> {
    const order = await find(ctx, Order, orderId, { companyId });
    // A vendor must not see whom else the owner has hauling.
    const viewer = viewerOf(ctx);
    if (!isOwnersSide(viewer, order)) return [];
    const pool = await poolOf(ctx.em);
    return (
      await pool.query<TicketRollupSummary>(ROLLUP, [
        order.id,
        order.company.id,
        filter?.sources ?? null,
        viewer.ownRecordsOnly ? viewer.id : null,
      ])
    ).rows;
  }
}
