import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import { dryRun } from '../../../platform/commands/dry-run.ts';
import type { Context } from '../../../platform/context.ts';
import { readingWithin } from '../../../platform/database/sql.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { explanationsOf } from '../explain-settlement.ts';
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
    const correct = (of: Context) => correctSettlement(of, { id, companyId }, input);
    if (!input.dryRun) return ctx.read.one(Settlement, info, { id: (await correct(ctx)).id });
    return dryRun(ctx, correct, async (tx, made) => {
      const within = { ...tx, em: readingWithin(tx.em) };
      // The explanation of its total is read when the new settlement is gone again.
      explanationsOf(ctx).prime(made.id, await explanationsOf(within).load(made.id));
      return ctx.read.within(within).one(Settlement, info, { id: made.id });
    });
  }
}
