import { internal, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import type { FilterPredicate } from '../../platform/read/grammar.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { orderAtSites } from './at-sites.ts';
import { JOB_WORDS } from './job.access.ts';
import { orderOfPerson } from './own-work.sql.ts';
import { hauledFor, subcontractedOrders } from './subcontracted.ts';
import { CREW_KEPT, CREW_PASSED, HAUL_FIELDS, NO_TAX, TAX, TERMS_MASKS, without } from './work-terms-fields.ts';

/** Orders of others with a job that was passed on by one of the reader's own customers. */
const forCustomers: FilterPredicate = (t, p, limits, companies) =>
  `exists (select 1 from job hj where hj.order_id = ${t}.id and ${hauledFor('hj.id', p, companies)}${limits(Job, 'hj')})`;

export const orderAccess = defineAccess(Order, {
  subcontracted: (t, p) =>
    `exists (select 1 from job_assignment a join job j on j.id = a.job_id where j.order_id = ${t}.id and a.vendor_company_id = any(${p}))`,
  rowPolicy: { subcontracted: { column: 'id', ids: subcontractedOrders } },
  sites: orderAtSites,
  ownRecords: orderOfPerson,
  masks: [
    ...TERMS_MASKS,
    [internal(), 'materialRateSite', 'materialRateSupplierAccount'],
    [masked('view_customer_rates'), 'materialRateSellPrice'],
    [masked('view_vendor_rates'), 'materialRateBuyPrice'],
  ],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      ...CREW_PASSED,
      ...HAUL_FIELDS,
      'company',
      'number',
      'orderId',
      'state',
      'heldFrom',
      'account',
      'project',
      'name',
      'zone',
    ]
      .concat(['poJobNumber', 'notes', 'jobNotes', 'loadAt', 'jobStartAt', 'truckDelay', 'trucksPerDelay', 'quantity', 'unitOfMeasure'])
      .concat([
        'requestedQuantityType',
        'material',
        'equipment',
        'equipmentType',
        'dispatchNumber',
        'geofenceDelaySeconds',
        'pickupOnsiteMinutes',
      ])
      .concat([
        'dropoffOnsiteMinutes',
        'pickupToDropoffTimeMinutes',
        'pickupToDropoffDistanceMeters',
        'expectedTotalLoads',
        'cycleTimeMinutes',
      ])
      .concat(['routeId', 'version', 'waypoints', 'phases', 'jobs', 'sendingAccounts', 'stateEvents', 'editable', 'copyable'])
      // These decide what may be done with the order. Nobody reads them directly.
      .concat(['jobsStarted', 'jobsHauling', 'billingApproved', 'accountDiscardedAt'])
      // These count only the jobs that were passed on.
      .concat(['orderSummary', 'loadCycleAvg', 'loadsPickupTimeMinutesAvg', 'loadsDropoffTimeMinutesAvg']),
    parts: { phase: without('code') },
    kept: [...CREW_KEPT, ...TAX, 'externalId', 'orderNotes', 'department', 'requester', 'driver', 'sharedDriver', 'vendor'].concat([
      'materialRateUnitOfMeasure',
      'materialRateItemized',
      'rejectReason',
      'rejectedBy',
      'rejectedAt',
      'actionRequired',
    ]),
    instead: { ...NO_TAX, materialRateItemized: false, actionRequired: false },
    filters: ['ids', 'states', 'startDate', 'endDate', 'foremanIds', 'equipmentTypeIds', 'dispatchNumberIds', 'projectIds', 'job.states']
      .concat([
        'quantity.min',
        'quantity.max',
        'loadAt.from',
        'loadAt.before',
        'job.startDate',
        'job.endDate',
        'job.vendorAccountIds',
        'job.driverIds',
        'job.pickupSiteIds',
        'job.dropoffSiteIds',
      ])
      .concat([
        'job.equipmentIds',
        'job.materialIds',
        'job.projectIds',
        'job.serviceIds',
        'job.companyIds',
        'job.siteTypes',
        'job.foremanIds',
      ]),
    ownFilters: ['without', 'requesterIds', 'collaboratorIds', 'salespersonIds', 'departmentIds', 'externalIds', 'job.externalIds'].concat([
      'job.collaboratorIds',
      'job.salespersonIds',
    ]),
    otherFilters: {
      accountIds: forCustomers,
      'job.customerAccountIds': forCustomers,
      // `j` is the job of the filter.
      'job.words': (_t, p) => `not exists (select 1 from unnest(${p}) word where not coalesce(${JOB_WORDS('j', 'word')}, false))`,
    },
    sorts: ['createdAt', 'updatedAt', 'quantity', 'loadAt', 'friendlyOrderId', 'dispatchNumber.name', 'account.name', 'company.legalName'],
    search: (t, p) => `${t}.order_id ilike ${p}
    or exists (select 1 from account ka where ka.id = ${t}.account_id and ka.name ilike ${p})
    or exists (select 1 from project kp where kp.id = ${t}.project_id and kp.name ilike ${p})
    or exists (select 1 from dispatch_number kd where kd.id = ${t}.dispatch_number_id and kd.name ilike ${p})
    or exists (select 1 from company kc where kc.id = ${t}.company_id and kc.legal_name ilike ${p})`,
  },
});
