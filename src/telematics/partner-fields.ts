import { definePartnerFields } from '../platform/read/partner-fields.ts';
import { LocationHistory } from './location-history.entity.ts';

// The job's company follows the truck that hauls the job; which telephone measured it is the affair of its person.
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
