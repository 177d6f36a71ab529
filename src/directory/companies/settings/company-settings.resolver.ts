import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { CompanySettings } from './company-settings.entity.ts';
import { UpdateCompanySettingsInput } from './company-settings.inputs.ts';
import { settingsOf, updateCompanySettings } from './company-settings.ts';

const ofCompany = { nullable: true, description: 'A company of your family; your own by default.' };

/** The settings by which a company has its work judged and handled. */
@Resolver(() => CompanySettings)
export class CompanySettingsResolver {
  @Query(() => CompanySettings, { description: 'The settings of a company of your family.' })
  @AnySignedIn()
  companySettings(@Ctx() ctx: Context, @Arg('companyId', () => ID, ofCompany) companyId?: string): Promise<CompanySettings> {
    return settingsOf(ctx, companyId);
  }

  @Mutation(() => CompanySettings, { description: 'Changes settings of a company; null is the default, absent settings are kept.' })
  @Requires('edit_company')
  updateCompanySettings(
    @Ctx() ctx: Context,
    @Arg('input', () => UpdateCompanySettingsInput) input: UpdateCompanySettingsInput,
    @Arg('companyId', () => ID, ofCompany) companyId?: string,
  ): Promise<CompanySettings> {
    return updateCompanySettings(ctx, companyId, input);
  }
}
