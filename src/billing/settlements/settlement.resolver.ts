import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { LoadConnection, LoadFilter } from '../../dispatch/jobs/job.lists.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import { asOfArg } from '../../platform/graphql/record-queries.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { Ticket } from '../../proof/ticket.entity.ts';
import { TicketConnection } from '../../proof/ticket.lists.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { AddOnChargeConnection } from '../charges/charge.inputs.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceConnection } from '../invoices/invoice.lists.ts';
import { appliedTo, mayReadInvoices, READERS, seesAmounts } from '../invoices/read-invoice.ts';
import { findSent, namesOthers, type Readable } from '../invoices/sending/sent-records.ts';
import { carryForwardSettlement } from './carry-forward.ts';
import { createSettlement } from './create-settlement.ts';
import { paySettlement, undoPaySettlement } from './pay-settlement.ts';
import { rebillSettlement, setRebillRates } from './rebill.ts';
import { readSettlement } from './sending/received-settlement.resolver.ts';
import { sendSettlement } from './sending/send-settlement.ts';
import { Settlement, SettlementLineItemType } from './settlement.entity.ts';
import { CreateSettlementInput, RebillRateInput, UpdateSettlementInput, VoidSettlementInput } from './settlement.inputs.ts';
import { invoicesIn, loadsIn, ofSide, SettlementConnection, SettlementListArgs, ticketsIn } from './settlement.lists.ts';
import { approveSettlement, unapproveSettlement, updateSettlement, voidSettlement } from './settlement-commands.ts';
import { lineItemsOf, SettlementLineItemGroup } from './settlement-line-items.ts';

@ArgsType()
class PartsArgs extends PageArgs {
  @Field(() => ID, { description: 'The settlement whose parts are read.' }) settlementId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}
@ArgsType()
class LoadsArgs extends PartsArgs {
  @Field(() => LoadFilter, { nullable: true }) filter?: LoadFilter | null;
}

/** A settlement that the viewer reads: in their books, or sent to them. @throws Missing, Denied */
async function readable(ctx: Context, id: string, companyId?: string | null): Promise<{ record: Settlement; reads: Readable }> {
  mayReadInvoices(ctx);
  return findSent(ctx, Settlement, { id, companyId });
}

