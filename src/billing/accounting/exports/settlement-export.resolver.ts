import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { exportSettlement } from './export-settlement.ts';

@Resolver(() => Settlement)
export class SettlementExportResolver {
  @Mutation(() => Settlement, { description: 'Has a settlement sent to a linked accounting system.' })
  @Requires(MANAGES_ACCOUNTING)
  async exportSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('linkedAccountId', () => ID, {
      nullable: true,
      description: 'The system; by default, the only one that is linked, or the only one that knows the customer or vendor.',
    })
    linkedAccountId?: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    await exportSettlement(ctx, { id, companyId }, linkedAccountId);
    return ctx.read.one(Settlement, info, { id });
  }
}
