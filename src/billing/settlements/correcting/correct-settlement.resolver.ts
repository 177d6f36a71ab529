import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { Settlement } from '../settlement.entity.ts';
import { CorrectSettlementInput } from './correct-settlement.inputs.ts';
import { correctSettlement } from './correct-settlement.ts';

@Resolver(() => Settlement)
export class CorrectSettlementResolver {
  @Mutation(() => Settlement, {
    description: 'Voids a settlement, corrects invoices of it, and settles them anew: all at once. Answers the new settlement.',
  })
  @Requires('void_settlement')
  @Requires('create_settlement')
  @Requires('edit_invoice')
  @Requires('approve_invoice')
  async correctSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => CorrectSettlementInput) input: CorrectSettlementInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    const made = await correctSettlement(ctx, { id, companyId }, input);
    return ctx.read.one(Settlement, info, { id: made.id });
  }
}
