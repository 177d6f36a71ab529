import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { BulkAction } from '../../dispatch/bulk/bulk-action.entity.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { bulkCreateSettlements } from './bulk-create.ts';
import { BulkSettlementInput } from './settlement.inputs.ts';

/** Answers as soon as the action is stored; `bulkAction` returns its progress, `bulkActionItems` for whom something was settled. */
@Resolver(() => BulkAction)
export class BulkSettlementResolver {
  @Mutation(() => BulkAction, {
    description: 'Settles what was approved for a period in the background: one settlement for each customer, vendor and driver.',
  })
  @Requires('create_settlement')
  async bulkCreateSettlements(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => BulkSettlementInput) input: BulkSettlementInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BulkAction> {
    const { id } = await bulkCreateSettlements(ctx, input, companyId);
    return ctx.read.one(BulkAction, info, { id });
  }
}
