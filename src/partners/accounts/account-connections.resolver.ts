import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { AccountConnection, AccountListArgs } from '../../directory/accounts/account.lists.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ConnectAccountInput, ConnectCompaniesInput, InviteAccountInput } from './account.inputs.ts';
import { connectAccount, connectCompanies } from './connect-accounts.ts';
import { inviteAccount } from './invite-account.ts';

const companyArg = { nullable: true, description: 'The company to which the account is added; by default, your own.' };

/** Accounts that are companies here too. */
@Resolver(() => Account)
export class AccountConnectionsResolver {
  @Query(() => AccountConnection, { description: 'Accounts of customers and vendors that use the platform.' })
  @AnySignedIn()
  connectedAccounts(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AccountListArgs) args: AccountListArgs,
  ): Promise<Connection<Account>> {
    const filter = { ...args.filter, discarded: args.filter?.discarded ?? false, connected: true };
    return ctx.read.page(Account, info, { ...args, filter });
  }

  @Mutation(() => Account, { description: 'Connects with a company by its platform id: both sides get an account of the other.' })
  @Requires('connect_companies')
  async connectAccount(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => ConnectAccountInput) input: ConnectAccountInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Account> {
    const { id } = await connectAccount(ctx, companyId, input);
    return ctx.read.one(Account, info, { id });
  }

  @Mutation(() => Account, { description: "Connects two companies that you see; returns the sender's account." })
  @Requires('connect_companies')
  async connectCompanies(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => ConnectCompaniesInput) input: ConnectCompaniesInput,
  ): Promise<Account> {
    const { id } = await connectCompanies(ctx, input);
    return ctx.read.one(Account, info, { id });
  }

  @Mutation(() => Account, { description: 'Invites a business: creates its company, its administrator and the accounts of both sides.' })
  @Requires('create_account')
  async inviteAccount(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => InviteAccountInput) input: InviteAccountInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Account> {
    const { id } = await inviteAccount(ctx, companyId, input);
    return ctx.read.one(Account, info, { id });
  }
}
