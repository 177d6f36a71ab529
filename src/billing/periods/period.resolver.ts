import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, ID, Info, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { allow } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { DateTime, LocalDate } from '../../platform/scalars.ts';
import { BillingPeriod } from './billing-period.entity.ts';
import { NextBillingPeriodState } from './billing-period.machine.ts';
import { CLOSES, closeBillingPeriod, nextPeriod, reopenBillingPeriod } from './close-period.ts';
import { BillingPeriodConnection, BillingPeriodListArgs, CloseBillingPeriodInput, ReopenBillingPeriodInput } from './period.inputs.ts';

const READS = 'view_settlements';

@ObjectType({ simpleResolvers: true, description: 'The days that are closed next, and what of them is not finished.' })
export class NextBillingPeriod {
  @Field(() => LocalDate) startsOn!: string;
  @Field(() => LocalDate) endsOn!: string;
  @Field(() => NextBillingPeriodState, { description: 'Whether its last week is reviewed; always `open` in companies that review none.' })
  state!: NextBillingPeriodState;
  @Field(() => Int, {
    description: 'Invoices that nobody has approved, those that earlier periods left over among them. They keep it from being closed.',
  })
  unapprovedInvoices!: number;
  @Field(() => Int, {
    description: 'Those of them that stayed out when earlier periods were closed; `leftOutOfPeriodId` of the list of invoices has them.',
  })
  leftOverInvoices!: number;
  @Field(() => Int, { description: 'Settlements that nobody has approved. They keep it from being closed.' })
  unapprovedSettlements!: number;
  @Field(() => Int, { description: 'Approved invoices of these days that are in no settlement. They count, and can be settled later.' })
  unsettledInvoices!: number;
  @Field(() => DateTime, {
    nullable: true,
    description: 'From when on dispatchers do not change the work of its last week any more; null in companies that do not review weeks.',
  })
  workReviewedFrom!: Date | null;
  @Field(() => DateTime, {
    nullable: true,
    description:
      'From when on those who bill do not change its work and its invoices any more; null in companies that do not review weeks.',
  })
  billingReviewedFrom!: Date | null;
}

/** Periods whose books are closed (BILLING B10). */
@Resolver(() => BillingPeriod)
export class BillingPeriodResolver {
  @Query(() => BillingPeriodConnection, { description: 'The periods of which the books are closed, or were; the latest first.' })
  @Requires(READS)
  async billingPeriods(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => BillingPeriodListArgs) args: BillingPeriodListArgs,
  ): Promise<Connection<BillingPeriod>> {
    allow(ctx, READS);
    return ctx.read.page(BillingPeriod, info, { ...args, sort: { endsOn: 'desc' } });
  }

  @Query(() => BillingPeriod, { description: 'A period of which the books are closed, or were.' })
  @Requires(READS)
  async billingPeriod(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BillingPeriod> {
    const found = (await ctx.read.one(BillingPeriod, info, { id, companyId })) as BillingPeriod;
    allow(ctx, READS);
    return found;
  }

  @Query(() => NextBillingPeriod, { description: 'The days that are closed next, and what of them is not finished.' })
  @Requires(CLOSES)
  nextBillingPeriod(
    @Ctx() ctx: Context,
    @Arg('endsOn', () => LocalDate, { nullable: true, description: 'By default, the last day of the next week that is over.' })
    endsOn?: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<NextBillingPeriod> {
    return nextPeriod(ctx, endsOn, companyId);
  }

  @Mutation(() => BillingPeriod, { description: 'Closes the books up to a day: what counts until then stays as it is.' })
  @Requires(CLOSES)
  async closeBillingPeriod(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CloseBillingPeriodInput, { nullable: true }) input?: CloseBillingPeriodInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BillingPeriod> {
    const { id } = await closeBillingPeriod(ctx, input ?? {}, companyId);
    return ctx.read.one(BillingPeriod, info, { id });
  }

  @Mutation(() => BillingPeriod, { description: 'Opens the last closed period again, unless something of it was handed to accounting.' })
  @Requires(CLOSES)
  async reopenBillingPeriod(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ReopenBillingPeriodInput) input: ReopenBillingPeriodInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BillingPeriod> {
    await reopenBillingPeriod(ctx, { id, companyId }, input);
    return ctx.read.one(BillingPeriod, info, { id });
  }
}
