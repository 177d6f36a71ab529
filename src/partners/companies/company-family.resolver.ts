import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { CreateCompanyInput, UpdateCompanyInput } from '../../directory/companies/company.inputs.ts';
import { inFamily } from '../../directory/companies/company.resolver.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { createCompany } from './create-company.ts';
import { discardCompany } from './discard-company.ts';
import { moveCompany } from './move-company.ts';
import { updateCompany } from './update-company.ts';

/** Mutations of companies and their families. They change who sees what, and how people sign in. */
@Resolver(() => Company)
export class CompanyFamilyResolver {
  @Mutation(() => Company, { description: 'Creates a company below your own, or below one that you see.' })
  @Requires('create_company')
  async createCompany(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateCompanyInput) input: CreateCompanyInput,
  ): Promise<Company> {
    const { id } = await createCompany(ctx, input);
    return ctx.read.one(Company, info, { id, where: [inFamily(ctx)] });
  }

  @Mutation(() => Company, { description: 'Changes a company and its preferences; null clears, absent fields are kept.' })
  @Requires('edit_company')
  async updateCompany(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateCompanyInput) input: UpdateCompanyInput,
  ): Promise<Company> {
    await updateCompany(ctx, id, input);
    return ctx.read.one(Company, info, { id, where: [inFamily(ctx)] });
  }

  @Mutation(() => Company, { description: 'Moves a company, with everything below it, below another one of your family.' })
  @Requires('edit_company')
  async moveCompany(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('parentCompanyId', () => ID, {
      nullable: true,
      description: 'If absent, nothing changes; null, for administrators of the platform, leaves it without a parent.',
    })
    parentCompanyId?: string | null,
  ): Promise<Company> {
    await moveCompany(ctx, id, parentCompanyId);
    return ctx.read.one(Company, info, { id, where: [inFamily(ctx)] });
  }

  @Mutation(() => Boolean, { description: 'Discards a company without children; its past work is kept.' })
  @Requires('delete_company')
  async discardCompany(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await discardCompany(ctx, id);
    return true;
  }
}
