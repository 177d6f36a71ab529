import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceConnection } from '../invoices/invoice.lists.ts';
import { READERS } from '../invoices/read-invoice.ts';
import { findOwn } from './read-settlement.ts';
import { Settlement } from './settlement.entity.ts';
import { supplementsTo } from './settlement.lists.ts';

@ArgsType()
class SupplementArgs extends PageArgs {
  @Field(() => ID, { description: 'The settlement that has what they supplement.' }) settlementId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

/** The supplements that bill work that came after a settlement was made, or errors in it: each is billed by itself, so the settlement lists them (BILLING B2.4). */
@Resolver(() => Settlement)
export class SupplementsOfSettlementResolver {
  @Query(() => InvoiceConnection, { description: 'Invoices that supplement those of a settlement; voided ones are not among them.' })
  @Requires(...READERS)
  async settlementSupplements(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SupplementArgs) { settlementId, companyId, ...args }: SupplementArgs,
  ): Promise<Connection<Invoice>> {
    const { id, company } = await findOwn(ctx, settlementId, companyId);
    return ctx.read.page(Invoice, info, { ...args, companyId: company.id, where: [supplementsTo(id)] });
  }
}
