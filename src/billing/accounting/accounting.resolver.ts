import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, type ClassType, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { AccountConnection } from '../../directory/accounts/account.lists.ts';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { Service } from '../../directory/master-data/named.entities.ts';
import { ServiceConnection } from '../../directory/master-data/named-kinds.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { AddOnConnection } from '../add-ons/add-ons.ts';
import {
  CreateLinkedAccountInput,
  LinkedAccountArgs,
  LinkedRecordArgs,
  LinkedTypeaheadArgs,
  UpdateLinkedCustomerInput,
  UpdateLinkedItemInput,
  UpdateLinkedLedgerAccountInput,
  UpdateLinkedVendorInput,
} from './accounting.inputs.ts';
import { LinkedAccount } from './linked-account.entity.ts';
import { createLinkedAccount, createLinkToken, deleteLinkedAccount, importLinkedAccount } from './linked-accounts.ts';
import { LinkedCustomer, LinkedItem, LinkedLedgerAccount, type LinkedRecord, LinkedVendor } from './linked-records.entity.ts';
import { updateLinkedCustomer, updateLinkedItem, updateLinkedLedgerAccount, updateLinkedVendor } from './mappings.ts';
import { MANAGES_ACCOUNTING } from './settings.ts';
import { setupUrl } from './setup-url.ts';

@ObjectType({ simpleResolvers: true, description: 'By which an accounting system is set up.' })
export class LinkToken {
  @Field(() => String, { description: 'The token with which the set-up page is opened. It is good once.' }) linkToken!: string;
  @Field(() => String, { description: 'The address of that page.' }) setupUrl!: string;
  @Field(() => DateTime, { description: 'Until when the page may be sent.' }) expiresAt!: Date;
}

const LinkedAccountConnection = connectionOf('LinkedAccount', () => LinkedAccount);

/** Linked accounting systems. */
@Resolver(() => LinkedAccount)
export class LinkedAccountResolver {
  @Query(() => LinkedAccountConnection, { description: 'The accounting systems of a company, also those that were unlinked.' })
  @Requires(MANAGES_ACCOUNTING)
  linkedAccounts(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LinkedAccountArgs) args: LinkedAccountArgs,
  ): Promise<Connection<LinkedAccount>> {
    companyOf(ctx, args.companyId);
    allow(ctx, MANAGES_ACCOUNTING);
    return ctx.read.page(LinkedAccount, info, args);
  }

  @Mutation(() => LinkToken, { description: 'Makes a token for the page on which an accounting system is set up.' })
  @Requires(MANAGES_ACCOUNTING)
  async createLinkToken(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
  ): Promise<LinkToken> {
    const made = await createLinkToken(ctx, companyId);
    return { ...made, setupUrl: setupUrl(ctx.em, made.linkToken) };
  }

  @Mutation(() => LinkedAccount, {
    description: 'Links the system that a set-up page was given, and has its lists read. One that was linked before keeps its mappings.',
  })
  @Requires(MANAGES_ACCOUNTING)
  async createLinkedAccount(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateLinkedAccountInput) input: CreateLinkedAccountInput,
  ): Promise<LinkedAccount> {
    return ctx.read.one(LinkedAccount, info, { id: await createLinkedAccount(ctx, input) });
  }

  @Mutation(() => Boolean, { description: 'Unlinks a system: its credentials are deleted, its records and mappings stay.' })
  @Requires(MANAGES_ACCOUNTING)
  async deleteLinkedAccount(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteLinkedAccount(ctx, { id, companyId });
    return true;
  }
}

export const LinkedAccountMutations = mutationsOf(LinkedAccount, {
  importLinkedAccount: requires([MANAGES_ACCOUNTING], describe('Has the lists of a system read again.', importLinkedAccount)),
});
const mapping = [MANAGES_ACCOUNTING] as const;
export const LinkedRecordMutations = [
  ...mutationsOf(LinkedCustomer, { updateLinkedCustomer: requires(mapping, withInput(UpdateLinkedCustomerInput, updateLinkedCustomer)) }),
  ...mutationsOf(LinkedVendor, { updateLinkedVendor: requires(mapping, withInput(UpdateLinkedVendorInput, updateLinkedVendor)) }),
  ...mutationsOf(LinkedItem, { updateLinkedItem: requires(mapping, withInput(UpdateLinkedItemInput, updateLinkedItem)) }),
  ...mutationsOf(LinkedLedgerAccount, {
    updateLinkedLedgerAccount: requires(mapping, withInput(UpdateLinkedLedgerAccountInput, updateLinkedLedgerAccount)),
  }),
];

