import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { companyThen, ofOrder } from '../../dispatch/jobs/job.resolver.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { asOfArg } from '../../platform/graphql/record-queries.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MANAGES_ACCOUNTING } from '../accounting/settings.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { AddOnChargeChange, AddOnChargeConnection, AddOnChargeInput } from '../charges/charge.inputs.ts';
import { changeBillCharges, createBillCharge } from '../charges/charges.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { GenerateInvoiceLineItemsInput, UpdateInvoiceInput } from './invoice.inputs.ts';
import { InvoiceConnection, InvoiceLineItemConnection, InvoiceListArgs } from './invoice.lists.ts';
import { approveInvoice, exportInvoice, payInvoice, unapproveInvoice, updateInvoice, voidInvoice } from './invoice-commands.ts';
import { type InvoiceSide } from './invoice-enums.ts';
import { changeInvoiceLines } from './lines/change-lines.ts';
import { GeneratedInvoiceLineItem, generateLineItems } from './lines/generate-line-items.ts';
import { InvoiceLineItemChange } from './lines/line.inputs.ts';
import { appliedTo, findReadable, mayReadInvoices, READERS, readInvoice, readLiveInvoice } from './read-invoice.ts';
import { sendInvoice } from './sending/send-invoice.ts';
import { namesOthers } from './sending/sent-records.ts';

const CHANGES = { description: 'At most 1,000.', nullable: true } as const;

@ArgsType()
class LineItemArgs extends PageArgs {
  @Field(() => ID, { description: 'The invoice whose lines are read.' }) invoiceId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@Resolver(() => Invoice)
export class InvoiceResolver {
  @Query(() => InvoiceConnection, {
    description: 'The invoices of what customers owe the company, and of what it owes vendors and drivers.',
  })
  @Requires(...READERS)
  async invoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => InvoiceListArgs) { orderId, ...args }: InvoiceListArgs,
  ): Promise<Connection<Invoice>> {
    mayReadInvoices(ctx);
    if (!orderId) return ctx.read.page(Invoice, info, { ...args, shared: namesOthers(ctx, 'Invoice', args) });
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Invoice, info, { ...args, companyId: companyThen(ctx, order, args), where: [ofOrder(order.id)] });
  }

  @Query(() => Invoice, { description: 'An invoice, with its lines.' })
  @Requires(...READERS)
  async invoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
    @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
  ): Promise<Invoice> {
    mayReadInvoices(ctx);
    return readInvoice(ctx, info, { id, companyId }, asOf);
  }

  @Query(() => InvoiceLineItemConnection, { description: 'The lines of an invoice.' })
  @Requires(...READERS)
  async invoiceLineItems(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LineItemArgs) { invoiceId, companyId, ...args }: LineItemArgs,
  ): Promise<Connection<InvoiceLineItem>> {
    mayReadInvoices(ctx);
    const { id, ...of } = await findReadable(ctx, { id: invoiceId, companyId });
    return ctx.read.page(InvoiceLineItem, info, { ...args, ...of, sort: { ordinality: 'asc' }, where: linesOf(id) });
  }

  @Mutation(() => [InvoiceLineItem], {
    description: 'Edits and removes lines of a pending invoice, all or none; answers all of its lines.',
  })
  @Requires('edit_invoice')
  async changeInvoiceLineItems(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('invoiceId', () => ID) invoiceId: string,
    @Arg('invoiceLineItems', () => [InvoiceLineItemChange], CHANGES) changes: InvoiceLineItemChange[],
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<InvoiceLineItem[]> {
    const changed = await changeInvoiceLines(ctx, { id: invoiceId, companyId }, changes ?? []);
    return ctx.read.list(InvoiceLineItem, info, { companyId: changed.companyId, where: linesOf(changed.id), order: AS_PRINTED });
  }

  @Query(() => AddOnChargeConnection, { description: 'The charges of an invoice, in addition to its lines.' })
  @Requires(...READERS)
  async invoiceAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LineItemArgs) { invoiceId, companyId, ...args }: LineItemArgs,
  ): Promise<Connection<AddOnCharge>> {
    mayReadInvoices(ctx);
    const { id, ...of } = await findReadable(ctx, { id: invoiceId, companyId });
    return ctx.read.page(AddOnCharge, info, { ...args, ...of, where: appliedTo(id) });
  }

  @Mutation(() => AddOnCharge, { description: 'Adds a charge to a pending invoice.' })
  @Requires('edit_invoice')
  async createInvoiceAddOnCharge(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('invoiceId', () => ID) invoiceId: string,
    @Arg('input', () => AddOnChargeInput) input: AddOnChargeInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<AddOnCharge> {
    return ctx.read.one(AddOnCharge, info, { id: (await createBillCharge(ctx, 'Invoice', { id: invoiceId, companyId }, input)).id });
  }

  @Mutation(() => [AddOnCharge], {
    description: 'Adds, changes and removes charges of a pending invoice, all or none; answers all of its charges.',
  })
  @Requires('edit_invoice')
  async changeInvoiceAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('invoiceId', () => ID) invoiceId: string,
    @Arg('addOnCharges', () => [AddOnChargeChange], { nullable: true, description: 'At most 100 changes.' })
    changes?: AddOnChargeChange[] | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<AddOnCharge[]> {
    const changed = await changeBillCharges(ctx, 'Invoice', { id: invoiceId, companyId }, changes ?? []);
    return ctx.read.list(AddOnCharge, info, { companyId: changed.companyId, where: appliedTo(changed.id) });
  }

  @Query(() => Invoice, { description: 'The invoices of what the customer owes for a job, in the books of the company that asks.' })
  @Requires(...READERS)
  jobReceivable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    return invoiceOfJob(ctx, info, { id, companyId, side: 'receivable' });
  }

  @Query(() => Invoice, {
    description: 'The invoices of what is owed to the vendor or the driver of a job, in the books of the company that asks.',
  })
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

const linesOf = (invoiceId: string) => [
  { key: 'invoice', sql: (t: string, p: string) => `${t}.invoice_id = ${p}`, cast: 'uuid', value: invoiceId },
];
/** As they are printed. */
const AS_PRINTED = { key: 'ordinality', sql: (t: string) => `${t}.line_item_type, ${t}.ordinality` };

async function invoiceOfJob(
  ctx: Context,
  info: GraphQLResolveInfo,
  { id, companyId, side }: RecordPath & { side: InvoiceSide },
): Promise<Invoice> {
  mayReadInvoices(ctx);
  const job = await find(ctx, Job, id, { companyId });
  return readLiveInvoice(ctx, info, { job: job.id, side }, companyId);
}

/** Acts on one invoice. */
export const InvoiceMutations = mutationsOf(Invoice, {
  approveInvoice: requires(['approve_invoice'], describe('Approves an invoice; it stays as it is from then on.', approveInvoice)),
  unapproveInvoice: requires(['approve_invoice'], describe('Takes the approval of an invoice back.', unapproveInvoice)),
  payInvoice: requires(['pay_settlement'], describe('Notes that an invoice is paid.', payInvoice)),
  sendInvoice: requires(['edit_invoice'], describe('Sends an approved invoice to the company of its customer.', sendInvoice)),
  exportInvoice: requires([MANAGES_ACCOUNTING], describe('Notes that an invoice was handed to accounting.', exportInvoice)),
  voidInvoice: requires(['edit_invoice'], describe('Voids an invoice; work that is still to be invoiced gets another one.', voidInvoice)),
  updateInvoice: requires(['edit_invoice'], withInput(UpdateInvoiceInput, updateInvoice, 'Sets the rate of a pending invoice by hand.')),
});
