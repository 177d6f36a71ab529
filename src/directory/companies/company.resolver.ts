import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { asOfArg, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineSearchText, defineSorts } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/reader.ts';
import { DateTime } from '../../platform/scalars.ts';
import { isConnected } from '../accounts/connections.ts';
import { Company } from './company.entity.ts';
import { CompanyName, companyByPlatformId } from './find-company.ts';

export const CompanyConnection = connectionOf('Company', () => Company);

export const companySearchText = defineSearchText(Company, 'company');

export const companySorts = defineSorts(Company, { legalName: { sql: (t) => `lower(${t}.legal_name)`, cast: 'text' } });

@InputType()
class CompanySearch {
  @Field(() => String, { nullable: true }) datagrid?: string | null;
  @Field(() => String, { nullable: true }) query?: string | null;
}

@InputType()
class CompanySort {
  @Field(() => SortDirection, { nullable: true }) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true }) legalName?: SortDirection | null;
}

@ArgsType()
export class CompanyListArgs extends PageArgs {
  @Field(() => CompanySearch, { nullable: true }) search?: CompanySearch | null;
  @Field(() => CompanySort, { nullable: true }) sort?: CompanySort | null;
}

/** Companies of the viewer's family: its own and everything below. */
export const inFamily = (ctx: Context): Where => ({
  key: 'family',
  sql: (t, p) => `${t}.id = any(${p})`,
  cast: 'uuid[]',
  value: viewerOf(ctx).companyIds,
});

/** Companies that the accounts of a company are connected to now. */
export const connectedTo = (companyId: string): Where => ({
  key: 'connectedTo',
  sql: (t, p) =>
    `${t}.discarded_at is null and exists (
      select 1 from account a where a.connected_company_id = ${t}.id and a.company_id = ${p} and ${isConnected('a')})`,
  cast: 'uuid',
  value: companyId,
});

@Resolver(() => Company)
export class CompanyResolver {
  @Query(() => Company, { description: 'A company of your family; your own if no id is sent.' })
  @AnySignedIn()
  company(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID, { nullable: true }) id?: string,
    @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
  ): Promise<Company> {
    return ctx.read.one(Company, info, { id: id ?? viewerOf(ctx).companyId, asOf, where: [inFamily(ctx)] });
  }

  @Query(() => CompanyConnection, { description: 'The direct children of a company.' })
  @AnySignedIn()
  childCompanies(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Args(() => CompanyListArgs) args: CompanyListArgs,
  ): Promise<Connection<Company>> {
    const parent: Where = { key: 'parent', sql: (t, p) => `${t}.parent_company_id = ${p}`, cast: 'uuid', value: companyOf(ctx, companyId) };
    return ctx.read.page(Company, info, { ...args, ranked: true, family: true, where: [inFamily(ctx), parent] });
  }

  @Query(() => CompanyConnection, { description: 'Companies that the accounts of a company are connected to.' })
  @AnySignedIn()
  connectedCompanies(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Args(() => CompanyListArgs) args: CompanyListArgs,
  ): Promise<Connection<Company>> {
    return ctx.read.page(Company, info, { ...args, ranked: true, companyId, where: [connectedTo(companyOf(ctx, companyId))] });
  }

  @Query(() => CompanyName, { description: 'Any company by its platform id, to connect with it. Only its name is returned.' })
  @Requires('connect_companies')
  companyByPlatformId(@Ctx() ctx: Context, @Arg('platformId', () => String) platformId: string): Promise<CompanyName> {
    return companyByPlatformId(ctx, platformId);
  }
}

export const CompanyQueries = queriesOf(Company, {
  companies: page(
    AnySignedIn(),
    CompanyConnection,
    CompanyListArgs,
    (args, ctx) => ({ ...args, ranked: true, family: true, where: [inFamily(ctx)] }),
    { description: 'Your own company and its descendants.' },
  ),
});
