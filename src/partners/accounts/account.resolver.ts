import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { AccountConnection, AccountListArgs, AccountTypeaheadArgs } from '../../directory/accounts/account.lists.ts';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { masterMutations } from '../../directory/master-data/master-data.resolver.ts';
import { updateMaster } from '../../directory/master-data/master-data.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { actingFor, ManagedPath } from '../managed/managed-companies.ts';
import { BulkUpdateAccountInput, CreateAccountInput, UpdateAccountInput } from './account.inputs.ts';
import { accounts } from './accounts.ts';
import { bulkUpdateAccounts } from './bulk-update-accounts.ts';

export const AccountMutations = masterMutations(accounts, {
  create: { name: 'createAccount', input: CreateAccountInput },
  update: { name: 'updateAccount', input: UpdateAccountInput },
  discard: { name: 'deleteAccount' },
});

/** Customers and vendors. */
@Resolver(() => Account)
export class AccountResolver {
  @Mutation(() => [Account], { description: 'Changes availability and trucks of several accounts: all of them or none.' })
  @Requires('edit_account')
  async bulkUpdateAccounts(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('data', () => [BulkUpdateAccountInput]) data: BulkUpdateAccountInput[],
  ): Promise<Account[]> {
    const value = await bulkUpdateAccounts(ctx, data);
    return ctx.read.list(Account, info, { where: [{ key: 'these', sql: (t, p) => `${t}.id = any(${p})`, cast: 'uuid[]', value }] });
  }

  @Mutation(() => Account, { description: "Changes a managed company's customer or vendor." })
  @Requires('edit_account')
  async updateManagedAccount(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateAccountInput) input: UpdateAccountInput,
  ): Promise<Account> {
    const acting = await actingFor(ctx, path);
    await updateMaster(acting, accounts, { id }, input);
    return acting.read.one(Account, info, { id });
  }
}

export const AccountQueries = queriesOf(Account, {
  accounts: page(AnySignedIn(), AccountConnection, AccountListArgs, (args) => ({
    ...args,
    filter: { ...args.filter, discarded: args.filter?.discarded ?? false },
  })),
  accountTypeahead: page(
    AnySignedIn(),
    AccountConnection,
    AccountTypeaheadArgs,
    (args) => ({ ...args, filter: { ...args.filter, discarded: false }, sort: { name: 'asc' }, ranked: true }),
    { description: 'Suggestions for a form while somebody types, by name.' },
  ),
  account: oneAsOf(AnySignedIn(), () => ({ where: [WITH_DISCARDED] }), {
    description: 'A customer or vendor, including discarded ones.',
    company: { nullable: true },
  }),
});
