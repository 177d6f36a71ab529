import { internal } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { EquipmentType } from './equipment-type.entity.ts';

export const equipmentTypeAccess = defineAccess(EquipmentType, {
  masks: [[internal(), 'accountingId']],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'name',
      'system',
      'source',
      'grossCapacity',
      'grossCapacityUnitOfMeasure',
      'additionalGrossCapacities',
    ].concat(['discardedAt']),
    kept: ['externalId'],
  },
});
