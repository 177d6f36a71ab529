import { InputType } from 'type-graphql';
import { CompanySettings } from './company-settings.entity.ts';
import { addSettings } from './setting.ts';

/** A change of settings: null is the default, absent settings are kept. It has the fields that `company-settings.entity.ts` declares. */
@InputType()
export class UpdateCompanySettingsInput {}
addSettings(UpdateCompanySettingsInput, CompanySettings);
