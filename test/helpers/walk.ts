import { ref } from '@mikro-orm/core';
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import { Account } from '../../src/directory/account.entity.ts';
import { ComplianceDocument, ComplianceDocumentType, type CompliantType } from '../../src/directory/compliance/compliance.entity.ts';
import { EquipmentType } from '../../src/directory/equipment-type.entity.ts';
import { AccountExternalTruckIdentifier } from '../../src/directory/external-truck.entity.ts';
import { RoutingGeofence } from '../../src/directory/geofence.entity.ts';
import { IamRole } from '../../src/directory/iam-role.entity.ts';
import { KmlFile } from '../../src/directory/kml/kml-file.entity.ts';
import { Label } from '../../src/directory/label.entity.ts';
import { MovingSite } from '../../src/directory/moving-site.entity.ts';
import { Department, Material, ServiceClass } from '../../src/directory/named.entities.ts';
import { Rate } from '../../src/directory/rate.entity.ts';
import { Site } from '../../src/directory/site.entity.ts';
import { ScheduledTimeOff } from '../../src/directory/time-off.entity.ts';
import { User } from '../../src/directory/user.entity.ts';
import { BulkAction } from '../../src/dispatch/bulk/bulk-action.entity.ts';
import { DefaultSite } from '../../src/dispatch/default-site.entity.ts';
import { Job } from '../../src/dispatch/job.entity.ts';
import { JobAssignment } from '../../src/dispatch/job-assignment.entity.ts';
import { Load } from '../../src/dispatch/load.entity.ts';
import { Order } from '../../src/dispatch/order.entity.ts';
import { MaterialRate } from '../../src/dispatch/pricing/material-rate.entity.ts';
import { SiteRateSchedule } from '../../src/dispatch/pricing/site-rate-schedule.entity.ts';
import { Project } from '../../src/dispatch/project.entity.ts';
import { DirectUpload } from '../../src/files/direct-upload.entity.ts';
import { FileAttachment } from '../../src/files/file-attachment.entity.ts';
import { signId } from '../../src/files/signed-ids.ts';
import { makeMachineClient } from '../../src/identity/machine-clients.ts';
import type { Permission } from '../../src/identity/permissions.ts';
import { ResourceScope } from '../../src/identity/resource-scope.entity.ts';
import type { RestOperation } from '../../src/platform/http/rest/operation.ts';
import { newId } from '../../src/platform/ids.ts';
import { Signature } from '../../src/proof/signatures/signature.entity.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { neighboursOf } from './neighbours.ts';
import { openSession } from './session.ts';
import { attachmentFields, companyInput, inviteInput, makeOrder, orderInput, type Yard } from './yard.ts';

/**
 * Who may use a root field, over either face:
 * `everybody` also without a token, `public` whoever has credentials to show, `person` every signed-in user about themselves, `company` everybody of the company, else this permission.
 * `session` ends the session that asks: only asked without a token here.
 */
export interface Expectation {
  who: 'everybody' | 'public' | 'session' | 'person' | 'company' | Permission;
  /** Needed besides. */
  also?: Permission;
  /** Who does not drive finds nothing. */
  driversOnly?: boolean;
  /** Tells of companies that have nothing to do with the caller, by design. */
  acrossFamilies?: boolean;
  /** What opens it on own records: `<who>:own`, being the driver of the job, `edit_order_pre_accept` until the order is accepted, or being the person. */
  own?: readonly ('grant' | 'driver' | 'early' | 'self')[];
  /** Record that `id` names. */
  of?:
    | 'ssoConnection'
    | 'department'
    | 'serviceClass'
    | 'service'
    | 'label'
    | 'material'
    | 'inactiveMaterial'
    | 'inactiveSite'
    | 'siteGeofence'
    | 'kmlFile'
    | 'equipmentType'
    | 'account'
    | 'externalTruck'
    | 'managedAccount'
    | 'driver'
    | 'foreman'
    | 'order'
    | 'job'
    | 'finishedJob'
    | 'load'
    | 'project'
    | 'inactiveProject'
    | 'rate'
    | 'customerRate'
    | 'materialRate'
    | 'siteRateSchedule'
    | 'vendorRate'
    | 'company'
    | 'childCompany'
    | 'companyShare'
    | 'managedCompany'
    | 'managedShare'
    | 'managedUser'
    | 'managedScope'
    | 'jobAssignment'
    | 'equipment'
    | 'inactiveEquipment'
    | 'managedTruck'
    | 'site'
    | 'importedRecord'
    | 'importBatch'
    | 'fileAttachment'
    | 'ticket'
    | 'iamRole'
    | 'm2mClient'
    | 'user'
    | 'userSession'
    | 'timeOff'
    | 'accountTimeOff'
    | 'formerUser'
    | 'resourceScope'
    | 'bulkAction'
    | 'complianceDocument'
    | 'complianceDocumentType';
}

/** The same for those whose records they are. */
const own = (ways: NonNullable<Expectation['own']>, lines: [string, Expectation][]): [string, Expectation][] =>
  lines.map(([name, expected]) => [name, { ...expected, own: ways }]);

const of = (kind: Expectation['of'], who: Expectation['who'], ...names: string[]): [string, Expectation][] =>
  names.map((name) => [name, { who, of: kind }]);

