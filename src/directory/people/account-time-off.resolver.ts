import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { Account } from '../accounts/account.entity.ts';
import { AccountTimeOffArgs, CreateTimeOffInput, ScheduledTimeOff, TimeOffConnection } from './time-off.entity.ts';
import { createTimeOff, deleteTimeOff, makeAvailable, makeUnavailable, timesOffOf } from './time-off.ts';

/** When a vendor's trucks are not to be planned with. */
@Resolver(() => ScheduledTimeOff)
export class AccountTimeOffResolver {
  @Query(() => TimeOffConnection, { description: 'Times when an account is off, including past ones.' })
  @AnySignedIn()
  async accountTimeOffs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AccountTimeOffArgs) { accountId, ...args }: AccountTimeOffArgs,
  ): Promise<Connection<ScheduledTimeOff>> {
    return ctx.read.page(ScheduledTimeOff, info, { ...args, ...(await timesOffOf(ctx, 'Account', accountId)) });
  }

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