/** The system whose records are listed. @throws Missing, Denied */
async function systemOf(ctx: Context, id: string, companyId?: string | null): Promise<LinkedAccount> {
  const account = await find(ctx, LinkedAccount, id, { companyId });
  allow(ctx, MANAGES_ACCOUNTING);
  return account;
}

/** The list of a system's records of one kind. */
function recordsOf<T extends LinkedRecord>(entity: ClassType<T>, name: string, description: string): Function {
  const Page = connectionOf(entity.name, () => entity);
  @Resolver(() => entity)
  class Records {
    @Query(() => Page, { name, description })
    @Requires(MANAGES_ACCOUNTING)
    async list(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Args(() => LinkedRecordArgs) { linkedAccountId, companyId, ...args }: LinkedRecordArgs,
    ): Promise<Connection<T>> {
      const { id, company } = await systemOf(ctx, linkedAccountId, companyId);
      const sql = (t: string, p: string) => `${t}.linked_account_id = ${p}`;
      const where = [{ key: 'ofSystem', sql, cast: 'uuid', value: id }];
      return (await ctx.read.page(entity, info, { ...args, companyId: company.id, where })) as Connection<T>;
    }
  }
  return Records;
}

interface Offered {
  name: string;
  description: string;
  /** The table and column of the records that are mapped to what is offered. */
  taken: readonly [table: string, column: string];
  filter?: object;
  ranked?: boolean;
}

/** Makes the query of the records of a system that may still be linked, by name. */
function offered<T extends object>(entity: ClassType<T>, page: ClassType<Connection<T>>, of: Offered): Function {
  const [table, column] = of.taken;
  @Resolver(() => entity)
  class Typeahead {
    @Query(() => page, { name: of.name, description: of.description })
    @Requires(MANAGES_ACCOUNTING)
    async offer(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Args(() => LinkedTypeaheadArgs) { linkedAccountId, companyId, ...args }: LinkedTypeaheadArgs,
    ): Promise<Connection<T>> {
      const { id, company } = await systemOf(ctx, linkedAccountId, companyId);
      const sql = (t: string, p: string) =>
        `not exists (select from ${table} r where r.${column} = ${t}.id and r.linked_account_id = ${p})`;
      const where = [KEPT, { key: `free ${table}`, sql, cast: 'uuid', value: id }];
      const options = { ...args, companyId: company.id, filter: of.filter, sort: { name: 'asc' }, ranked: of.ranked, where };
      return (await ctx.read.page(entity, info, options)) as Connection<T>;
    }
  }
  return Typeahead;
}

export const LinkedRecordQueries: readonly Function[] = [
  recordsOf(LinkedCustomer, 'linkedCustomers', 'The customers of an accounting system.'),
  recordsOf(LinkedVendor, 'linkedVendors', 'The vendors of an accounting system.'),
  recordsOf(LinkedItem, 'linkedItems', 'The products and services of an accounting system.'),
  recordsOf(LinkedLedgerAccount, 'linkedLedgerAccounts', 'The accounts of the ledger that documents may be posted to.'),
  offered(Account, AccountConnection as ClassType<Connection<Account>>, {
    ...{
      name: 'linkedCustomerAccountTypeahead',
      description: 'Customer accounts that no customer of an accounting system is yet, by name.',
    },
    ...{ taken: ['linked_customer', 'customer_account_id'], filter: { accountTypes: ['customer'] }, ranked: true },
  }),
  offered(Account, AccountConnection as ClassType<Connection<Account>>, {
    ...{ name: 'linkedVendorAccountTypeahead', description: 'Vendor accounts that no vendor of an accounting system is yet, by name.' },
    ...{ taken: ['linked_vendor', 'vendor_account_id'], filter: { accountTypes: ['vendor'] }, ranked: true },
  }),
  offered(AddOn, AddOnConnection as ClassType<Connection<AddOn>>, {
    ...{ name: 'linkedItemAddOnTypeahead', description: 'Add-ons that no item of an accounting system is yet, by name.' },
    taken: ['linked_item', 'itemizable_id'],
  }),
  offered(Service, ServiceConnection as ClassType<Connection<Service>>, {
    ...{ name: 'linkedItemServiceTypeahead', description: 'Services that no item of an accounting system is yet, by name.' },
    taken: ['linked_item', 'itemizable_id'],
  }),
];
