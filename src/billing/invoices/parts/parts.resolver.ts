import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { Invoice } from '../invoice.entity.ts';
import { SplitInvoiceInput, UpdateInvoiceInput } from '../invoice.inputs.ts';
import { splitInvoice } from './split-invoice.ts';
import { supplementInvoice } from './supplement-invoice.ts';

/** Invoices of the same work: what was split off, and what differs from what was billed. */
@Resolver(() => Invoice)
export class InvoicePartsResolver {
  @Mutation(() => Invoice, {
    description: 'Bills what differs from an invoice that was approved, also at another rate; answers the supplement.',
  })
  @Requires('edit_invoice')
  async supplementInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateInvoiceInput, { nullable: true, description: 'The rate at which all of the work should be billed.' })
    input?: UpdateInvoiceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    return ctx.read.one(Invoice, info, { id: (await supplementInvoice(ctx, { id, companyId }, input ?? {})).id });
  }

  @Mutation(() => Invoice, { description: 'Takes loads off a pending invoice and makes a part of their own of them; answers that part.' })
  @Requires('edit_invoice')
  async splitInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SplitInvoiceInput) { loadIds }: SplitInvoiceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    return ctx.read.one(Invoice, info, { id: (await splitInvoice(ctx, { id, companyId }, loadIds)).id });
  }
}
