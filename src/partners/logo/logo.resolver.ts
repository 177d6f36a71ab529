import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { inFamily } from '../../directory/companies/company.resolver.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { imageOf, mayChangeLogo, setCompanyLogo } from './company-logo.ts';

@Resolver()
export class LogoResolver {
  @Mutation(() => Company, { description: 'Sets the logo of a company, of at most 2 MB; null removes it.' })
  @Requires('edit_company')
  async setCompanyLogo(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('logo', () => String, { nullable: true, description: 'A JPEG, PNG, WebP or GIF in base64, also as a data URL.' }) logo:
      | string
      | null,
  ): Promise<Company> {
    mayChangeLogo(ctx, companyId);
    const { id } = await setCompanyLogo(ctx, companyId, typeof logo === 'string' ? await imageOf(ctx, logo) : null);
    return ctx.read.one(Company, info, { id, where: [inFamily(ctx)] });
  }
}
