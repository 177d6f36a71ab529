import { defineAccess } from '../../../platform/read/access.ts';
import { CompanySettings } from './company-settings.entity.ts';

export const companySettingsAccess = defineAccess(CompanySettings, { tenant: (companies) => ({ id: companies }) });
