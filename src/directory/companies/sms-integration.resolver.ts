import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { SmsIntegration } from './sms-integration.entity.ts';

const SmsIntegrationConnection = connectionOf('SmsIntegration', () => SmsIntegration);
const READS = 'edit_company';

@ArgsType()
class SmsIntegrationArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** The numbers that companies text from. */
@Resolver(() => SmsIntegration)
export class SmsIntegrationResolver {
  @Query(() => SmsIntegrationConnection, { description: 'The numbers that a company texts from; by default, your own.' })
  @Requires(READS)
  smsIntegrations(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SmsIntegrationArgs) args: SmsIntegrationArgs,
  ): Promise<Connection<SmsIntegration>> {
    companyOf(ctx, args.companyId);
    allow(ctx, READS);
    return ctx.read.page(SmsIntegration, info, args);
  }

  @Query(() => SmsIntegration)
  @Requires(READS)
  async smsIntegration(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<SmsIntegration> {
    const found = await ctx.read.one(SmsIntegration, info, { id, companyId });
    allow(ctx, READS);
    return found;
  }
}