/** Every root field has a line here, from which docs/permissions.md is made: one that has none fails `npm run schema` and the walk. */
export const EXPECTED: ReadonlyMap<string, Expectation> = new Map([
  ...of(undefined, 'public', 'login', 'ssoLogin', 'logInByMagicLink', 'logInByOtpSms', 'resetPassword', 'signUp'),
  ...of(undefined, 'everybody', 'mobileContext', 'ssoOptions', 'authMethods', 'requestMagicLink', 'forgotPassword', 'requestOtpSms'),
  ...of(undefined, 'edit_company', 'ssoConnections'),
  ...of('company', 'edit_company', 'createSsoConnection'),
  ...of('ssoConnection', 'edit_company', 'ssoConnection', 'updateSsoConnection', 'verifySsoDomains', 'deleteSsoConnection'),
  ...of(undefined, 'person', 'me', 'myPermissions', 'myAccess'),
  ...of(undefined, 'person', 'recordPosition', 'recordPositions', 'updateMyDevicePermissions'),
  ...of('job', 'company', 'jobDeviceStatus', 'jobLocationHistories'),
  ...of(undefined, 'person', 'myTimeLogged'),
  ['myDriverState', { who: 'person', driversOnly: true }],
  ['setMyDriverState', { who: 'person', driversOnly: true }],
  ...of('driver', 'edit_user', 'setDriverOffDuty'),
  ...of(undefined, 'company', 'iamRoles'),
  ...of('iamRole', 'company', 'iamRole'),
  ...of(undefined, 'company', 'users', 'userTypeahead'),
  ...of('user', 'company', 'user'),
  ...of(undefined, 'company', 'resourceScopes'),
  ...of('user', 'create_resource_scope', 'createResourceScope'),
  ...of('resourceScope', 'delete_resource_scope', 'deleteResourceScope'),
  ...of(undefined, 'create_user', 'createUser'),
  ...own(['self'], of('user', 'edit_user', 'updateUser')),
  ...of('user', 'edit_user', 'updateUser'),
  ...of('user', 'create_user', 'inviteUser'),
  ...of('user', 'company', 'userTimeOffs'),
  ...own(['self'], of('user', 'edit_user', 'createUserTimeOff', 'makeUserAvailable', 'makeUserUnavailable')),
  ...own(['self'], of('timeOff', 'edit_user', 'deleteUserTimeOff')),
  ...of('user', 'delete_user', 'deactivateUser'),
  ...of('user', 'impersonate', 'impersonate'),
  ...of('formerUser', 'delete_user', 'reactivateUser'),
  ...of(undefined, 'manage_iam_roles', 'createIamRole'),
  ...of('iamRole', 'manage_iam_roles', 'updateIamRole', 'deleteIamRole'),
  ...of(undefined, 'manage_machine_clients', 'm2mClients', 'createM2MClient'),
  ...of(
    'm2mClient',
    'manage_machine_clients',
    'm2mClient',
    'updateM2MClient',
    'rotateM2MClient',
    'endM2MClientRotation',
    'revokeM2MClient',
  ),
  ...of(undefined, 'public', 'refreshSession'),
  ...of(undefined, 'session', 'logOut', 'endImpersonation'),
  ...of('userSession', 'edit_user', 'userSessions', 'userSession', 'endUserSessions', 'endUserSession'),
  ...of(undefined, 'company', 'departments', 'departmentTypeahead', 'serviceClasses', 'serviceClassTypeahead', 'materialTypes'),
  ...of(undefined, 'company', 'services', 'serviceTypeahead', 'materials', 'materialTypeahead'),
  ...of('service', 'company', 'service'),
  ...of('department', 'company', 'department'),
  ...of(undefined, 'create_department', 'createDepartment'),
  ...of('department', 'edit_department', 'updateDepartment'),
  ...of('department', 'delete_department', 'deleteDepartment'),
  ...of('serviceClass', 'company', 'serviceClass'),
  ...of(undefined, 'create_service_class', 'createServiceClass'),
  ...of('serviceClass', 'edit_service_class', 'updateServiceClass'),
  ...of('serviceClass', 'delete_service_class', 'deleteServiceClass'),
  ...of(undefined, 'manage_labels', 'labels', 'labelTypeahead', 'createLabel'),
  ...of('label', 'manage_labels', 'label', 'updateLabel', 'deleteLabel'),
  ...of('material', 'company', 'material'),
  ...of(undefined, 'create_materials', 'createMaterial'),
  ...of('material', 'edit_material', 'updateMaterial', 'deactivateMaterial'),
  ...of('inactiveMaterial', 'edit_material', 'activateMaterial'),
  ...of('material', 'delete_material', 'deleteMaterial'),
  ...of(undefined, 'company', 'equipmentTypes', 'equipmentTypeTypeahead'),
  ...of('equipmentType', 'company', 'equipmentType'),
  ...of(undefined, 'create_equipment_type', 'createEquipmentType'),
  ...of('equipmentType', 'edit_equipment_type', 'updateEquipmentType'),
  ...of('equipmentType', 'delete_equipment_type', 'deleteEquipmentType'),
  ...of('managedCompany', 'company', 'managedEquipmentTypes', 'managedEquipmentTypeTypeahead'),
  ...of('managedCompany', 'company', 'managedEquipmentList', 'managedEquipmentTypeahead'),
  ...of('managedTruck', 'company', 'managedEquipment'),
  ...of(undefined, 'create_equipment', 'createEquipment', 'createManagedEquipment'),
  ...of('equipment', 'edit_equipment', 'updateEquipment', 'deactivateEquipment'),
  ...of('inactiveEquipment', 'edit_equipment', 'activateEquipment'),
  ...of('equipment', 'delete_equipment', 'deleteEquipment'),
  ...of('managedTruck', 'edit_equipment', 'updateManagedEquipment'),
  ...of('managedTruck', 'delete_equipment', 'deleteManagedEquipment'),
  ...of('company', 'company', 'company'),
  ...of(undefined, 'company', 'permissionToggles'),
  ...of(undefined, 'view_audit_log', 'auditEntries'),
  ...of('company', 'edit_company', 'updatePermissionToggles'),
  ...of('company', 'edit_company', 'updateCompany', 'setCompanyLogo'),
  ...of('childCompany', 'edit_company', 'moveCompany'),
  ...of('childCompany', 'delete_company', 'discardCompany'),
  ...of(undefined, 'create_company', 'createCompany'),
  ...of('company', 'company', 'connectedCompanies'),
  ...of(undefined, 'company', 'connectedAccounts'),
  ...of(undefined, 'connect_companies', 'connectAccount', 'connectCompanies'),
  ...of(undefined, 'create_account', 'inviteAccount', 'createAccount'),
  ...of(undefined, 'company', 'accounts', 'accountTypeahead'),
  ...of('account', 'company', 'account'),
  ...of('account', 'edit_account', 'updateAccount'),
  ...of('account', 'delete_account', 'deleteAccount'),
  ...of('managedAccount', 'edit_account', 'updateManagedAccount'),
  ...of(undefined, 'edit_account', 'bulkUpdateAccounts'),
  ...of(undefined, 'company', 'accountExternalTruckIdentifiers'),
  ...of('externalTruck', 'company', 'accountExternalTruckIdentifier'),
  ...of('externalTruck', 'edit_account', 'updateAccountExternalTruckIdentifier', 'deleteAccountExternalTruckIdentifier'),
  ...of(undefined, 'company', 'accountCapacityTypeahead'),
  ...of('account', 'company', 'accountTimeOffs'),
  ...of('account', 'edit_account', 'createAccountTimeOff', 'makeAccountAvailable', 'makeAccountUnavailable'),
  ...of('accountTimeOff', 'edit_account', 'deleteAccountTimeOff'),
  ...of(undefined, 'company', 'companyShares', 'recordShares'),
  ...of('companyShare', 'company', 'companyShare'),
  ...of('managedCompany', 'company', 'managedCompanies', 'managedCompany', 'managedCompanyConnections', 'managedCompanyShares'),
  ...of('managedCompany', 'edit_company', 'manageCompany', 'unmanageCompany'),
  ...of('managedShare', 'company', 'managedCompanyShare'),
  ...of(undefined, 'create_company_share', 'createManagedCompanyShare'),
  ...of('managedShare', 'edit_company_share', 'updateManagedCompanyShare'),
  ...of('managedShare', 'delete_company_share', 'deleteManagedCompanyShare'),
  ...of('managedUser', 'company', 'managedUsers', 'managedUser', 'managedResourceScopes', 'managedDrivers', 'managedDriver'),
  ...of(undefined, 'create_user', 'createManagedUser'),
  ...of('managedUser', 'create_user', 'inviteManagedUser'),
  ...of('managedUser', 'edit_user', 'updateManagedUser'),
  ...of('managedUser', 'delete_user', 'deactivateManagedUser'),
  ...of('managedUser', 'create_resource_scope', 'createManagedResourceScope'),
  ...of('managedScope', 'delete_resource_scope', 'deleteManagedResourceScope'),
  ...of('jobAssignment', 'company', 'jobAssignment'),
  ...of(undefined, 'company', 'jobAssignments'),
  ...of('job', 'create_job_assignment', 'createJobAssignment'),
  ...of('jobAssignment', 'edit_job_assignment', 'updateJobAssignment'),
  ...of(undefined, 'company', 'equipmentList', 'equipmentTypeahead', 'sites'),
  ...of('equipment', 'company', 'equipment'),
  ...of('site', 'company', 'site'),
  ...of(undefined, 'create_site', 'createSite'),
  ...of('site', 'edit_site', 'updateSite', 'deactivateSite'),
  ...of('inactiveSite', 'edit_site', 'activateSite'),
  ...of('site', 'delete_site', 'deleteSite'),
  ...of(undefined, 'company', 'kmlFiles'),
  ...of('kmlFile', 'company', 'kmlFileContent'),
  ...of(undefined, 'create_site', 'createKmlFile'),
  ...of('kmlFile', 'edit_site', 'updateKmlFile'),
  ...of('kmlFile', 'delete_site', 'deleteKmlFile'),
  ...of('site', 'company', 'siteContacts', 'siteGeofences', 'siteStats'),
  ...of('siteGeofence', 'company', 'siteGeofence'),
  ...of('site', 'edit_site', 'assignSiteContacts', 'createSiteGeofence', 'assignSiteGeofences'),
  ...of('siteGeofence', 'edit_site', 'updateSiteGeofence'),
  ...of(undefined, 'company', 'siteTypeahead', 'siteFacets'),
  ...of('order', 'company', 'orderDefaultSites'),
  ...of('project', 'company', 'projectDefaultSites'),
  ...own(['grant', 'early'], of('order', 'edit_order', 'addOrderDefaultSite', 'removeOrderDefaultSite')),
  ...of('project', 'edit_project', 'addProjectDefaultSite', 'removeProjectDefaultSite'),
  ...of(undefined, 'create_company_share', 'createCompanyShare'),
  ...of('companyShare', 'edit_company_share', 'updateCompanyShare'),
  ...of('companyShare', 'delete_company_share', 'deleteCompanyShare'),
  // Finding each other is what platform ids are for.
  ['companyByPlatformId', { who: 'connect_companies', acrossFamilies: true }],
  ...of(undefined, 'company', 'companies', 'childCompanies', 'orders', 'jobs', 'loads', 'jobEvents', 'projects', 'projectTypeahead'),
  ...of(
    undefined,
    'company',
    'dispatchNumbers',
    'dispatchNumberFacets',
    'orderPhases',
    'projectPhases',
    'orderSites',
    'orderMaterials',
    'estimateOrder',
  ),
  ...of(undefined, 'company', 'orderTimeline', 'jobTimeline', 'ordersCsvTemplate', 'ticketsCsvTemplate', 'projectsCsvTemplate'),
  ...of(undefined, 'company', 'orderFileAttachments', 'projectFileAttachments', 'jobFileAttachments', 'loadFileAttachments'),
  ...of(undefined, 'company', 'createDirectUpload', 'jobSignatures', 'loadSignatures'),
  ...own(['grant', 'driver'], of('job', 'edit_job', 'signJobAsDriver', 'signJobAtDropoff', 'removeJobSignature')),
  ...own(['grant', 'driver'], of('load', 'edit_job', 'signLoadAsDriver', 'signLoadAtDropoff', 'removeLoadSignature')),
  ...of(undefined, 'create_order_attachments', 'createOrderFileAttachment'),
  ...of(undefined, 'create_project_attachments', 'createProjectFileAttachment'),
  ...of(undefined, 'create_job_attachments', 'createJobFileAttachment'),
  ...of(undefined, 'create_load_attachments', 'createLoadFileAttachment'),
  ...of('fileAttachment', 'company', 'fileAttachment'),
  ...own(['grant'], of('fileAttachment', 'edit_order_attachments', 'updateFileAttachment')),
  ...own(['grant'], of('fileAttachment', 'delete_order_attachments', 'deleteFileAttachment')),
  ...of(undefined, 'company', 'tickets', 'ticketRollup'),
  ...of('ticket', 'company', 'ticket'),
  ...own(['grant'], of('ticket', 'edit_ticket', 'setTicketImage', 'removeTicketImage', 'approveTicket', 'voidTicket', 'updateTicket')),
  ...own(['grant'], of('ticket', 'delete_ticket', 'deleteTicket')),
  ...own(['grant'], of(undefined, 'create_ticket', 'createTicket')),
  ...of(undefined, 'create_ticket', 'ingestTickets'),
  ...of(undefined, 'create_project', 'ingestProjects'),
  ...of(undefined, 'company', 'drivers', 'foremen', 'driverFacets', 'foremanFacets'),
  ...of('driver', 'company', 'driver'),
  ...of('foreman', 'company', 'foreman'),
  ...of('order', 'company', 'order'),
  ...of('job', 'company', 'job'),
  ...of('load', 'company', 'load'),
  ...of('project', 'company', 'project'),
  ...of(undefined, 'company', 'materialRates', 'materialRateTypeahead', 'projectMaterialRates'),
  ...of('materialRate', 'company', 'materialRate'),
  ...of(undefined, 'create_material_rate', 'createMaterialRate'),
  ...of('materialRate', 'edit_material_rate', 'updateMaterialRate', 'deleteMaterialRate'),
  ...of(undefined, 'company', 'siteRateSchedules', 'appliedRates'),
  ...of('project', 'edit_project', 'createSiteRateSchedule'),
  ...of('siteRateSchedule', 'edit_project', 'updateSiteRateSchedule', 'deleteSiteRateSchedule'),
  ...of(undefined, 'company', 'rates', 'rateTypeahead'),
  ...of('rate', 'view_driver_rates', 'rate'),
  ['calculateRateCost', { who: 'view_customer_rates', also: 'view_vendor_rates' }],
  ['createRate', { who: 'create_rate', also: 'view_driver_rates' }],
  ['updateRate', { who: 'edit_rate', also: 'view_driver_rates', of: 'rate' }],
  ['copyRate', { who: 'create_rate', also: 'view_driver_rates', of: 'rate' }],
  ['deleteRate', { who: 'delete_rate', also: 'view_driver_rates', of: 'rate' }],
  ...of(undefined, 'company', 'ownProjects', 'projectExternalIdTypeahead'),
  ...of(undefined, 'create_project', 'createProject'),
  ...of('project', 'edit_project', 'updateProject', 'deactivateProject'),
  ...of('inactiveProject', 'edit_project', 'activateProject'),
  ...of('project', 'delete_project', 'deleteProject'),
  ...of(undefined, 'view_imports', 'importedRecords', 'importStatus'),
  ...of('importedRecord', 'view_imports', 'importedRecord'),
  ...of(undefined, 'create_ticket', 'ingestTicketsCsv'),
  ...of(undefined, 'create_project', 'ingestProjectsCsv'),
  ...of('importBatch', 'view_imports', 'importErrorsCsv', 'importBatch', 'importBatchRecords'),
  ...of(undefined, 'create_order', 'createOrder', 'ingestOrders', 'ingestOrdersCsv'),
  ...of(undefined, 'create_order', 'retryImportedRecords', 'skipImportedRecords'),
  ...of('importedRecord', 'create_order', 'retryImportedRecord', 'skipImportedRecord', 'resubmitImportedRecord'),
  ...of('order', 'create_order', 'copyOrder'),
  ...own(['grant', 'early'], of('order', 'edit_order', 'updateOrder')),
  ...own(['grant'], of('order', 'edit_order', 'requestOrder', 'acceptOrder', 'rejectOrder', 'holdOrder', 'weatherHoldOrder')),
  ...own(['grant'], of('order', 'edit_order', 'startOrder', 'completeOrder', 'cancelOrder')),
  ...own(['grant'], of(undefined, 'create_job', 'addJob')),
  ...of(undefined, 'company', 'ownJobs', 'estimateRoute', 'dayBoard'),
  ...of('job', 'company', 'loadCycles'),
  ...own(['grant'], of('job', 'create_job', 'copyJob')),
  ...own(['grant'], of('job', 'edit_job_phase', 'setJobPhase')),
  ...own(['grant'], of('job', 'edit_job_equipment', 'setJobEquipment', 'setJobAdditionalEquipment')),
  ...of('finishedJob', 'company', 'jobSummary'),
  ...own(['grant'], of('finishedJob', 'edit_job_summary', 'updateJobSummary')),
  ['updateLoadSummary', { who: 'edit_load_summaries', also: 'edit_job', of: 'load', own: ['grant'] }],
  ...of(undefined, 'create_order', 'simulateOrder'),
  ...own(['grant'], of('job', 'delete_job', 'deleteJob')),
  ...own(['grant'], of('job', 'cancel_job', 'cancelJob')),
  ...own(['grant'], of('job', 'assign_job', 'assignVendorToJob', 'unassignJob')),
  ...own(['grant', 'early'], of('order', 'edit_order', 'validateOrder')),
  ...of(undefined, 'create_order', 'validateNewOrder'),
  ...own(['grant'], of('job', 'assign_job', 'validateVendorOfJob')),
  ...own(['grant'], of('job', 'edit_job', 'validateJob', 'updateJob', 'sendJob', 'reviewJob', 'flagJob', 'removeJobFlag', 'signOffJob')),
  ...own(['grant'], of('job', 'edit_job', 'removeJobSignoff', 'payJob')),
  ...of(
    undefined,
    'company',
    'jobsToApprove',
    'loadsToApprove',
    'jobApprovals',
    'loadApprovals',
    'jobApprovalStatus',
    'ordersToInvoice',
    'jobsToInvoice',
  ),
  ...own(['grant'], of('finishedJob', 'approve_job', 'approveJob', 'unapproveJob')),
  ...own(['grant'], of('load', 'approve_load', 'approveLoad', 'unapproveLoad')),
  ...of(undefined, 'compliance_read', 'complianceDocumentTypes', 'complianceDocumentTypeTypeahead'),
  ...of('complianceDocumentType', 'compliance_read', 'complianceDocumentType'),
  ...of(undefined, 'compliance_write', 'createComplianceDocumentType'),
  ...of('complianceDocumentType', 'compliance_write', 'updateComplianceDocumentType', 'deleteComplianceDocumentType'),
  ...own(['self'], of(undefined, 'compliance_read', 'complianceDocuments', 'complianceChecklist', 'complianceCheck')),
  ...own(['self'], of('complianceDocument', 'compliance_read', 'complianceDocument')),
  ...own(['self'], of(undefined, 'compliance_write', 'createComplianceDocument')),
  ...own(['self'], of('complianceDocument', 'compliance_write', 'updateComplianceDocument', 'deleteComplianceDocument')),
  ...of(undefined, 'company', 'bulkActions', 'bulkActionItems', 'bulkAcceptJobs'),
  ...of('bulkAction', 'company', 'bulkAction'),
  ...own(['grant'], of(undefined, 'assign_job', 'bulkAssignDrivers', 'bulkAssignVendors', 'bulkUnassignJobs')),
  ...own(['grant'], of(undefined, 'edit_job', 'bulkUpdateJobs', 'bulkSendJobs', 'bulkSendDay', 'bulkTextDrivers', 'bulkCopyAssignments')),
  ...own(['grant'], of('job', 'edit_job', 'textJobDriver')),
  ...own(['grant'], of('order', 'edit_job', 'textOrderDrivers')),
  ...own(['grant'], of(undefined, 'cancel_job', 'bulkCancelJobs')),
  ...own(['grant'], of(undefined, 'delete_job', 'bulkDeleteJobs')),
  ...own(['grant', 'driver'], of('job', 'edit_job', 'acceptJob', 'rejectJob', 'enrouteJob', 'arriveJob', 'loadJobMaterial')),
  ...own(['grant', 'driver'], of('job', 'edit_job', 'unloadJobMaterial', 'completeJobLoad', 'completeJob', 'pauseJob', 'resumeJob')),
  ...own(['grant'], of(undefined, 'create_loads', 'createLoad')),
  ...own(['grant'], of('load', 'edit_load', 'updateLoad')),
  ...own(['grant', 'driver'], of('load', 'edit_job', 'completeLoad')),
  ...own(['grant'], of('load', 'delete_load', 'deleteLoad')),
]);

