import { internal, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Load } from '../model/load.entity.ts';
import { ofOrderAtSites } from './at-sites.ts';
import { ofJobOfPerson } from './own-work.sql.ts';
import { subcontractedJobs } from './subcontracted.ts';

export const loadAccess = defineAccess(Load, {
  subcontracted: (t, p) => `exists (select 1 from job_assignment a where a.job_id = ${t}.job_id and a.vendor_company_id = any(${p}))`,
  rowPolicy: { subcontracted: { column: 'job_id', ids: subcontractedJobs } },
  sites: (t, p) => ofOrderAtSites(`${t}.order_id`, p),
  ownRecords: (t, p) => ofJobOfPerson(`${t}.job_id`, p),
  masks: [
    [masked('view_customer_rates'), 'materialSellPrice'],
    [masked('view_vendor_rates'), 'materialBuyPrice'],
    [internal(), 'materialRateSite', 'materialRateSiteKey', 'materialRateSupplierAccount', 'materialRateSupplierKey'],
  ],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'job',
      'orderId',
      'ordinality',
      'loadId',
      'state',
      'pausedFrom',
      'pausedAt',
      'pausedSeconds',
      'quantity',
    ]
      .concat(['unitOfMeasure', 'notes', 'material', 'phase', 'foremanIds', 'foremen'])
      .concat(['approvalStatus', 'approved', 'approvable'])
      .concat(['unapprovable', 'loadSummary', 'routeId', 'version', 'waypoints', 'jobId', 'loadedInferred', 'doubted']),
    kept: ['materialRateUnitOfMeasure', 'materialRateAssignment', 'reviewFlagged', 'needsReview'],
    // It is on nobody's list but that of its company.
    instead: { needsReview: false },
    filters: ['states', 'materialIds', 'startDate', 'endDate', 'job.driverIds', 'job.states', 'job.materialIds', 'job.pickupSiteIds']
      .concat(['job.dropoffSiteIds', 'job.vendorAccountIds', 'driverIds', 'siteIds', 'unloadedAt.from', 'unloadedAt.before'])
      .concat(['completedAt.from', 'completedAt.before', 'quantity.min', 'quantity.max']),
    ownFilters: ['ticket.flagged', 'ticket.ids', 'ticket.ticketNumbers', 'without', 'needsReview', 'needsReview.not'],
    sorts: ['createdAt', 'updatedAt', 'quantity', 'unloadedAt', 'completedAt', 'driverName', 'pickupSiteName', 'ticketNumber'],
    search: (t, p) => `${t}.load_id ilike ${p}`,
  },
});
