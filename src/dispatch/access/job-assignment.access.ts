import { masked, onlyFor } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { ofOrderAtSites } from './at-sites.ts';
import { ofJobOfPerson } from './own-work.sql.ts';

/** The pay along a link is a vendor rate for the company that passed the job on, and a customer rate for the one that received it. */
const LINK_SIDES = { sides: { customerCompanyId: 'view_vendor_rates', vendorCompanyId: 'view_customer_rates' } };

export const jobAssignmentAccess = defineAccess(JobAssignment, {
  // `company_id` is the job's owner, kept by a trigger: the owner may end whole chains, and each company its own links.
  rowPolicy: {
    writable: (t, companies) => `${t}.company_id = any(${companies}) or ${t}.customer_company_id = any(${companies})`,
    readable: (t, companies) => `${t}.vendor_company_id = any(${companies})`,
  },
  sites: (t, p) => ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p),
  ownRecords: (t, p) => ofJobOfPerson(`${t}.job_id`, p),
  masks: [
    [onlyFor({ columns: ['vendorCompanyId'] }), 'customerAccount'],
    [onlyFor({ columns: ['customerCompanyId'] }), 'vendorAccount'],
    [masked('view_vendor_rates', LINK_SIDES), 'rate', 'rateValue', 'rateType', 'commissionRateValue', 'commissionRateType'],
  ],
  // Each side reads its own part of a link; `OnlyFor` and the masks of rates see to that.
  partnerFields: {
    owners: ['customerCompanyId', 'vendorCompanyId'],
    passed: [
      ...RECORD_FIELDS,
      'job',
      'link',
      'customerCompanyId',
      'vendorCompanyId',
      'customerAccount',
      'vendorAccount',
      'rate',
      'rateValue',
      'rateType',
    ].concat(['commissionRateValue', 'commissionRateType']),
    kept: ['ownRate', 'rateNoted'],
    instead: { ownRate: false },
  },
});
