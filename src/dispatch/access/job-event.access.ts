import { onlyFor } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { ofJobOfPerson } from './own-work.sql.ts';
import { subcontractedJobs, visibleToVendor } from './subcontracted.ts';

/**
 * The details of an event are visible to the job's owner and to the company that caused it; the reason of a declined job also to the
 * company that sent it.
 */
const BOTH_SIDES = { columns: ['companyId', 'createdByCompanyId'], open: (t: string) => `${t}.event_name = 'JobDeclined'` };

export const jobEventAccess = defineAccess(JobEvent, {
  subcontracted: (t, p) => visibleToVendor(`${t}.job_id`, `${t}.created_by_company_id`, p),
  rowPolicy: { subcontracted: { column: 'job_id', ids: subcontractedJobs } },
  ownRecords: (t, p) => ofJobOfPerson(`${t}.job_id`, p),
  masks: [[onlyFor(BOTH_SIDES), 'payload']],
  // Which events and files a vendor reads is decided by row, and who reads the reason of a refusal by side.
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'companyId',
      'job',
      'loadId',
      'eventName',
      'state',
      'eventSource',
      'occurredAt',
      'undoneAt',
      'lat',
      'lon',
      'payload',
      'createdBy',
    ].concat(['createdByType', 'createdById', 'createdByName', 'createdByCompanyId']),
    // The person who acted as somebody else is a matter of that person's company.
    kept: ['realActorType', 'realActorId', 'realActorName'],
    sorts: ['createdAt', 'occurredAt'],
  },
});