/** Ids by the kind of record. */
export type Ids = Record<
  | NonNullable<Expectation['of']>
  | 'platform'
  | 'upload'
  | 'partner'
  | 'managedSite'
  | 'managedType'
  | 'companyShareable'
  | 'compliant'
  | 'accountPaper'
  | 'movingSite'
  | 'truckPaper'
  | 'driver'
  | 'foreman'
  | 'site'
  | 'equipment',
  string
>;

/** The built-in driver role, the same in every installation. */
const DRIVER = '8f868405-03ba-5d72-b418-caae734b38d4';

/** An e-mail address and a telephone nobody has. */
const reach = () => ({ email: `walt${Math.random()}@example.com`, phone: `+1415${String(Math.random()).slice(2, 9)}` });

/**
 * A fresh order with a job and a load, and one of everything else.
 * @param root the field they are for
 * @param only the kinds that are needed; all unless given (`idsUsed` tells them)
 */
export async function makeIds(yard: Yard, root?: string, only?: ReadonlySet<string>): Promise<Ids> {
  const company = ref(yard.company);
  const named = `Walk ${++walks} ${Math.random().toString(36).slice(2)}`;
  const own = { company, name: named };
  const order = once(() => makeOrder(yard, { truck_count: 2 }));
  const site = once(() => yard.save(Site, own));
  const isDefault = async (of: object) =>
    saved(DefaultSite, { companyId: yard.company.id, waypointType: 'pickup', site: ref(await site()), ...of });
  const neighbour = once(() => neighboursOf(yard, root));
  const saved = async <T extends { id: string }>(type: new () => T, fields: object) => (await yard.save(type, fields)).id;
  const change = (id: string, to: object) => yard.app.orm.em.fork().nativeUpdate(Job, { id }, to as never, { filters: { tenant: false } });
  const changeLoad = (id: string, to: object) =>
    yard.app.orm.em.fork().nativeUpdate(Load, { id }, to as never, { filters: { tenant: false } });
  const jobs = once(async (): Promise<{ id: string }[]> => yard.must('GET', `/v1/orders/${(await order()).id}/jobs`));
  const user = once(() => yard.save(User, { company, firstName: 'Walt', lastName: 'Haul', roles: [], ...reach() }));
  const account = once(() => yard.save(Account, own));
  const former = once(async () => (await yard.person({ roles: [], discardedAt: new Date() })).user);
  const imported = once(async () => yard.must('POST', '/ingest/orders', { orders: [{ external_id: named }] }));
  const paper = once(() => yard.save(ComplianceDocumentType, { ...own, name: `${named} paper` }));
  const paperOf = async (compliantType: CompliantType, compliantId: string) =>
    saved(ComplianceDocument, { company, complianceDocumentType: ref(await paper()), compliantType, compliantId });
  const signed = async (signableType: 'Job' | 'Load', signableId: string, jobId: string) => {
    const by = { signedByType: 'User', signedById: yard.driver.id, signedByName: 'Dora Wheel' };
    const image = { imageMimeType: 'image/png', imageName: 'walk.png', imageSize: 1 };
    for (const type of ['DriverSignature', 'DropoffSignature'])
      await saved(Signature, { companyId: yard.company.id, type, signableType, signableId, jobId, imageId: newId(), ...image, ...by });
  };
  const agreement = (letter: string) => ({
    ...{ company, name: `${named} ${letter}`, number: Math.floor(Math.random() * 1e9) },
    ...{ projectId: `${letter}-${named}`, account: ref(yard.account) },
  });
  const makers: Record<keyof Ids, () => Promise<string> | string> = {
    upload: async () => {
      const contentType = root === 'setTicketImage' ? 'image/jpeg' : 'image/png';
      const content = { filename: 'walk.png', byteSize: 1, checksum: '', contentType, fileName: 'walk.png', sha256: '' };
      const by = { companyId: yard.company.id, createdByType: 'User', createdById: yard.driver.id };
      const expiresAt = new Date(Date.now() + 3_600_000);
      const id = await saved(DirectUpload, { ...content, ...by, expiresAt, fileId: newId() });
      return signId('attach', { id, companyId: yard.company.id, expires: expiresAt.getTime() });
    },
    department: () => saved(Department, own),
    serviceClass: () => saved(ServiceClass, own),
    service: () => yard.service.id,
    label: () => saved(Label, { ...own, color: '#336699' }),
    material: () => saved(Material, own),
    inactiveMaterial: () => saved(Material, { ...own, name: `${named} inactive`, state: 'inactive' }),
    m2mClient: async () => {
      const em = yard.app.orm.em.fork();
      const { client } = makeMachineClient(em, yard.company, { name: 'Sender', permissions: ['manage_machine_clients'] });
      await em.flush();
      return client.id;
    },
    driver: () => yard.driver.id,
    foreman: async () => (await yard.person({ firstName: 'Fay', lastName: 'Foreman', roles: ['foreman'] })).user.id,
    order: async () => {
      const { id } = await order();
      if (root === 'removeOrderDefaultSite') await isDefault({ orderId: id });
      if (root?.startsWith('text')) await change((await jobs())[0]!.id, { driver: (await user()).id, state: 'assigned' });
      return id;
    },
    job: async () => {
      const { id } = (await jobs())[0]!;
      if (root?.startsWith('text')) await change(id, { driver: (await user()).id, state: 'assigned' });
      if (root === 'removeJobSignature') await signed('Job', id, id);
      return id;
    },
    finishedJob: async () => {
      const { id } = (await jobs())[1]!;
      await change(id, { state: 'completed', ...(root === 'unapproveJob' ? APPROVED : {}) });
      return id;
    },
    load: async () => {
      const { id } = (await yard.must('GET', yard.path(`/orders/${(await order()).id}/loads`)))[0];
      if (root === 'removeLoadSignature') await signed('Load', id, (await jobs())[0]!.id);
      if (/^(un)?approve/.test(root ?? '')) await changeLoad(id, { state: 'completed', ...(root === 'unapproveLoad' ? APPROVED : {}) });
      return id;
    },
    project: async () => {
      const id = await saved(Project, agreement('P'));
      if (root === 'removeProjectDefaultSite') await isDefault({ projectId: id });
      return id;
    },
    siteRateSchedule: async () => saved(SiteRateSchedule, { company, project: ref(Project, await saved(Project, agreement('S'))) }),
    materialRate: async () =>
      saved(MaterialRate, { company, unitOfMeasure: 'Ton', material: ref(await yard.save(Material, { ...own, name: `${named} priced` })) }),
    rate: () => saved(Rate, { ...own, timeRate: '30', timeMinimumMinutes: 0, timeIncrementMinutes: 0 }),
    customerRate: () => saved(Rate, { ...own, ownerType: 'customer', type: 'RateFlatRate', flatAmount: '2' }),
    vendorRate: () => saved(Rate, { ...own, ownerType: 'vendor', type: 'RateFlatRate', flatAmount: '1' }),
    inactiveProject: () => saved(Project, { ...agreement('Q'), state: 'inactive' }),
    company: () => yard.company.id,
    platform: () => yard.company.platformId,
    childCompany: async () => (await neighbour()).childCompany,
    partner: async () => (await neighbour()).partner,
    companyShare: async () => (await neighbour()).companyShare,
    managedCompany: async () => (await neighbour()).managedCompany,
    managedShare: async () => (await neighbour()).managedShare,
    managedSite: async () => (await neighbour()).managedSite,
    managedUser: async () => (await neighbour()).managedUser,
    managedScope: async () => (await neighbour()).managedScope,
    equipment: async () => (await neighbour()).equipment,
    inactiveEquipment: async () => (await neighbour()).inactiveEquipment,
    managedTruck: async () => (await neighbour()).managedTruck,
    managedType: async () => (await neighbour()).managedType,
    companyShareable: () => yard.driver.id,
    compliant: async () => (await user()).id,
    complianceDocumentType: () => saved(ComplianceDocumentType, own),
    complianceDocument: async () => paperOf('User', (await user()).id),
    accountPaper: async () => paperOf('Account', (await account()).id),
    truckPaper: async () => paperOf('Equipment', (await neighbour()).equipment),
    jobAssignment: async () =>
      saved(JobAssignment, {
        job: ref(Job, (await jobs())[1]!.id),
        link: 0,
        customerCompanyId: yard.company.id,
        vendorAccount: ref(yard.vendor),
      }),
    kmlFile: () => saved(KmlFile, { company, fileName: 'sites.kml', content: '<kml/>' }),
    site: async () => (await site()).id,
    movingSite: async () => {
      const em = yard.app.orm.em.fork();
      const known = await em.findOne(MovingSite, { siteId: yard.pickup.id }, { filters: { tenant: false } });
      return (
        known?.id ?? saved(MovingSite, { companyId: yard.company.id, siteId: yard.pickup.id, equipmentId: (await neighbour()).equipment })
      );
    },
    siteGeofence: async () => saved(RoutingGeofence, { company, siteId: (await site()).id }),
    inactiveSite: () => saved(Site, { ...own, name: `${named} inactive`, state: 'inactive' }),
    equipmentType: () => saved(EquipmentType, own),
    account: async () => (await account()).id,
    externalTruck: async () => saved(AccountExternalTruckIdentifier, { company, account: ref(await account()), externalTruckId: named }),
    accountTimeOff: async () => saved(ScheduledTimeOff, { company, account: ref(await account()), startDate: new Date(), endDate: null }),
    managedAccount: async () => (await neighbour()).managedAccount,
    importedRecord: async () => (await imported()).records[0].id,
    importBatch: async () => (await imported()).batch_id,
    fileAttachment: async () => saved(FileAttachment, { ...attachmentFields(yard), fileAttachableId: (await order()).id }),
    ticket: async () => {
      const picture = root === 'removeTicketImage' ? { imageUrl: 'https://example.com/ticket.jpg' } : {};
      return saved(Ticket, { company, order: ref(Order, (await order()).id), ticketNumber: `T-${named}`, ...picture });
    },
    ssoConnection: async () => (await yard.must('POST', yard.path('/sso_connections'), wired(connectionInput(), snake))).id,
    iamRole: () => saved(IamRole, { company, name: `Yard clerk ${named}` }),
    user: async () => (await user()).id,
    userSession: async () => openSession(yard.app.orm, await user()),
    formerUser: async () => (await former()).id,
    resourceScope: async () => saved(ResourceScope, { company, user: ref(await former()), site: ref(yard.pickup) }),
    bulkAction: () =>
      saved(BulkAction, {
        ...{ company, kind: 'accept', createdByType: 'User', createdById: yard.driver.id, createdByName: 'Walt Haul' },
        ...{ language: 'en', requestId: 'walk', totalCount: 0, finishedAt: new Date() },
      }),
    timeOff: async () => saved(ScheduledTimeOff, { company, user: ref(await user()), startDate: new Date(), endDate: null }),
  };
  const ids = {} as Ids;
  for (const [kind, make] of Object.entries(makers) as [keyof Ids, () => Promise<string> | string][])
    if (!only || only.has(kind)) ids[kind] = await make();
  return ids;
}

