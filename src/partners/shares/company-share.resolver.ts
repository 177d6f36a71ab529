import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { CompanyShare } from '../../directory/shares/company-share.entity.ts';
import { CreateCompanyShareInput, UpdateCompanyShareInput } from '../../directory/shares/company-share.inputs.ts';
import { CompanyShareConnection, type CompanyShareFilter, CompanyShareListArgs } from '../../directory/shares/company-share.lists.ts';
import { CompanyShareableType } from '../../directory/shares/shared-with.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { one, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { createCompanyShare, deleteCompanyShare, SHAREABLE } from './company-shares.ts';
import { updateCompanyShare } from './update-company-share.ts';

const shared = true;

@Resolver(() => CompanyShare)
export class CompanyShareResolver {
  @Query(() => CompanyShareConnection, {
    description: 'The records that a company shares, and those shared with it, including expired shares.',
  })
  @AnySignedIn()
  companyShares(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => CompanyShareListArgs) args: CompanyShareListArgs,
  ): Promise<Connection<CompanyShare>> {
    checkSides(args.filter);
    return ctx.read.page(CompanyShare, info, { ...args, shared });
  }

  @Query(() => CompanyShareConnection, { description: 'The shares of one record, sent and received.' })
  @AnySignedIn()
  async recordShares(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('type', () => CompanyShareableType) type: CompanyShareableType,
    @Arg('companyShareableId', () => ID) id: string,
    @Args(() => CompanyShareListArgs) args: CompanyShareListArgs,
  ): Promise<Connection<CompanyShare>> {
    checkSides(args.filter);
    const { id: found } = await find(ctx, SHAREABLE[type], id, { companyId: args.companyId, shared });
    const ofRecord: Where = { key: 'ofRecord', sql: (t, p) => `${t}.company_shareable_id = ${p}`, cast: 'uuid', value: found };
    return ctx.read.page(CompanyShare, info, { ...args, family: !args.companyId, shared, where: [ofRecord] });
  }

  @Mutation(() => CompanyShare, { description: 'Shares a record with a connected company, or passes a share on.' })
  @Requires('create_company_share', 'create_companyshare')
  async createCompanyShare(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateCompanyShareInput) input: CreateCompanyShareInput,
    @Arg('companyId', () => ID, { nullable: true, description: 'The company that shares; by default, your own.' }) companyId?: string,
  ): Promise<CompanyShare> {
    const { id } = await createCompanyShare(ctx, companyId, input);
    return ctx.read.one(CompanyShare, info, { id, shared });
  }

  @Mutation(() => CompanyShare, { description: 'Changes a share; each side may change its own fields.' })
  @Requires('edit_company_share')
  async updateCompanyShare(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateCompanyShareInput) input: UpdateCompanyShareInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<CompanyShare> {
    await updateCompanyShare(ctx, { id, companyId }, input);
    return ctx.read.one(CompanyShare, info, { id, shared });
  }

  @Mutation(() => Boolean, { description: 'Ends a share, and all shares that were passed on from it.' })
  @Requires('delete_company_share', 'delete_companyshare')
  async deleteCompanyShare(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteCompanyShare(ctx, { id, companyId });
    return true;
  }
}

/** @throws Invalid when a filter names one side and both */
export function checkSides(filter: CompanyShareFilter | null | undefined): void {
  if (filter?.betweenCompanyId && (filter.senderCompanyId || filter.receiverCompanyId))
    throw new Invalid([{ model: 'CompanyShare', field: 'filter.betweenCompanyId', key: 'between_alone' }]);
}

export const CompanyShareQueries = queriesOf(CompanyShare, {
  companyShare: one(AnySignedIn(), () => ({ shared })),
});
