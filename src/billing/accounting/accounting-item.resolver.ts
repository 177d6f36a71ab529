import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { AccountingItem } from './accounting-records.ts';

/** The money of items: who links systems need not see what a company pays and takes. */
@Resolver(() => AccountingItem)
export class AccountingItemResolver {
  @FieldResolver(() => DecimalScalar, {
    nullable: true,
    description: 'The price at which one is bought there; null unless you may see what vendors get.',
  })
  unitCost(@Root() { unitCost }: AccountingItem, @Ctx() ctx: Context): string | null {
    return viewerOf(ctx).can('view_vendor_rates') ? unitCost : null;
  }

  @FieldResolver(() => DecimalScalar, {
    nullable: true,
    description: 'The price at which one is sold there; null unless you may see what customers pay.',
  })
  unitPrice(@Root() { unitPrice }: AccountingItem, @Ctx() ctx: Context): string | null {
    return viewerOf(ctx).can('view_customer_rates') ? unitPrice : null;
  }
}
