import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { LoadConnection, LoadFilter } from '../../dispatch/jobs/job.lists.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { Ticket } from '../../proof/ticket.entity.ts';
import { TicketConnection } from '../../proof/ticket.lists.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { AddOnChargeConnection } from '../charges/charge.inputs.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceConnection } from '../invoices/invoice.lists.ts';
import { appliedTo, mayReadInvoices, READERS, seesAmounts } from '../invoices/read-invoice.ts';
import { createSettlement } from './create-settlement.ts';
import { paySettlement, undoPaySettlement } from './pay-settlement.ts';
import { rebillSettlement, setRebillRates } from './rebill.ts';
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

/** A settlement that the viewer reads. @throws Missing, Denied */
export async function readable(ctx: Context, id: string, companyId?: string | null): Promise<Settlement> {
  mayReadInvoices(ctx);
  return find(ctx, Settlement, id, { companyId });
}

@Resolver(() => Settlement)
export class SettlementResolver {
  @Query(() => SettlementConnection, { description: 'What is sent to customers, and paid to vendors and drivers, together.' })
  @Requires(...READERS)
  async settlements(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SettlementListArgs) { side, ...args }: SettlementListArgs,
  ): Promise<Connection<Settlement>> {
    mayReadInvoices(ctx);
    return ctx.read.page(Settlement, info, { ...args, where: side ? [ofSide(side)] : [] });
  }

  @Query(() => Settlement, { description: 'A settlement.' })
  @Requires(...READERS)
  async settlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    mayReadInvoices(ctx);
    return ctx.read.one(Settlement, info, { id, companyId });
  }

  @Query(() => InvoiceConnection, { description: 'The invoices of a settlement; a voided one still names them.' })
  @Requires(...READERS)
  async settlementInvoices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<Invoice>> {
    const { id, company } = await readable(ctx, settlementId, companyId);
    return ctx.read.page(Invoice, info, { ...args, companyId: company.id, where: [invoicesIn(id)] });
  }

  @Query(() => LoadConnection, { description: 'The loads that a settlement is for.' })
  @Requires(...READERS)
  async settlementLoads(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadsArgs) { settlementId, companyId, ...args }: LoadsArgs,
  ): Promise<Connection<Load>> {
    const { id, company } = await readable(ctx, settlementId, companyId);
    return ctx.read.page(Load, info, { ...args, companyId: company.id, where: [loadsIn(id)] });
  }

  @Query(() => TicketConnection, { description: 'The tickets of the loads that a settlement is for.' })
  @Requires(...READERS)
  async settlementTickets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<Ticket>> {
    const { id, company } = await readable(ctx, settlementId, companyId);
    return ctx.read.page(Ticket, info, { ...args, companyId: company.id, where: [ticketsIn(id)] });
  }

  @Query(() => AddOnChargeConnection, { description: 'The charges of a settlement, in addition to its invoices.' })
  @Requires(...READERS)
  async settlementAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PartsArgs) { settlementId, companyId, ...args }: PartsArgs,
  ): Promise<Connection<AddOnCharge>> {
    const { id, company } = await readable(ctx, settlementId, companyId);
    return ctx.read.page(AddOnCharge, info, { ...args, companyId: company.id, where: appliedTo(id) });
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
    const settlement = await readable(ctx, settlementId, companyId);
    return lineItemsOf(ctx, settlement, {
      by: by ?? settlement.settlementLineItemType,
      seesMoney: seesAmounts(ctx, settlement.side, settlement.driver),
    });
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
  undoPaySettlement: requires(['pay_settlement'], describe('Takes back that a settlement is paid.', undoPaySettlement)),
  voidSettlement: requires(
    ['void_settlement'],
    withOptionalInput(VoidSettlementInput, voidSettlement, 'Voids a settlement; its invoices are free for another one.'),
  ),
  updateSettlement: requires(
    ['edit_settlement'],
    withInput(UpdateSettlementInput, updateSettlement, 'Changes how a pending settlement is printed.'),
  ),
});
