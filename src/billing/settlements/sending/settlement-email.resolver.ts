import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../../platform/read/connection.ts';
import { READERS } from '../../invoices/read-invoice.ts';
import { findOwn } from '../read-settlement.ts';
import { EmailSettlementInput, emailSettlement } from './email-settlement.ts';
import { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';

const SettlementEmailDeliveryConnection = connectionOf('SettlementEmailDelivery', () => SettlementEmailDelivery);

@ArgsType()
class DeliveriesArgs extends PageArgs {
  @Field(() => ID, { description: 'The settlement that was sent.' }) settlementId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@Resolver(() => SettlementEmailDelivery)
export class SettlementEmailResolver {
  @Query(() => SettlementEmailDeliveryConnection, { description: 'To whom a settlement was sent as a PDF, and what became of it.' })
  @Requires(...READERS)
  async settlementEmailDeliveries(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DeliveriesArgs) { settlementId, companyId, ...args }: DeliveriesArgs,
  ): Promise<Connection<SettlementEmailDelivery>> {
    const { id, company } = await findOwn(ctx, settlementId, companyId);
    const where = [{ key: 'of settlement', sql: (t: string, p: string) => `${t}.settlement_id = ${p}`, cast: 'uuid', value: id }];
    return ctx.read.page(SettlementEmailDelivery, info, { ...args, companyId: company.id, where });
  }

  @Mutation(() => SettlementEmailDelivery, { description: 'Sends a settlement to an address as a PDF.' })
  @Requires('edit_settlement')
  async emailSettlement(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => EmailSettlementInput) input: EmailSettlementInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<SettlementEmailDelivery> {
    const delivery = await emailSettlement(ctx, { id, companyId }, input);
    return ctx.read.one(SettlementEmailDelivery, info, { id: delivery.id });
  }
}
