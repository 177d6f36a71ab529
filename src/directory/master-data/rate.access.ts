import { internal } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Rate } from './rate.entity.ts';

export const rateAccess = defineAccess(Rate, {
  masks: [[internal(), 'account', 'driver', 'serviceClass', 'equipmentType', 'services', 'equipment']],
  // Only the rate card by which the reader is paid along a link is reached.
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'name', 'type', 'ownerType', 'accountType', 'fuelSurchargeEnabled', 'discardedAt']
      .concat([
        'timeRate',
        'timeMinimumMinutes',
        'timeIncrementMinutes',
        'minimumPer',
        'timeBasis',
        'unitRate',
        'unitMinimum',
        'unitIncrement',
        'tierMode',
        'tiers',
      ])
      .concat(['commissionPercentage', 'commissionAmount', 'flatAmount']),
    kept: ['primary', 'projectIds', 'serviceIds', 'equipmentIds', 'addOns'],
    instead: { primary: false, addOns: [] },
  },
});
