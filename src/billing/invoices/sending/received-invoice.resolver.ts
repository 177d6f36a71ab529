import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Mutation, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { Invoice } from '../invoice.entity.ts';
import { readInvoice } from '../read-invoice.ts';
import { InvoiceMatch, matchesOf } from './match-invoices.ts';
import { customerApproveInvoice, customerPayInvoice } from './send-invoice.ts';

/** The customer's company reads an invoice that was sent to it, and answers. */
@Resolver(() => Invoice)
export class ReceivedInvoiceResolver {
  @FieldResolver(() => InvoiceMatch, {
    nullable: true,
    description: 'Of an invoice that a vendor sent to you, or of your payable for the same work: line by line, whether both say the same.',
  })
  match(@Root() { id }: Invoice, @Ctx() ctx: Context): Promise<InvoiceMatch | null> {
    return matchesOf(ctx).load(id);
  }

  @Mutation(() => Invoice, { description: 'Agrees to an invoice that another company sent to yours.' })
  @Requires('approve_invoice')
  async customerApproveInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    await customerApproveInvoice(ctx, { id, companyId });
    return readInvoice(ctx, info, { id, companyId });
  }

  @Mutation(() => Invoice, { description: 'Reports that an invoice that another company sent to yours is paid.' })
  @Requires('pay_settlement')
  async customerPayInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    await customerPayInvoice(ctx, { id, companyId });
    return readInvoice(ctx, info, { id, companyId });
  }
}