const APPROVED = { billerApproved: true, billingApprovedAt: new Date(), approvedAt: new Date() };

let walks = 0;
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** The kinds of records whose ids a call is made of: making a fresh one of everything for every field takes minutes. */
export function idsUsed(call: (ids: Ids) => unknown): ReadonlySet<string> {
  const used = new Set<string>();
  const get = (_: Ids, kind: string | symbol) => {
    used.add(String(kind));
    return '00000000-0000-7000-8000-000000000000';
  };
  call(new Proxy({} as Ids, { get }));
  return used;
}

const camel = (name: string) => name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const wired = (value: unknown, name: (key: string) => string): unknown =>
  Array.isArray(value)
    ? value.map((one) => wired(one, name))
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), wired(one, name)]))
      : value;

/** The id an argument or a path parameter names: `id` is the field's own record, `jobId` a job. */
const idOf = (name: string, expected: Expectation, ids: Ids): string | undefined =>
  name === 'id' || (name === 'jobId' && expected.of === 'finishedJob') || (name === 'userId' && /^managed/.test(expected.of ?? ''))
    ? expected.of && ids[expected.of]
    : name.endsWith('Id')
      ? ids[name.slice(0, -2) as keyof Ids]
      : undefined;

const PLACE = '<kml><Placemark><name>Walk</name><Point><coordinates>-97.5,30.25</coordinates></Point></Placemark></kml>';
let domains = 0;
const connectionInput = () => ({
  kind: 'oidc',
  displayName: 'Walk',
  domains: [`walk${++domains}.example`],
  issuer: 'https://idp.example.com',
  clientId: 'w',
});

