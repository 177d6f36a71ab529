import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { DispatchNumber } from '../model/dispatch-number.entity.ts';

export const dispatchNumberAccess = defineAccess(DispatchNumber, {
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'name'] },
});
