import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { findSent } from '../../invoices/sending/sent-records.ts';
import { Settlement } from '../settlement.entity.ts';
import { customerApproveSettlement, customerPaySettlement, customerReleaseSettlement } from './send-settlement.ts';

/** The answers of the customer's company to a settlement that was sent to it. */
@Resolver(() => Settlement)
export class ReceivedSettlementResolver {
  @Mutation(() => Settlement, { description: 'Agrees to a settlement that another company sent to yours, with its invoices.' })
  @Requires('approve_settlement')
  async customerApproveSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    await customerApproveSettlement(ctx, { id, companyId });
    return readSettlement(ctx, info, id, companyId);
  }

  @Mutation(() => Settlement, { description: 'Reports that a settlement that another company sent to yours is paid, with its invoices.' })
  @Requires('pay_settlement')
  async customerPaySettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Settlement> {
    await customerPaySettlement(ctx, { id, companyId });
    return readSettlement(ctx, info, id, companyId);
  }

  @Mutation(() => Boolean, {
    description: 'Gives a settlement that another company sent to yours back to it, which may then change or void it and send it again.',
  })
  @Requires('approve_settlement')
  async customerReleaseSettlement(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await customerReleaseSettlement(ctx, { id, companyId });
    return true;
  }
}

/** Reads a settlement in the viewer's books, or one that was sent to them, as its selection asks for it. @throws Missing */
export async function readSettlement(
  ctx: Context,
  info: GraphQLResolveInfo,
  id: string,
  companyId?: string | null,
  asOf?: Date | null,
): Promise<Settlement> {
  return ctx.read.one(Settlement, info, { ...(await findSent(ctx, Settlement, { id, companyId })).reads, asOf });
}
