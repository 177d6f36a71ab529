import { accountAccess } from './accounts/account.access.ts';
import { Account, accountConnectionKey } from './accounts/account.entity.ts';
import { accountFilters, accountSearchText, accountSorts } from './accounts/account.lists.ts';
import { companyAccess } from './companies/company.access.ts';
import {
  Company,
  companyCircleCheck,
  companyOwnParentCheck,
  companyPlatformIdCheck,
  companyPlatformIdKey,
} from './companies/company.entity.ts';
import { companyMessages } from './companies/company.messages.ts';
import { CompanyQueries, CompanyResolver, companySearchText, companySorts } from './companies/company.resolver.ts';
import { PLATFORM_IDS } from './companies/find-company.ts';
import { companySettingsAccess } from './companies/settings/company-settings.access.ts';
import { CompanySettings } from './companies/settings/company-settings.entity.ts';
import { CompanySettingsResolver } from './companies/settings/company-settings.resolver.ts';
import { SMS_NUMBERS, SmsIntegration } from './companies/sms-integration.entity.ts';
import { SmsIntegrationResolver } from './companies/sms-integration.resolver.ts';
import { worldChecks, worldMessages } from './companies/worlds.ts';
import { ComplianceDocument, ComplianceDocumentType } from './compliance/compliance.entity.ts';
import { complianceMessages } from './compliance/compliance.messages.ts';
import { ComplianceResolver } from './compliance/compliance.resolver.ts';
import {
  ComplianceDocumentTypeMutations,
  ComplianceDocumentTypeQueries,
  complianceDocumentTypeNameKey,
  complianceDocumentTypeNameSort,
  complianceDocumentTypeSearch,
} from './compliance/document-types.ts';
import { reminderMails } from './compliance/reminders.ts';
import { REMINDERS } from './compliance/reminders-purpose.ts';
import { addressAccess } from './contacts/address.access.ts';
import { Address } from './contacts/address.entity.ts';
import { contactAccess } from './contacts/contact.access.ts';
import { Contact } from './contacts/contact.entity.ts';
import { contactsMessages } from './contacts/contacts.messages.ts';
import { equipmentAccess, unloggedOfEquipment } from './equipment/equipment.access.ts';
import { Equipment, equipmentExternalIdKey } from './equipment/equipment.entity.ts';
import { EquipmentActivity, EquipmentMutations, EquipmentResolver } from './equipment/equipment.resolver.ts';
import { equipmentTypeAccess } from './equipment/equipment-type.access.ts';
import { EquipmentType } from './equipment/equipment-type.entity.ts';
import { EquipmentTypeMutations, EquipmentTypeQueries, equipmentTypeNameSort, equipmentTypeSearch } from './equipment/equipment-types.ts';
import { AccountExternalTruckIdentifier, accountExternalTruckIdentifierFilters } from './equipment/external-truck.entity.ts';
import { AccountExternalTruckIdentifierQueries, ExternalTruckResolver } from './equipment/external-truck.resolver.ts';
import { kmlMessages } from './kml/kml.messages.ts';
import { kmlFileAccess } from './kml/kml-file.access.ts';
import { KmlFile } from './kml/kml-file.entity.ts';
import { KmlFileQueries, KmlFileResolver } from './kml/kml-file.resolver.ts';
import { Label } from './master-data/label.entity.ts';
import { masterDataMessages } from './master-data/master-data.messages.ts';
import { MaterialActivity, MaterialMutations, MaterialQueries, MaterialResolver, materialTypeSorts } from './master-data/materials.ts';
import { materialAccess, materialTypeAccess, serviceAccess, serviceClassAccess, serviceTypeAccess } from './master-data/named.access.ts';
import {
  Department,
  Material,
  MaterialType,
  Service,
  ServiceClass,
  ServiceType,
  TrafficControlPlan,
} from './master-data/named.entities.ts';
import {
  DepartmentMutations,
  DepartmentQueries,
  LabelMutations,
  LabelQueries,
  namedKindKeys,
  namedKindLists,
  ServiceClassMutations,
  ServiceClassQueries,
  ServiceQueries,
  serviceFilters,
  TrafficControlPlanMutations,
  TrafficControlPlanQueries,
} from './master-data/named-kinds.ts';
import { rateAccess } from './master-data/rate.access.ts';
import { Rate } from './master-data/rate.entity.ts';
import { materialSearch, siteSearchText, typeaheadLists } from './master-data/typeaheads.ts';
import { AccountTimeOffQueries, AccountTimeOffResolver } from './people/account-time-off.resolver.ts';
import { ADMINISTRATORS } from './people/administrators.ts';
import { userDevicePermissionAccess } from './people/device-permission.access.ts';
import { UserDevicePermission } from './people/device-permission.entity.ts';
import { iamRoleAccess } from './people/iam-role.access.ts';
import { IamRole } from './people/iam-role.entity.ts';
import { scheduledTimeOffAccess } from './people/time-off.access.ts';
import { ScheduledTimeOff, scheduledTimeOffSorts } from './people/time-off.entity.ts';
import { timeOffMessages } from './people/time-off.messages.ts';
import { TimeOffQueries, TimeOffResolver } from './people/time-off.resolver.ts';
import { unloggedOfUsers, userAccess } from './people/user.access.ts';
import { User } from './people/user.entity.ts';
import { companyShareAccess } from './shares/company-share.access.ts';
import { CompanyShare, companyShareRecordKey } from './shares/company-share.entity.ts';
import { companyShareFilters } from './shares/company-share.lists.ts';
import { equipmentFilters, equipmentSearchText, equipmentSorts, siteFilters } from './shares/shareable.lists.ts';
import { SHARES } from './shares/shares-purpose.ts';
import { geofenceAccess, routingGeofenceAccess } from './sites/geofence.access.ts';
import { Geofence, RoutingGeofence } from './sites/geofence.entity.ts';
import { movingSiteAccess } from './sites/moving-site.access.ts';
import { MovingSite } from './sites/moving-site.entity.ts';
import { siteAccess } from './sites/site.access.ts';
import { Site } from './sites/site.entity.ts';
import { SiteActivity, SiteMutations, SiteQueries, SiteResolver } from './sites/site.resolver.ts';
import { SitePartsResolver } from './sites/site-parts.resolver.ts';
import { sitesMessages } from './sites/sites.messages.ts';

