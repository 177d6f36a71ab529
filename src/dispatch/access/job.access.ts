import { internal, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { ofContact } from '../jobs/job.filters.ts';
import { Job } from '../model/job.entity.ts';
import { ofOrderAtSites } from './at-sites.ts';
import { jobOfPerson } from './own-work.sql.ts';
import { hauledFor, subcontractedJobs } from './subcontracted.ts';
import { CREW_KEPT, CREW_MASKS, CREW_PASSED, without } from './work-terms-fields.ts';

/** The columns in which a search of jobs by people of other companies looks. */
export const JOB_WORDS = (t: string, p: string): string => `${t}.job_id ilike ${p}
  or exists (select 1 from app_user ku where ku.id = ${t}.driver_id and (ku.first_name ilike ${p} or ku.last_name ilike ${p}))
  or exists (select 1 from project kp where kp.id = ${t}.project_id and kp.name ilike ${p})
  or exists (select 1 from company kc where kc.id = ${t}.company_id and kc.legal_name ilike ${p})
  or exists (select 1 from orders ko left join account ka on ka.id = ko.account_id left join dispatch_number kd on kd.id = ko.dispatch_number_id
    where ko.id = ${t}.order_id and (ko.order_id ilike ${p} or ka.name ilike ${p} or kd.name ilike ${p}))
  or ${ofContact(`${t}.foreman_contact_id`, p)}`;

export const jobAccess = defineAccess(Job, {
  subcontracted: (t, p) => `exists (select 1 from job_assignment a where a.job_id = ${t}.id and a.vendor_company_id = any(${p}))`,
  rowPolicy: { subcontracted: { column: 'id', ids: subcontractedJobs } },
  sites: (t, p) => ofOrderAtSites(`${t}.order_id`, p),
  ownRecords: jobOfPerson,
  masks: [
    ...CREW_MASKS,
    [
      internal(),
      'requestedEquipmentTypeAccountingId',
      'materialRateSite',
      'materialRateSiteKey',
      'materialRateSupplierAccount',
      'materialRateSupplierKey',
    ],
    [masked('view_driver_rates', { holder: 'driver' }), 'driverCommissionRateValue', 'driverCommissionRateType'],
    [masked('view_customer_rates'), 'materialSellPrice'],
    [masked('view_vendor_rates'), 'materialBuyPrice'],
  ],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      ...CREW_PASSED,
      'company',
      'order',
      'project',
      'number',
      'jobId',
      'state',
      'stateChangedAt',
      'jobStartAt',
      'notes',
    ]
      .concat(['quantity', 'unitOfMeasure', 'loadUnitOfMeasure', 'service', 'serviceClass', 'material', 'equipment', 'driver', 'phase'])
      .concat(['additionalEquipmentIds', 'additionalEquipment', 'priority', 'requestedEquipmentTypeName', 'requestedLoadsCount'])
      .concat(['equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure', 'recurringLoads', 'jobTime', 'pausedAt'])
      .concat(['timesEditable', 'driverRequireAllPermissions', 'routeId', 'version', 'waypoints', 'loads', 'jobEvents'])
      .concat(['jobAssignments', 'vendorJobAssignment', 'customerJobAssignment'])
      // The vendor is paid by these.
      .concat(['overridingHours', 'billableHoursOverridden', 'billableHours', 'approvedWorkTimeMinutes'])
      .concat(['adjustedLoggingStartedAt', 'adjustedLoggingEndedAt', 'approvalStatus', 'approved', 'approvable'])
      .concat([
        'unapprovable',
        'stateEvents',
        'editable',
        'deletable',
        'copyable',
        'completable',
        'loadsCount',
        'completedLoadsCount',
        'ticketsCount',
      ])
      .concat([
        'loadCycleAvg',
        'gpsStatus',
        'conflicts',
        'orderState',
        'driverLastPingAt',
        'driverStillSince',
        'hasVendor',
        'hauledOutside',
        'payableApproved',
      ])
      .concat(['hasWaitingLoad', 'loadStarted', 'hasUnapprovedLoad', 'hasApprovedLoad']),
    // First times and refusals may come from a vendor that had the job before.
    parts: {
      jobSummary: without(
        ...[
          'jobPhaseCode',
          'foremanExternalId',
          'firstSentAt',
          'firstAcceptedAt',
          'firstDeclinedAt',
          'driverDeclinedAt',
          'firstCanceledAt',
        ],
      ),
    },
    kept: [
      ...CREW_KEPT,
      'driverDayId',
      'externalId',
      'lastLoadNumber',
      'rejectReason',
      'materialRateUnitOfMeasure',
      'materialRateAssignment',
      // Whether somebody else is paid or has paid.
      'invoiceSettled',
    ],
    instead: { invoiceSettled: false },
    filters: [
      'quantity.min',
      'quantity.max',
      'jobStartAt.from',
      'jobStartAt.before',
      'ids',
      'states',
      'startDate',
      'endDate',
      'projectIds',
      'driverIds',
      'materialIds',
      'serviceIds',
      'equipmentIds',
      'companyIds',
    ].concat(['foremanIds', 'pickupSiteIds', 'dropoffSiteIds', 'siteTypes', 'vendorAccountIds', 'order.dispatchNumberIds']),
    ownFilters: ['without', 'externalIds', 'collaboratorIds', 'salespersonIds'],
    otherFilters: { customerAccountIds: (t, p, _limits, companies) => hauledFor(`${t}.id`, p, companies) },
    sorts: ['createdAt', 'updatedAt', 'quantity', 'jobStartAt', 'priority', 'driverName'],
    search: JOB_WORDS,
  },
});
