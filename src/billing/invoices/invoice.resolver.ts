import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { companyFor, ofOrder } from '../../dispatch/jobs/job.resolver.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { AddOnChargeConnection } from '../charges/charge.inputs.ts';
import { GeneratedInvoiceLineItem, generateLineItems } from './generate-line-items.ts';
import { Invoice, InvoiceLineItem, type InvoiceSide } from './invoice.entity.ts';
import { GenerateInvoiceLineItemsInput, UpdateInvoiceInput } from './invoice.inputs.ts';
import { InvoiceConnection, InvoiceLineItemConnection, InvoiceListArgs } from './invoice.lists.ts';
import { approveInvoice, payInvoice, unapproveInvoice, updateInvoice, voidInvoice } from './invoice-commands.ts';

/** Who reads invoices: those who see settlements, and drivers what they are paid. */
const READERS = allOrOwn('view_settlements');

@ArgsType()
class LineItemArgs extends PageArgs {
  @Field(() => ID, { description: 'The invoice whose lines are read.' }) invoiceId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

/** @throws Denied unless the viewer reads invoices at all */
function mayRead(ctx: Context): void {
  const viewer = viewerOf(ctx);
  if (!READERS.some((permission) => viewer.can(permission))) throw denial(viewer, 'view_settlements');
}

@Resolver(() => Invoice)
export class InvoiceResolver {
  @Query(() => InvoiceConnection, { description: 'What customers owe the company, and what it owes vendors and drivers.' })
  @Requires(...READERS)
  async invoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => InvoiceListArgs) { orderId, ...args }: InvoiceListArgs,
  ): Promise<Connection<Invoice>> {
    mayRead(ctx);
    if (!orderId) return ctx.read.page(Invoice, info, args);
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Invoice, info, { ...args, companyId: companyFor(ctx, order, args.companyId), where: [ofOrder(order.id)] });
  }

  @Query(() => Invoice, { description: 'An invoice, with its lines.' })
  @Requires(...READERS)
  async invoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    mayRead(ctx);
    return ctx.read.one(Invoice, info, { id, companyId });
  }

  @Query(() => InvoiceLineItemConnection, { description: 'The lines of an invoice.' })
  @Requires(...READERS)
  async invoiceLineItems(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LineItemArgs) { invoiceId, companyId, ...args }: LineItemArgs,
  ): Promise<Connection<InvoiceLineItem>> {
    mayRead(ctx);
    const invoice = await find(ctx, Invoice, invoiceId, { companyId });
    const where = [{ key: 'invoice', sql: (t: string, p: string) => `${t}.invoice_id = ${p}`, cast: 'uuid', value: invoice.id }];
    return ctx.read.page(InvoiceLineItem, info, { ...args, companyId: invoice.company.id, sort: { ordinality: 'asc' }, where });
  }

  @Query(() => AddOnChargeConnection, { description: 'The charges of an invoice, in addition to its lines.' })
  @Requires(...READERS)
  async invoiceAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LineItemArgs) { invoiceId, companyId, ...args }: LineItemArgs,
  ): Promise<Connection<AddOnCharge>> {
    mayRead(ctx);
    const invoice = await find(ctx, Invoice, invoiceId, { companyId });
    const where = [
      { key: 'applied to', sql: (t: string, p: string) => `${t}.add_on_applicable_id = ${p}`, cast: 'uuid', value: invoice.id },
    ];
    return ctx.read.page(AddOnCharge, info, { ...args, companyId: invoice.company.id, where });
  }

  @Query(() => Invoice, { description: 'What the customer owes for a job, in the books of the company that asks.' })
  @Requires(...READERS)
  jobReceivable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    return invoiceOfJob(ctx, info, { id, companyId, side: 'receivable' });
  }

  @Query(() => Invoice, { description: 'What is owed to the vendor or the driver of a job, in the books of the company that asks.' })
  @Requires(...READERS)
  jobPayable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    return invoiceOfJob(ctx, info, { id, companyId, side: 'payable' });
  }

  @Query(() => [GeneratedInvoiceLineItem], {
    description: 'The lines that a pending invoice would have at another rate; nothing is stored.',
  })
  @Requires('edit_invoice')
  generatedInvoiceLineItems(
    @Ctx() ctx: Context,
    @Arg('invoiceId', () => ID) invoiceId: string,
    @Arg('input', () => GenerateInvoiceLineItemsInput) input: GenerateInvoiceLineItemsInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<GeneratedInvoiceLineItem[]> {
    return generateLineItems(ctx, { id: invoiceId, companyId }, input);
  }
}

async function invoiceOfJob(
  ctx: Context,
  info: GraphQLResolveInfo,
  { id, companyId, side }: { id: string; companyId?: string; side: InvoiceSide },
): Promise<Invoice> {
  mayRead(ctx);
  const job = await find(ctx, Job, id, { companyId });
  const companyIds = companyId ? [companyId] : viewerOf(ctx).companyIds;
  const found = await ctx.em.findOne(
    Invoice,
    { job: job.id, side, state: { $ne: 'voided' }, company: { $in: [...companyIds] } },
    { filters: { tenant: false }, fields: ['id'], orderBy: { id: 'asc' } },
  );
  if (!found) throw new Missing();
  return ctx.read.one(Invoice, info, { id: found.id, companyId });
}

/** Acts on one invoice. */
export const InvoiceMutations = mutationsOf(Invoice, {
  approveInvoice: requires(['approve_invoice'], describe('Approves an invoice; it stays as it is from then on.', approveInvoice)),
  unapproveInvoice: requires(['approve_invoice'], describe('Takes the approval of an invoice back.', unapproveInvoice)),
  payInvoice: requires(['pay_settlement'], describe('Notes that an invoice is paid.', payInvoice)),
  voidInvoice: requires(['edit_invoice'], describe('Voids an invoice; work that is still to be invoiced gets another one.', voidInvoice)),
  updateInvoice: requires(['edit_invoice'], withInput(UpdateInvoiceInput, updateInvoice, 'Sets the rate of a pending invoice by hand.')),
});