/** An input with its required fields only, in GraphQL names. */
function sampleInput(type: GraphQLInputType, yard: Yard, ids: Ids, name = '', root = ''): unknown {
  const named = getNamedType(type);
  if (/^job_?ids$/i.test(name)) return [ids.job];
  if (name === 'date') return '2026-11-24';
  if (named.name === 'DriverAssignmentInput') return [{ jobId: ids.job, driverId: yard.driver.id }];
  if (named.name === 'BulkAssignVendorInput' && name) return [{ jobIds: [ids.job], vendorAccountId: yard.vendor.id }];
  if (named.name === 'BulkAssignVendorInput') return { jobIds: [ids.job], vendorAccountId: yard.vendor.id };
  if (named.name === 'BulkDriverSmsInput') return { jobIds: [ids.job] };
  if (named.name === 'BulkCopyAssignmentsInput') return { orderId: ids.order, jobIds: [ids.job] };
  if (named.name === 'CreateFileAttachmentInput') return { file: ids.upload };
  if (named.name === 'SetTicketImageInput') return { image: ids.upload };
  if (named.name === 'CreateDriverSignatureInput') return { image: ids.upload };
  if (named.name === 'CreateDropoffSignatureInput') return { image: ids.upload, name: 'Walk' };
  if (named.name === 'CreateDirectUploadInput')
    return { filename: 'walk.png', byteSize: 1, checksum: `${'A'.repeat(22)}==`, contentType: 'image/png' };
  if (name === 'payload') return { external_id: 'W' };
  if (name === 'phase_id') return null;
  if (/^additional_?[gG]eofences$/.test(name)) return [{}];
  if (named.name === 'CreateKmlFileInput') return { file: PLACE };
  if (named.name === 'UpdateKmlFileInput') return { name: 'Walk' };
  if (named.name === 'ContactBulkAssignInput') return { contacts: [{ name: 'Walk' }] };
  if (root === 'createManagedCompanyShare')
    return { receiverCompanyId: yard.company.id, companyShareableId: ids.managedSite, companyShareableType: 'Site' };
  if (named.name === 'CreateCompanyShareInput')
    return { receiverCompanyId: ids.childCompany, companyShareableId: yard.pickup.id, companyShareableType: 'Site' };
  if (named.name === 'ConnectAccountInput') return { platformId: ids.partner, accountTypes: ['vendor'] };
  if (named.name === 'ConnectCompaniesInput')
    return { senderCompanyId: yard.company.id, receiverCompanyId: ids.childCompany, senderAccountTypes: ['customer'] };
  if (named.name === 'InviteAccountInput') return wired(inviteInput(), camel);
  if (named.name === 'CreateCompanyInput') return wired(companyInput(), camel);
  if (named.name === 'CreateOrderInput') return wired(orderInput(yard), camel);
  if (/^Create(Department|ServiceClass|Label|Material|Site|EquipmentType)Input$/.test(named.name)) return { name: `Walk ${Math.random()}` };
  if (named.name === 'CreateMaterialRateInput') return { materialId: ids.material, unitOfMeasure: 'Ton' };
  if (named.name === 'CreateRateInput')
    return { name: 'Walk', type: 'RatePerHour', timeRate: '30', timeMinimumMinutes: 0, timeIncrementMinutes: 0 };
  if (named.name === 'CalculateCostInput')
    return {
      estimatedHours: 8,
      orderQuantity: 9,
      orderUnitOfMeasure: 'Ton',
      customerRateId: ids.customerRate,
      vendorRateId: ids.vendorRate,
    };
  if (named.name === 'CreateProjectInput') return { name: `Walk ${Math.random()}`, accountId: yard.account.id };
  if (named.name === 'BulkUpdateAccountInput') return [{ id: ids.account }];
  if (named.name === 'CreateAccountInput') return { name: `Walk ${Math.random()}`, accountTypes: ['customer'] };
  if (named.name === 'CreateEquipmentInput')
    return { name: 'Walk truck', equipmentTypeId: root === 'createManagedEquipment' ? ids.managedType : ids.equipmentType };
  if (named.name === 'CreateIamRoleInput') return { name: `Role ${Math.random()}`, permissions: [] };
  if (named.name === 'CreateM2MClientInput') return { name: 'Sender', scopes: ['manage_machine_clients'] };
  if (root === 'createManagedResourceScope') return { resourceId: ids.managedSite, resourceType: 'Site' };
  if (root === 'createManagedUser')
    return { firstName: 'Wim', lastName: 'Walk', email: `managed${Math.random()}@example.com`, iamRoleIds: [DRIVER] };
  if (named.name === 'CreateResourceScopeInput') return { resourceId: yard.dropoff.id, resourceType: 'Site' };
  if (named.name === 'UpdateUserInput') return { externalId: `W${Math.random()}` };
  if (named.name === 'CreateUserInput')
    return {
      firstName: 'Wil',
      lastName: 'Walk',
      email: `walk${Math.random()}@example.com`,
      // Of no permissions: anybody may give it.
      iamRoleIds: [ids.iamRole],
    };
  if (named.name === 'UpdateDevicePermissionsInput') return { deviceId: 'phone', devicePermissions: [] };
  if (named.name === 'MobileDeviceLocationsInput') return { deviceId: 'phone', locations: [] };
  if (named.name === 'MobileDeviceLocationInput')
    return { deviceId: 'phone', location: { occurredAt: new Date().toISOString(), lat: 30, lon: -97 } };
  if (named.name === 'CreateTimeOffInput') return { startDate: '2026-12-01T00:00:00.000Z', endDate: '2026-12-02T00:00:00.000Z' };
  if (named.name === 'CreateComplianceDocumentInput') return { complianceDocumentTypeId: ids.complianceDocumentType };
  if (named.name === 'CreateComplianceDocumentTypeInput') return { name: `Walk ${Math.random()}` };
  if (named.name === 'CreateTicketInput') return { unitOfMeasure: 'Ton' };
  if (named.name === 'EstimateOrderInput') return { totalLoads: 8, equipmentCapacity: 14, jobDurationMinutes: 480, cycleTimeMinutes: 60 };
  if (named.name === 'EstimateRouteInput') return { pickupSiteLat: 30, pickupSiteLon: -97, dropOffSiteLat: 31, dropOffSiteLon: -98 };
  if (named.name === 'SsoLoginInput') return { ssoToken: 'nothing' };
  if (named.name === 'EmailInput') return { email: 'nobody@example.com' };
  if (named.name === 'CreateSsoConnectionInput') return connectionInput();
  if (named.name === 'EmailAddressInput') return { email: 'nobody@example.com' };
  if (named.name === 'MagicLinkLoginInput') return { magicLinksToken: 'wrong' };
  if (named.name === 'PhoneInput') return { phone: '+12015550123' };
  if (named.name === 'OtpSmsLoginInput') return { phoneId: 'wrong', code: '000000' };
  if (named.name === 'ResetPasswordInput') return { passwordResetToken: 'wrong', password: 'limestone and rain' };
  if (named.name === 'SignUpInput') return { magicLinksToken: 'wrong', password: 'limestone and rain' };
  if (named.name === 'RefreshSessionInput') return { refreshToken: 'wrong' };
  if (named.name === 'LoginInput') return { email: 'nobody@example.com', password: 'wrong password' };
  if (named.name === 'Csv')
    return 'external_id,load_at,customer.external_id,ticket_number,service_date,quantity,unit_of_measure,truck_id\nW,2026-12-01T07:00:00,C,T,2026-12-01,1,Ton,1';
  if (!isInputObjectType(named)) return named.name === 'JSON' ? [{ external_id: 'W' }] : undefined;
  const required = Object.values(named.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(
    required.map((field) => [field.name, /^vendor(Account)?Id$/.test(field.name) ? yard.vendor.id : sampleInput(field.type, yard, ids)]),
  );
}

/** Documents of vendors and trucks have addresses of their own. */
const documentOf = (path: string, { of: kind }: Expectation, ids: Ids): string | undefined =>
  kind !== 'complianceDocument'
    ? undefined
    : path.includes('/accounts/')
      ? ids.accountPaper
      : path.includes('/equipment/')
        ? ids.truckPaper
        : undefined;

/** The calls of a REST operation, scoped twin included. */
export function restCalls(operation: RestOperation, expected: Expectation, ids: Ids, yard: Yard) {
  const bodies = operation.variables.filter((variable) => variable.place === 'body');
  const sampleOf = (body: (typeof bodies)[number]) =>
    idOf(camel(body.wire), expected, ids) ?? wired(sampleInput(body.type, yard, ids, body.wire, operation.rootField), snake);
  const whole = bodies.find(({ wire }) => wire === '');
  const sample = whole ? sampleOf(whole) : Object.fromEntries(bodies.map((body) => [body.wire, sampleOf(body)]));
  // The only one that must be given.
  const query = operation.variables.some(({ place, wire, type }) => place === 'query' && wire === 'date' && isNonNullType(type));
  return [operation.path, operation.scopedPath].flatMap((path) =>
    path === undefined
      ? []
      : [
          {
            method: operation.method,
            path: `${path}${query ? '?date=2026-12-01' : ''}`.replace(
              /\{([a-z-]+)\}/g,
              (_, param: string) =>
                (param === 'waypoint-type' ? 'pickup' : param === 'id' ? documentOf(path, expected, ids) : undefined) ??
                idOf(camel(param), expected, ids) ??
                ids[expected.of ?? 'order'],
            ),
            named: path.includes('{'),
            body: bodies.length > 0 ? sample : undefined,
          },
        ],
  );
}

const BULK_ARGUMENTS = ['jobIds', 'driverAssignments', 'vendorAssignments', 'data', 'date'];

/** A GraphQL operation on a root field, with every id it takes. @param more further arguments */
export function graphqlCall(
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  expected: Expectation,
  ids: Ids,
  yard: Yard,
  more: Record<string, unknown> = {},
) {
  const variables: Record<string, unknown> = {};
  for (const argument of field.args) {
    const id = idOf(argument.name, expected, ids);
    if (argument.name === 'phaseId') variables.phaseId = null;
    else if (argument.name === 'waypointType') variables.waypointType = 'pickup';
    else if (argument.name === 'type' && /^remove(Job|Load)Signature$/.test(field.name)) variables.type = 'DriverSignature';
    else if (argument.name === 'compliantType') variables.compliantType = 'User';
    else if (argument.name === 'channel') variables.channel = 'email';
    else if (argument.name === 'state') variables.state = 'off_duty';
    else if (argument.name === 'type' && field.name === 'recordShares') variables.type = 'User';
    else if (argument.name === 'parentCompanyId') variables.parentCompanyId = yard.company.id;
    else if (id !== undefined) variables[argument.name] = id;
    else if (
      ['input', 'additionalGeofences', 'orders', 'projects', 'tickets', 'csv', 'payload', ...BULK_ARGUMENTS].includes(argument.name) ||
      (argument.name === 'filter' && kind === 'mutation')
    )
      variables[argument.name] = sampleInput(argument.type, yard, ids, argument.name, field.name);
  }
  Object.assign(variables, more);
  const given = field.args.filter((argument) => variables[argument.name] !== undefined);
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const type = getNamedType(field.type);
  const fields = isObjectType(type) ? type.getFields() : undefined;
  const inside = fields?.nodes ? '{ nodes { __typename } }' : fields?.id ? '{ id }' : '{ __typename }';
  const selection = isLeafType(type) ? '' : inside;
  const head = declared ? `${kind}(${declared})` : kind;
  return {
    query: `${head} { ${field.name}${passed ? `(${passed})` : ''} ${selection} }`,
    variables,
    named: given.some((a) => /^id$|Id$/.test(a.name)),
  };
}
