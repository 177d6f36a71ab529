import { definePartnerFields } from '../platform/read/partner-fields.ts';
import { LocationHistory } from './location-history.entity.ts';

// Whose job it is follows the truck that hauls it; what telephone measured it is its person's affair.
definePartnerFields(LocationHistory, {
  passed: [
    'id',
    'createdAt',
    'companyId',
    'userId',
    'occurredAt',
    'lat',
    'lon',
    'speed',
    'speedMetersPerSecond',
    'bearingDegrees',
    'jobId',
  ].concat(['equipmentId', 'offlineMode', 'loadId', 'loadState']),
  kept: ['deviceId', 'accuracy'],
  sorts: ['createdAt', 'occurredAt'],
});
