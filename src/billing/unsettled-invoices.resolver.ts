import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../dispatch/fields/search.inputs.ts';
import { Requires } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { companyArg } from '../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../platform/read/connection.ts';
import type { Where } from '../platform/read/run.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { APPROVABLE, InvoiceConnection, InvoiceFilter } from './invoices/invoice.lists.ts';
import { mayReadInvoices, READERS } from './invoices/read-invoice.ts';
import { BLOCKED } from './invoices/unsettled.sql.ts';

@ArgsType()
class UnsettledInvoiceArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => InvoiceFilter, { nullable: true }) filter?: InvoiceFilter | null;
  @Field(() => SearchInput, { nullable: true }) search?: SearchInput | null;
}

/** The work on its way to a settlement: why it is not billed yet (BILLING B2.2 "GET C/billing/blockers"), and which of it waits for a biller alone (B2.1). */
@Resolver(() => Invoice)
export class UnsettledInvoiceResolver {
  @Query(() => InvoiceConnection, {
    description:
      'Invoices that cannot be approved yet, and approved ones that are not settled by themselves, by the day of their work; `blockers` and `unsettledReason` say why.',
  })
  @Requires(...READERS)
  async blockedInvoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UnsettledInvoiceArgs) args: UnsettledInvoiceArgs,
  ): Promise<Connection<Invoice>> {
    return read(ctx, info, args, BLOCKED);
  }

  @Query(() => InvoiceConnection, { description: 'Invoices that can be approved now, by the day of their work.' })
  @Requires(...READERS)
  async approvableInvoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UnsettledInvoiceArgs) args: UnsettledInvoiceArgs,
  ): Promise<Connection<Invoice>> {
    return read(ctx, info, args, APPROVABLE);
  }
}

function read(ctx: Context, info: GraphQLResolveInfo, args: UnsettledInvoiceArgs, which: Where): Promise<Connection<Invoice>> {
  mayReadInvoices(ctx);
  return ctx.read.page(Invoice, info, { ...args, sort: { serviceDate: 'asc' }, where: [which] });
}
