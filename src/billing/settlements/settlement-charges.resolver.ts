import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { AddOnChargeChange, AddOnChargeInput } from '../charges/charge.inputs.ts';
import { changeBillCharges, createBillCharge } from '../charges/charges.ts';
import { appliedTo } from '../invoices/read-invoice.ts';

/** The charges of settlements, in addition to their invoices. */
@Resolver(() => AddOnCharge)
export class SettlementChargeResolver {
  @Mutation(() => AddOnCharge, { description: 'Adds a charge to a pending settlement.' })
  @Requires('edit_settlement')
  async createSettlementAddOnCharge(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('settlementId', () => ID) settlementId: string,
    @Arg('input', () => AddOnChargeInput) input: AddOnChargeInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<AddOnCharge> {
    const { id } = await createBillCharge(ctx, 'Settlement', { id: settlementId, companyId }, input);
    return ctx.read.one(AddOnCharge, info, { id });
  }

  @Mutation(() => [AddOnCharge], {
    description: 'Adds, changes and removes charges of a pending settlement, all or none; answers all of its charges.',
  })
  @Requires('edit_settlement')
  async changeSettlementAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('settlementId', () => ID) settlementId: string,
    @Arg('addOnCharges', () => [AddOnChargeChange], { nullable: true, description: 'At most 100 changes.' })
    changes?: AddOnChargeChange[] | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<AddOnCharge[]> {
    const changed = await changeBillCharges(ctx, 'Settlement', { id: settlementId, companyId }, changes ?? []);
    return ctx.read.list(AddOnCharge, info, { companyId: changed.companyId, where: appliedTo(changed.id) });
  }
}