/** The entities of the room. */
export const entities = [
  Company,
  CompanySettings,
  CompanyShare,
  Address,
  Contact,
  Account,
  IamRole,
  User,
  Equipment,
  EquipmentType,
  AccountExternalTruckIdentifier,
  Geofence,
  RoutingGeofence,
  Site,
  MovingSite,
  KmlFile,
  Material,
  MaterialType,
  Service,
  ServiceClass,
  ServiceType,
  Department,
  TrafficControlPlan,
  Label,
  Rate,
  ScheduledTimeOff,
  UserDevicePermission,
  ComplianceDocument,
  ComplianceDocumentType,
  SmsIntegration,
];

/**
 * The accesses to the room's records: one for each entity. People of another company read master data through a partner's work, through
 * what is shared with them, and of connected companies (docs/companies.md). They need names, places, capacities, and whom to call on site.
 * External ids, accounting ids, notes, labels and preferences stay with the company.
 */
export const access = [
  companyAccess,
  companySettingsAccess,
  contactAccess,
  addressAccess,
  accountAccess,
  userAccess,
  userDevicePermissionAccess,
  scheduledTimeOffAccess,
  iamRoleAccess,
  equipmentAccess,
  equipmentTypeAccess,
  siteAccess,
  kmlFileAccess,
  routingGeofenceAccess,
  geofenceAccess,
  movingSiteAccess,
  companyShareAccess,
  materialAccess,
  materialTypeAccess,
  serviceAccess,
  serviceTypeAccess,
  serviceClassAccess,
  rateAccess,
];

/** The filters, sorts and searches of the room's lists. */
export const lists = [
  unloggedOfUsers,
  unloggedOfEquipment,
  accountFilters,
  accountSorts,
  accountSearchText,
  companySearchText,
  companySorts,
  complianceDocumentTypeSearch,
  equipmentTypeSearch,
  accountExternalTruckIdentifierFilters,
  materialTypeSorts,
  serviceFilters,
  siteSearchText,
  materialSearch,
  scheduledTimeOffSorts,
  companyShareFilters,
  equipmentFilters,
  siteFilters,
  equipmentSorts,
  equipmentSearchText,
  equipmentTypeNameSort,
  complianceDocumentTypeNameSort,
  ...namedKindLists,
  ...typeaheadLists,
];

/** The fields that unique rules and checks of the database are about. */
export const constraints = [
  accountConnectionKey,
  companyPlatformIdKey,
  companyPlatformIdCheck,
  companyOwnParentCheck,
  companyCircleCheck,
  ...worldChecks,
  complianceDocumentTypeNameKey,
  equipmentExternalIdKey,
  companyShareRecordKey,
  ...namedKindKeys,
];

/** The room's messages. */
export const messages = [
  worldMessages,
  companyMessages,
  complianceMessages,
  contactsMessages,
  kmlMessages,
  masterDataMessages,
  timeOffMessages,
  sitesMessages,
];

/** The composers of the mails and texts of the room. */
export const composers = [reminderMails];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [PLATFORM_IDS, REMINDERS, ADMINISTRATORS, SHARES, SMS_NUMBERS];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  SmsIntegrationResolver,
  ...SiteQueries,
  ...TimeOffQueries,
  ...AccountTimeOffQueries,
  ...KmlFileQueries,
  ...AccountExternalTruckIdentifierQueries,
  ...CompanyQueries,
  CompanyResolver,
  CompanySettingsResolver,
  TimeOffResolver,
  EquipmentResolver,
  EquipmentMutations,
  EquipmentActivity,
  DepartmentQueries,
  DepartmentMutations,
  ServiceClassQueries,
  ServiceClassMutations,
  LabelQueries,
  LabelMutations,
  ServiceQueries,
  TrafficControlPlanQueries,
  TrafficControlPlanMutations,
  EquipmentTypeQueries,
  EquipmentTypeMutations,
  MaterialQueries,
  MaterialMutations,
  MaterialResolver,
  MaterialActivity,
  SiteMutations,
  SiteActivity,
  SiteResolver,
  SitePartsResolver,
  KmlFileResolver,
  AccountTimeOffResolver,
  ExternalTruckResolver,
  ComplianceResolver,
  ComplianceDocumentTypeQueries,
  ComplianceDocumentTypeMutations,
];
