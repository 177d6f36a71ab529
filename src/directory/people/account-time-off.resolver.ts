import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Account } from '../accounts/account.entity.ts';
import { AccountTimeOffArgs, CreateTimeOffInput, ScheduledTimeOff, TimeOffConnection } from './time-off.entity.ts';
import { createTimeOff, deleteTimeOff, makeAvailable, makeUnavailable, timesOffOf } from './time-off.ts';

/** When a vendor's trucks are not to be planned with. */
@Resolver(() => ScheduledTimeOff)
export class AccountTimeOffResolver {
  @Mutation(() => ScheduledTimeOff, { description: 'Plans time off for an account.' })
  @Requires('edit_account')
  async createAccountTimeOff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('input', () => CreateTimeOffInput) input: CreateTimeOffInput,
  ): Promise<ScheduledTimeOff> {
    const { id } = await createTimeOff(ctx, 'Account', accountId, input);
    return ctx.read.one(ScheduledTimeOff, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a time off.' })
  @Requires('edit_account')
  async deleteAccountTimeOff(
    @Ctx() ctx: Context,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    await deleteTimeOff(ctx, 'Account', accountId, id);
    return true;
  }

  @Mutation(() => Account, { description: 'Ends the present time off of an account.' })
  @Requires('edit_account')
  async makeAccountAvailable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('accountId', () => ID) accountId: string,
  ): Promise<Account> {
    const { id } = await makeAvailable(ctx, 'Account', accountId);
    return ctx.read.one(Account, info, { id });
  }

  @Mutation(() => Account, { description: 'Sets an account off from now until further notice.' })
  @Requires('edit_account')
  async makeAccountUnavailable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('accountId', () => ID) accountId: string,
  ): Promise<Account> {
    const { id } = await makeUnavailable(ctx, 'Account', accountId);
    return ctx.read.one(Account, info, { id });
  }
}

export const AccountTimeOffQueries = queriesOf(ScheduledTimeOff, {
  accountTimeOffs: page(
    AnySignedIn(),
    TimeOffConnection,
    AccountTimeOffArgs,
    async ({ accountId, ...args }, ctx) => ({ ...args, ...(await timesOffOf(ctx, 'Account', accountId)) }),
    { description: 'Times when an account is off, including past ones.' },
  ),
});
