import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { CompanyConnection, CompanyListArgs, connectedTo } from '../../directory/companies/company.resolver.ts';
import { CompanyShare } from '../../directory/shares/company-share.entity.ts';
import { CreateCompanyShareInput, UpdateCompanyShareInput } from '../../directory/shares/company-share.inputs.ts';
import { CompanyShareConnection, CompanyShareListArgs } from '../../directory/shares/company-share.lists.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { checkSides } from '../shares/company-share.resolver.ts';
import { createCompanyShare, deleteCompanyShare } from '../shares/company-shares.ts';
import { updateCompanyShare } from '../shares/update-company-share.ts';
import { actingFor, ManagedPath, managedBy, setManaged } from './managed-companies.ts';

const shared = true;

/** Companies that another one manages, and what it does in their name. */
@Resolver()
export class ManagedCompanyResolver {
  @Query(() => CompanyConnection, { description: 'Companies that a company manages.' })
  @AnySignedIn()
  managedCompanies(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Args(() => CompanyListArgs) args: CompanyListArgs,
  ): Promise<Connection<Company>> {
    return ctx.read.page(Company, info, { ...args, ranked: true, companyId, where: [managedBy(companyOf(ctx, companyId))] });
  }

  @Query(() => Company)
  @AnySignedIn()
  async managedCompany(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<Company> {
    const where = [managedBy(companyOf(ctx, companyId))];
    return (await actingFor(ctx, { companyId, managedCompanyId: id })).read.one(Company, info, { id, where });
  }

  @Mutation(() => Company, { description: 'Starts managing a connected company that is no customer of the platform.' })
  @Requires('edit_company')
  async manageCompany(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<Company> {
    await setManaged(ctx, companyId, id, true);
    return ctx.read.one(Company, info, { id, where: [managedBy(companyOf(ctx, companyId))] });
  }

  @Mutation(() => Boolean, { description: 'Stops managing a company.' })
  @Requires('edit_company')
  async unmanageCompany(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    await setManaged(ctx, companyId, id, false);
    return true;
  }

  @Query(() => CompanyConnection, { description: 'Companies that a managed company is connected with.' })
  @AnySignedIn()
  async managedCompanyConnections(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Args(() => CompanyListArgs) args: CompanyListArgs,
  ): Promise<Connection<Company>> {
    const acting = await actingFor(ctx, path);
    return acting.read.page(Company, info, { ...args, where: [connectedTo(acting.viewer!.companyId)] });
  }

  @Query(() => CompanyShareConnection, { description: 'The records that a managed company shares, and those shared with it.' })
  @AnySignedIn()
  async managedCompanyShares(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => CompanyShareListArgs) { companyId, ...args }: CompanyShareListArgs,
  ): Promise<Connection<CompanyShare>> {
    checkSides(args.filter);
    const acting = await actingFor(ctx, { companyId, managedCompanyId });
    return acting.read.page(CompanyShare, info, { ...args, shared });
  }

  @Query(() => CompanyShare)
  @AnySignedIn()
  async managedCompanyShare(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<CompanyShare> {
    return (await actingFor(ctx, path)).read.one(CompanyShare, info, { id, shared });
  }

  @Mutation(() => CompanyShare, { description: 'Shares a record of a managed company, in its name.' })
  @Requires('create_company_share', 'create_companyshare')
  async createManagedCompanyShare(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('input', () => CreateCompanyShareInput) input: CreateCompanyShareInput,
  ): Promise<CompanyShare> {
    const acting = await actingFor(ctx, path);
    const { id } = await createCompanyShare(acting, undefined, input);
    return acting.read.one(CompanyShare, info, { id, shared });
  }

  @Mutation(() => CompanyShare)
  @Requires('edit_company_share')
  async updateManagedCompanyShare(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateCompanyShareInput) input: UpdateCompanyShareInput,
  ): Promise<CompanyShare> {
    const acting = await actingFor(ctx, path);
    await updateCompanyShare(acting, { id }, input);
    return acting.read.one(CompanyShare, info, { id, shared });
  }

  @Mutation(() => Boolean)
  @Requires('delete_company_share', 'delete_companyshare')
  async deleteManagedCompanyShare(
    @Ctx() ctx: Context,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    await deleteCompanyShare(await actingFor(ctx, path), { id });
    return true;
  }
}
