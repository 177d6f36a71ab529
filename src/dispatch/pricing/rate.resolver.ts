import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { asOfArg, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { Project } from '../model/project.entity.ts';
import { AppliedRates, appliedRates } from './applied-rates.ts';
import { calculateCost, RateCost } from './calculate-cost.ts';
import { CalculateCostInput, CopyRateInput, CreateRateInput, UpdateRateInput } from './rate.inputs.ts';
import { RateConnection, RateListArgs, RateListAsOfArgs, rateFilter } from './rate.lists.ts';
import { copyRate, createRate, discardRate, updateRate } from './rates.ts';
import { maySeeSomeRates, visibleRates } from './see-rates.ts';

export const plannedRate = relatedFields(Rate, { projects: { ids: 'projectIds', type: () => Project, internal: true } });

@Resolver(() => Rate)
export class RateResolver {
  @Query(() => RateConnection, { description: 'Suggestions for a form while somebody types, by name.' })
  @AnySignedIn()
  rateTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => RateListArgs) args: RateListArgs,
  ): Promise<Connection<Rate>> {
    const where = [KEPT, visibleRates(ctx)];
    return ctx.read.page(Rate, info, { ...args, sort: { name: 'asc' }, filter: rateFilter(args.filter), where });
  }

  @Query(() => Rate)
  // Which side's permission it needs is known when the rate card is read.
  @AnySignedIn()
  rate(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
  ): Promise<Rate> {
    maySeeSomeRates(ctx);
    return ctx.read.one(Rate, info, { id, companyId, asOf, where: [KEPT, visibleRates(ctx)] });
  }

  @Query(() => RateCost, { description: 'The earnings and costs of an order by two rate cards.' })
  @Requires('view_customer_rates')
  @Requires('view_vendor_rates')
  calculateRateCost(
    @Ctx() ctx: Context,
    @Arg('input', () => CalculateCostInput) input: CalculateCostInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<RateCost> {
    return calculateCost(ctx, input, companyId);
  }

  @Query(() => AppliedRates, {
    description: 'The rate that applies to each side of a job, and its source: the job itself, the order, the project, or a rate card.',
  })
  @AnySignedIn()
  appliedRates(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<AppliedRates> {
    return appliedRates(ctx, jobId, companyId);
  }

  @Mutation(() => Rate)
  @Requires('create_rate')
  async createRate(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateRateInput) input: CreateRateInput,
  ): Promise<Rate> {
    return ctx.read.one(Rate, info, { id: (await createRate(ctx, input)).id });
  }

  @Mutation(() => Rate)
  @Requires('edit_rate')
  async updateRate(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateRateInput) input: UpdateRateInput,
  ): Promise<Rate> {
    return ctx.read.one(Rate, info, { id: (await updateRate(ctx, { id }, input)).id });
  }

  @Mutation(() => Rate, { description: 'Creates a rate card with the same values, for the conditions that the input names.' })
  @Requires('create_rate')
  async copyRate(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => CopyRateInput) input: CopyRateInput,
  ): Promise<Rate> {
    return ctx.read.one(Rate, info, { id: (await copyRate(ctx, { id }, input)).id });
  }

  @Mutation(() => Boolean, { description: 'Discards a rate card: it prices no new work, but still applies to the work that it priced.' })
  @Requires('delete_rate')
  async deleteRate(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await discardRate(ctx, { id });
    return true;
  }
}

export const RateQueries = queriesOf(Rate, {
  rates: page(
    AnySignedIn(),
    RateConnection,
    RateListAsOfArgs,
    (args, ctx) => ({ ...args, filter: rateFilter(args.filter), where: [KEPT, visibleRates(ctx)] }),
    { description: 'Rate cards of the sides that you may see; drivers see their own.' },
  ),
});
