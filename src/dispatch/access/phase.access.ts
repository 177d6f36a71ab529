import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Phase } from '../model/phase.entity.ts';

export const phaseAccess = defineAccess(Phase, {
  // The code is what the owner's books call the phase.
  partnerFields: {
    passed: [...RECORD_FIELDS, 'companyId', 'orderId', 'projectId', 'name', 'primary'],
    kept: ['code'],
    sorts: ['createdAt'],
    search: (t, p) => `fold(${t}.name) like fold(${p})`,
  },
});
