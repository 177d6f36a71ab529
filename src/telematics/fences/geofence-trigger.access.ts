import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { subcontractedJobs } from '../../dispatch/access/subcontracted.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { GeofenceTrigger } from './geofence-trigger.entity.ts';

export const geofenceTriggerAccess = defineAccess(GeofenceTrigger, {
  subcontracted: (t, p) => `${t}.job_id in (${subcontractedJobs(p)})`,
  rowPolicy: { subcontracted: { column: 'job_id', ids: subcontractedJobs } },
  // As positions: a crossing says where a truck was, and when.
  sites: (t, p) => `exists (select 1 from job aj where aj.id = ${t}.job_id and ${ofOrderAtSites('aj.order_id', p)})`,
  ownRecords: (t, p) => ofJobOfPerson(`${t}.job_id`, p),
  // A vendor's driver crossed the geofence: both sides of the work read it.
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      ...['companyId', 'assetType', 'assetId', 'fenceId', 'siteId', 'tag', 'waypointType', 'geofenceTriggerType'],
      ...['occurredAt', 'confirmedAt', 'lat', 'lon', 'job', 'loadId', 'state', 'skipReason', 'confidence', 'jobEventId', 'undoable'],
    ],
    kept: ['locationId', 'strategy', 'causedBy'],
    sorts: ['createdAt', 'occurredAt'],
  },
});
