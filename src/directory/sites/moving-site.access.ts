import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { MovingSite } from './moving-site.entity.ts';

export const movingSiteAccess = defineAccess(MovingSite, {
  partnerFields: { passed: [...RECORD_FIELDS, 'companyId', 'siteId', 'equipmentId', 'pollingIntervalSeconds'] },
});
