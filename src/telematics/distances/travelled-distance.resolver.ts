import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { companyFor, ofOrder } from '../../dispatch/jobs/job.resolver.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { TravelledDistance, type TravellerType } from './travelled-distance.entity.ts';

const TravelledDistanceConnection = connectionOf('TravelledDistance', () => TravelledDistance);

@ArgsType()
class OfDriverDayArgs extends PageArgs {
  @Field(() => ID) driverDayId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class OfJobArgs extends PageArgs {
  @Field(() => ID) jobId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class OfLoadArgs extends PageArgs {
  @Field(() => ID) loadId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class OfOrderArgs extends PageArgs {
  @Field(() => ID) orderId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

const of = (type: TravellerType, id: string): Where => ({
  key: `of${type}`,
  sql: (t, p) => `${t}.traveller_id = ${p} and ${t}.traveller_type = '${type}'`,
  cast: 'uuid',
  value: id,
});
const ofType = (type: TravellerType, where: Where): Where => ({
  ...where,
  key: `${type}${where.key}`,
  sql: (t, p) => `${where.sql(t, p)} and ${t}.traveller_type = '${type}'`,
});
const ofDay = (id: string): Where => ({ key: 'day', sql: (t, p) => `${t}.driver_day_id = ${p}`, cast: 'uuid', value: id });

/** The distances of a day, for a job, a load or an order, by state and province. */
@Resolver()
export class TravelledDistanceResolver {
  @Query(() => TravelledDistanceConnection, {
    description: 'The distances that a driver drove on a day, by state and province. Partners read what was driven for their jobs.',
  })
  @AnySignedIn()
  async driverDayTravelledDistances(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => OfDriverDayArgs) { driverDayId, companyId, ...page }: OfDriverDayArgs,
  ): Promise<Connection<TravelledDistance>> {
    const day = await find(ctx, DriverDay, driverDayId, { companyId, shared: true });
    const own = viewerOf(ctx).companyIds.includes(day.company.id);
    return list(ctx, info, page, own ? of('DriverDay', day.id) : ofType('Job', ofDay(day.id)), companyFor(ctx, day, companyId));
  }

  @Query(() => TravelledDistanceConnection, { description: 'The distances that were driven for a job, by state and province.' })
  @AnySignedIn()
  async jobTravelledDistances(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => OfJobArgs) { jobId, companyId, ...page }: OfJobArgs,
  ): Promise<Connection<TravelledDistance>> {
    const job = await find(ctx, Job, jobId, { companyId });
    return list(ctx, info, page, of('Job', job.id), companyFor(ctx, job, companyId));
  }

  @Query(() => TravelledDistanceConnection, { description: 'The distances that were driven for a load, by state and province.' })
  @AnySignedIn()
  async loadTravelledDistances(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => OfLoadArgs) { loadId, companyId, ...page }: OfLoadArgs,
  ): Promise<Connection<TravelledDistance>> {
    const load = await find(ctx, Load, loadId, { companyId });
    return list(ctx, info, page, of('Load', load.id), companyFor(ctx, load, companyId));
  }

  @Query(() => TravelledDistanceConnection, {
    description: 'The distances that were driven for the jobs of an order that you may see, by job, state and province.',
  })
  @AnySignedIn()
  async orderTravelledDistances(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => OfOrderArgs) { orderId, companyId, ...page }: OfOrderArgs,
  ): Promise<Connection<TravelledDistance>> {
    const order = await find(ctx, Order, orderId, { companyId });
    return list(ctx, info, page, ofType('Job', ofOrder(order.id)), companyFor(ctx, order, companyId));
  }
}

const list = (ctx: Context, info: GraphQLResolveInfo, page: PageArgs, where: Where, companyId?: string | null) =>
  ctx.read.page(TravelledDistance, info, { ...page, sort: { createdAt: 'asc' }, where: [where], shared: true, companyId });
