import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../dispatch/fields/search.inputs.ts';
import { Requires } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { companyArg } from '../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../platform/read/connection.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { APPROVABLE, InvoiceConnection, InvoiceFilter } from './invoices/invoice.lists.ts';
import { mayReadInvoices, READERS } from './invoices/read-invoice.ts';

@ArgsType()
class ApprovableInvoiceArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => InvoiceFilter, { nullable: true }) filter?: InvoiceFilter | null;
  @Field(() => SearchInput, { nullable: true }) search?: SearchInput | null;
}

/** What waits for a biller alone: between what is blocked, and what is approved (BILLING B2.1 "approve"). */
@Resolver(() => Invoice)
export class ApprovableInvoiceResolver {
  @Query(() => InvoiceConnection, { description: 'Invoices that can be approved now, by the day of their work.' })
  @Requires(...READERS)
  async approvableInvoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ApprovableInvoiceArgs) args: ApprovableInvoiceArgs,
  ): Promise<Connection<Invoice>> {
    mayReadInvoices(ctx);
    return ctx.read.page(Invoice, info, { ...args, sort: { serviceDate: 'asc' }, where: [APPROVABLE] });
  }
}
