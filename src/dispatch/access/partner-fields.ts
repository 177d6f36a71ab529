import { Account } from '../../directory/accounts/account.entity.ts';
import { FileAttachment } from '../../files/file-attachment.entity.ts';
import { definePartnerFields, type Substitute, substituteId } from '../../platform/read/partner-fields.ts';
import { ofContact } from '../jobs/job.filters.ts';
import { DispatchNumber } from '../model/dispatch-number.entity.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import { Project } from '../model/project.entity.ts';
import { Waypoint } from '../model/route.entity.ts';

/*
 * What a vendor may read of work that was passed on to it, at any depth of the chain (docs/companies.md): everything it takes to haul.
 * These are sites, material, times, quantities, the notes of orders and jobs, and the contacts on site. The owner keeps to itself whom it
 * sells to and through, what it charges and taxes, what its books and other systems call things, and its own office staff.
 */

const RECORD = ['id', 'createdAt', 'updatedAt'];
const CREW_PASSED = ['foremanIds', 'foremen', 'foremanContact'];
const CREW_KEPT = ['collaboratorIds', 'collaborators', 'salespersonIds', 'salespeople', 'salesContact', 'supervisorContact'].concat([
  'collaboratorContact',
  'haulerRateType',
]);
const TAX = ['taxRate', 'taxFreight', 'taxMaterial', 'taxAddOns'];
const NO_TAX = { taxFreight: false, taxMaterial: false, taxAddOns: false };
/** Quantities, and how they are to be hauled. */
const HAULING = ['jobTime', 'truckCount', 'loadsPerTruck', 'unitsPerHour', 'jobQuantity', 'jobUnitOfMeasure', 'loadUnitOfMeasure']
  .concat(['equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure', 'service', 'serviceClass'])
  .concat(['recurringLoads', 'chaseMissingTickets', 'defaultDigitalTicketView']);

/** Returns an object without some of its fields. */
const without =
  (...names: string[]): Substitute =>
  (value) =>
    value && { ...value, ...Object.fromEntries(names.map((name) => [name, null])) };

definePartnerFields(Account, { passed: [], kept: ['currentAssignedCount'] });
// The code is what the owner's books call the phase.
definePartnerFields(Phase, {
  passed: [...RECORD, 'companyId', 'orderId', 'projectId', 'name', 'primary'],
  kept: ['code'],
  sorts: ['createdAt'],
  search: (t, p) => `fold(${t}.name) like fold(${p})`,
});
definePartnerFields(Waypoint, { passed: [...RECORD, 'routeId', 'companyId', 'type', 'ordinality', 'site', 'contact'] });
definePartnerFields(DispatchNumber, { passed: [...RECORD, 'company', 'name'] });

definePartnerFields(Project, {
  // The PO number is shown at the gate.
  passed: [...RECORD, 'company', 'companyId', 'projectId', 'name', 'account', 'poJobNumber', 'state', 'version', 'orders'],
  kept: [...CREW_PASSED, ...CREW_KEPT, ...TAX, ...HAULING, 'externalId', 'notes', 'orderNotes', 'jobNotes', 'department', 'requester']
    .concat(['number', 'effectiveAt', 'expiresAt', 'startsOn', 'endsOn', 'contact', 'site', 'equipmentType', 'dispatchNumber'])
    .concat([
      'orderQuantity',
      'orderUnitOfMeasure',
      'routeId',
      'waypoints',
      'phases',
      'projectMaterialTotals',
      'customerId',
      'discardedAt',
    ]),
  instead: { ...NO_TAX, recurringLoads: false, chaseMissingTickets: false, defaultDigitalTicketView: false, customerId: substituteId },
});

const WORDS = (t: string, p: string): string => `${t}.job_id ilike ${p}
  or exists (select 1 from app_user ku where ku.id = ${t}.driver_id and (ku.first_name ilike ${p} or ku.last_name ilike ${p}))
  or exists (select 1 from project kp where kp.id = ${t}.project_id and kp.name ilike ${p})
  or exists (select 1 from company kc where kc.id = ${t}.company_id and kc.legal_name ilike ${p})
  or exists (select 1 from orders ko left join account ka on ka.id = ko.account_id left join dispatch_number kd on kd.id = ko.dispatch_number_id
    where ko.id = ${t}.order_id and (ko.order_id ilike ${p} or ka.name ilike ${p} or kd.name ilike ${p}))
  or ${ofContact(`${t}.foreman_contact_id`, p)}`;

definePartnerFields(Order, {
  passed: [...RECORD, ...CREW_PASSED, ...HAULING, 'company', 'number', 'orderId', 'state', 'heldFrom', 'account', 'project', 'name', 'zone']
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
    .concat(['jobsStarted', 'jobsHauling', 'loadsBillingApproved', 'accountDiscardedAt'])
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
    .concat(['job.startDate', 'job.endDate', 'job.vendorAccountIds', 'job.driverIds', 'job.pickupSiteIds', 'job.dropoffSiteIds'])
    .concat([
      'job.equipmentIds',
      'job.materialIds',
      'job.projectIds',
      'job.serviceIds',
      'job.companyIds',
      'job.siteTypes',
      'job.foremanIds',
    ]),
  ownFilters: ['requesterIds', 'collaboratorIds', 'salespersonIds', 'departmentIds', 'job.customerAccountIds', 'job.externalIds'].concat([
    'job.collaboratorIds',
    'job.salespersonIds',
  ]),
  otherFilters: {
    // `j` is the job of the filter.
    'job.words': (_t, p) => `not exists (select 1 from unnest(${p}) word where not coalesce(${WORDS('j', 'word')}, false))`,
  },
  sorts: ['createdAt', 'loadAt', 'friendlyOrderId', 'dispatchNumber.name', 'account.name', 'company.legalName'],
  search: (t, p) => `${t}.order_id ilike ${p}
    or exists (select 1 from account ka where ka.id = ${t}.account_id and ka.name ilike ${p})
    or exists (select 1 from project kp where kp.id = ${t}.project_id and kp.name ilike ${p})
    or exists (select 1 from dispatch_number kd where kd.id = ${t}.dispatch_number_id and kd.name ilike ${p})
    or exists (select 1 from company kc where kc.id = ${t}.company_id and kc.legal_name ilike ${p})`,
});

