import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../platform/context.ts';
import { Json } from '../../platform/scalars.ts';
import { explanationsOf, type SettlementExplanation } from './explain-settlement.ts';
import { Settlement } from './settlement.entity.ts';

@Resolver(() => Settlement)
export class ExplainedSettlementResolver {
  @FieldResolver(() => Json, {
    nullable: true,
    description:
      'How the total came about: `{ label, amount, operation, places, source, parts }`, down to invoices, which explain themselves, and to charges. `rebilled` is the same for what a settlement that is billed anew comes to. Null for those who do not see its amounts, and of a voided one whose invoices come to something else since.',
  })
  explain(@Root() { id }: Settlement, @Ctx() ctx: Context): Promise<SettlementExplanation | null> {
    return explanationsOf(ctx).load(id);
  }
}