@Resolver(() => Settlement)
export class SettlementResolver {
  @Query(() => SettlementConnection, {
    description: 'The settlements: invoices that are sent to customers, and paid to vendors and drivers, together.',
  })
  @Requires(...READERS)
  async settlements(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SettlementListArgs) { side, ...args }: SettlementListArgs,
  ): Promise<Connection<Settlement>> {
    mayReadInvoices(ctx);
    // A settlement that others sent is on the other side in their books.
    const theirs = args.filter?.received ? ({ receivable: 'payable', payable: 'receivable' } as const) : undefined;
    return ctx.read.page(Settlement, info, {
      ...args,
      shared: namesOthers(ctx, 'Settlement', args),
      where: side ? [ofSide(theirs?.[side] ?? side)] : [],
    });
  }

  @Query(() => Settlement, { description: 'A settlement.' })
  @Requires(...READERS)
  async settlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
    @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
  ): Promise<Settlement> {
    mayReadInvoices(ctx);
    return readSettlement(ctx, info, id, companyId, asOf);
  }

  @Query(() => InvoiceConnection, { description: 'The invoices of a settlement; a voided one still names them.' })
  @Requires(...READERS)
  async settlementInvoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<Invoice>> {
    const { id, ...of } = (await readable(ctx, settlementId, companyId)).reads;
    return ctx.read.page(Invoice, info, { ...args, ...of, where: [invoicesIn(id)] });
  }

  @Query(() => LoadConnection, { description: 'The loads that a settlement is for.' })
  @Requires(...READERS)
  async settlementLoads(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadsArgs) { settlementId, companyId, ...args }: LoadsArgs,
  ): Promise<Connection<Load>> {
    const { id, companyId: reader } = (await readable(ctx, settlementId, companyId)).reads;
    return ctx.read.page(Load, info, { ...args, companyId: reader, where: [loadsIn(id)] });
  }

  @Query(() => TicketConnection, { description: 'The tickets of the loads that a settlement is for.' })
  @Requires(...READERS)
  async settlementTickets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<Ticket>> {
    const { id, companyId: reader } = (await readable(ctx, settlementId, companyId)).reads;
    return ctx.read.page(Ticket, info, { ...args, companyId: reader, where: [ticketsIn(id)] });
  }

  @Query(() => AddOnChargeConnection, { description: 'The charges of a settlement, in addition to its invoices.' })
  @Requires(...READERS)
  async settlementAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<AddOnCharge>> {
    const { id, ...of } = (await readable(ctx, settlementId, companyId)).reads;
    return ctx.read.page(AddOnCharge, info, { ...args, ...of, where: appliedTo(id) });
  }

  @Query(() => [SettlementLineItemGroup], { description: 'The lines of a settlement, in the groups by which it is printed.' })
  @Requires(...READERS)
  async settlementLineItems(
    @Ctx() ctx: Context,
    @Arg('settlementId', () => ID) settlementId: string,
    @Arg('settlementLineItemType', () => SettlementLineItemType, { nullable: true, description: 'By default, that of the settlement.' })
    by?: SettlementLineItemType,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<SettlementLineItemGroup[]> {
    const { record, reads } = await readable(ctx, settlementId, companyId);
    const { shared: received } = reads;
    // A settlement that was sent to a company costs it as much as a vendor does.
    const seesMoney = received ? viewerOf(ctx).can('view_vendor_rates') : seesAmounts(ctx, record.side, record.driver);
    return lineItemsOf(ctx, record, { by: by ?? record.settlementLineItemType, seesMoney, received });
  }

  @Mutation(() => Settlement, { description: 'Settles approved invoices of one customer, vendor or driver together.' })
  @Requires('create_settlement')
  async createSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateSettlementInput) input: CreateSettlementInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    const { id } = await createSettlement(ctx, input, companyId);
    return ctx.read.one(Settlement, info, { id });
  }

  @Mutation(() => Settlement, { description: 'Makes a new settlement of what a voided one was for.' })
  @Requires('void_settlement')
  @Requires('create_settlement')
  async rebillSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    const made = await rebillSettlement(ctx, { id, companyId });
    return ctx.read.one(Settlement, info, { id: made.id });
  }

  @Mutation(() => Settlement, { description: 'Sets the rates at which invoices of a settlement that is billed anew are charged.' })
  @Requires('edit_settlement')
  async setRebillRates(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('data', () => [RebillRateInput], { description: 'At most 1,000 changes.' }) data: RebillRateInput[],
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    await setRebillRates(ctx, { id, companyId }, data);
    return ctx.read.one(Settlement, info, { id });
  }
}

/** Acts on one settlement. */
export const SettlementMutations = mutationsOf(Settlement, {
  approveSettlement: requires(
    ['approve_settlement'],
    describe('Approves a settlement; it stays as it is from then on.', approveSettlement),
  ),
  unapproveSettlement: requires(['approve_settlement'], describe('Takes the approval of a settlement back.', unapproveSettlement)),
  paySettlement: requires(['pay_settlement'], describe('Notes that a settlement, and what is in it, is paid.', paySettlement)),
  carryForwardSettlement: requires(
    ['pay_settlement'],
    describe('Carries what a vendor or driver owes by a settlement over to the next one; this one is paid.', carryForwardSettlement),
  ),
  undoPaySettlement: requires(['pay_settlement'], describe('Takes back that a settlement is paid.', undoPaySettlement)),
  voidSettlement: requires(
    ['void_settlement'],
    withOptionalInput(VoidSettlementInput, voidSettlement, 'Voids a settlement; its invoices are free for another one.'),
  ),
  sendSettlement: requires(
    ['edit_settlement'],
    describe("Sends an approved settlement to the customer's company, with its invoices.", sendSettlement),
  ),
  updateSettlement: requires(
    ['edit_settlement'],
    withInput(UpdateSettlementInput, updateSettlement, 'Changes how a pending settlement is printed.'),
  ),
});