definePartnerFields(Job, {
  passed: [...RECORD, ...CREW_PASSED, 'company', 'order', 'project', 'number', 'jobId', 'state', 'stateChangedAt', 'jobStartAt', 'notes']
    .concat(['quantity', 'unitOfMeasure', 'loadUnitOfMeasure', 'service', 'serviceClass', 'material', 'equipment', 'driver', 'phase'])
    .concat(['additionalEquipmentIds', 'additionalEquipment', 'priority', 'requestedEquipmentTypeName', 'requestedLoadsCount'])
    .concat(['equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure', 'recurringLoads', 'jobTime', 'pausedAt'])
    .concat(['timesEditable', 'driverRequireAllPermissions', 'routeId', 'version', 'waypoints', 'loads', 'jobEvents'])
    .concat(['jobAssignments', 'vendorJobAssignment', 'customerJobAssignment'])
    // The vendor is paid by these.
    .concat(['overridingHours', 'billableHoursOverridden', 'billableHours', 'approvedWorkTimeMinutes'])
    .concat(['adjustedLoggingStartedAt', 'adjustedLoggingEndedAt', 'approvedAt', 'billingApprovedAt', 'fieldApprovedAt'])
    .concat(['billerApproved', 'companyAdminApproved', 'driverApproved', 'foremanApproved', 'approvalStatus', 'approved', 'approvable'])
    .concat(['unapprovable', 'stateEvents', 'editable', 'deletable', 'copyable', 'loadsCount', 'completedLoadsCount', 'ticketsCount'])
    .concat(['loadCycleAvg', 'gpsStatus', 'conflicts', 'orderState', 'driverLastPingAt', 'driverStillSince', 'hasVendor'])
    .concat(['hasWaitingLoad', 'loadStarted', 'hasUnapprovedLoad', 'hasApprovedLoad']),
  // First times and refusals may come from a vendor that had the job before.
  parts: {
    jobSummary: without(
      ...['jobPhaseCode', 'foremanExternalId', 'firstSentAt', 'firstAcceptedAt', 'firstDeclinedAt', 'driverDeclinedAt', 'firstCanceledAt'],
    ),
  },
  kept: [...CREW_KEPT, 'externalId', 'lastLoadNumber', 'rejectReason', 'materialRateUnitOfMeasure', 'materialRateAssignment'],
  filters: [
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
  ownFilters: ['externalIds', 'collaboratorIds', 'salespersonIds', 'customerAccountIds'],
  sorts: ['createdAt', 'jobStartAt', 'priority'],
  search: WORDS,
});

// Each side reads its own part of a link; `OnlyFor` and the masks of rates see to that.
definePartnerFields(JobAssignment, {
  owners: ['customerCompanyId', 'vendorCompanyId'],
  passed: [
    ...RECORD,
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
});

definePartnerFields(Load, {
  passed: [...RECORD, 'company', 'job', 'orderId', 'ordinality', 'loadId', 'state', 'pausedFrom', 'pausedAt', 'pausedSeconds', 'quantity']
    .concat(['unitOfMeasure', 'notes', 'material', 'phase', 'foremanIds', 'foremen', 'approvedAt', 'billingApprovedAt', 'fieldApprovedAt'])
    .concat(['billerApproved', 'companyAdminApproved', 'driverApproved', 'foremanApproved', 'approvalStatus', 'approved', 'approvable'])
    .concat(['unapprovable', 'loadSummary', 'routeId', 'version', 'waypoints', 'jobId']),
  kept: ['materialRateUnitOfMeasure', 'materialRateAssignment'],
  filters: ['states', 'materialIds', 'startDate', 'endDate', 'job.driverIds', 'job.states', 'job.materialIds', 'job.pickupSiteIds'].concat([
    'job.dropoffSiteIds',
    'job.vendorAccountIds',
  ]),
  ownFilters: ['ticket.flagged'],
  sorts: ['createdAt'],
  search: (t, p) => `${t}.load_id ilike ${p}`,
});

// Which events and files a vendor reads is decided by row, and who reads the reason of a refusal by side.
definePartnerFields(JobEvent, {
  passed: [
    ...RECORD,
    'companyId',
    'job',
    'loadId',
    'eventName',
    'state',
    'eventSource',
    'occurredAt',
    'lat',
    'lon',
    'payload',
    'createdBy',
  ].concat(['createdByType', 'createdById', 'createdByName', 'createdByCompanyId']),
  sorts: ['createdAt', 'occurredAt'],
});
definePartnerFields(FileAttachment, {
  passed: [...RECORD, 'companyId', 'category', 'description', 'fileAttachableType', 'fileAttachableId', 'fileName', 'mimeType', 'fileUrl']
    .concat(['previewId', 'previewMimeType', 'previewUrl', 'uploadedByType', 'uploadedById', 'uploadedByName', 'uploadedByCompanyId'])
    .concat(['uploadedBy', 'editable', 'deletable']),
  kept: ['byteSize', 'sha256', 'fingerprint', 'previewSize'],
  sorts: ['createdAt'],
});
