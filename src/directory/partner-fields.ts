import { definePartnerFields, substituteId } from '../platform/read/partner-fields.ts';
import { Account } from './accounts/account.entity.ts';
import { isConnected } from './accounts/connections.ts';
import { Company } from './companies/company.entity.ts';
import { Address } from './contacts/address.entity.ts';
import { Contact } from './contacts/contact.entity.ts';
import { Equipment } from './equipment/equipment.entity.ts';
import { EquipmentType } from './equipment/equipment-type.entity.ts';
import { Material, MaterialType, Service, ServiceClass, ServiceType } from './master-data/named.entities.ts';
import { Rate } from './master-data/rate.entity.ts';
import { UserDevicePermission } from './people/device-permission.entity.ts';
import { User } from './people/user.entity.ts';
import { CompanyShare } from './shares/company-share.entity.ts';
import { Geofence, RoutingGeofence } from './sites/geofence.entity.ts';
import { MovingSite } from './sites/moving-site.entity.ts';
import { Site } from './sites/site.entity.ts';

/*
 * What people of another company read of master data: of a partner's work, of what is shared with them, and of connected companies
 * (docs/companies.md). Whoever hauls needs names, places, capacities, and whom to call on site. External ids, accounting ids, notes, labels
 * and preferences are how a company works inside.
 */

const RECORD = ['id', 'createdAt', 'updatedAt'];

/** Their company has an account for this one now: the two know each other and correspond. */
const connected = (t: string, companies: () => string): string =>
  `exists (select 1 from account ka
    where ka.company_id = any(${companies()}) and ka.connected_company_id = ${t}.id and ${isConnected('ka')})`;

definePartnerFields(Company, {
  owners: ['id'],
  passed: [...RECORD, 'platformId', 'legalName', 'dbaName', 'companyType', 'timeZone', 'currency', 'platformCustomer', 'discardedAt']
    .concat(['logoKey', 'logoType', 'logoUrl'])
    // In these, readers of other companies get the defaults of a new company.
    .concat(['effectiveFuelSurchargePercentage', 'effectiveBillingStatus', 'effectiveSaasBillingPlan', 'effectiveUsageStatus']),
  where: { address: connected, primaryContact: connected, effectiveBillingContact: connected },
  kept: [
    'parentCompany',
    'language',
    'timeFormat',
    'dateFormat',
    'unitOfDistance',
    'systemOfMeasure',
    'authMethods',
    'autoCompleteOrder',
  ].concat(['aiReviewLoads', 'defaultLat', 'defaultLon', 'siteRadius', 'defaultGeofenceDelaySeconds', 'permissionToggles']),
  instead: {
    language: 'en',
    timeFormat: '12-hour',
    dateFormat: 'YYYY/MM/DD',
    unitOfDistance: 'kilometer',
    systemOfMeasure: 'metric',
    authMethods: [],
    autoCompleteOrder: false,
    aiReviewLoads: false,
    defaultGeofenceDelaySeconds: 0,
  },
  sorts: ['createdAt', 'rank', 'legalName'],
  search: (t, p) => `${t}.search_text like fold(${p})`,
});

// Both sides of a share read it whole: each side's words are named as such in the contract.
definePartnerFields(CompanyShare, {
  owners: ['companyId', 'receiverCompany'],
  passed: [...RECORD, 'companyId', 'senderCompany', 'receiverCompany', 'companyShareableType', 'companyShareableId', 'companyShareable']
    .concat(['parentCompanyShareId', 'externalId', 'ticketMatchId', 'dispatchable', 'plannable', 'scheduleOn', 'rateOverride'])
    .concat(['expiresAt', 'validUntil', 'nameAtEnd', 'receiverAccount'])
    .concat(['defaultEquipment', 'defaultAdditionalEquipmentIds', 'defaultAdditionalEquipment']),
  filters: ['senderCompanyId', 'receiverCompanyId', 'betweenCompanyId', 'companyShareableType', 'companyShareableId'],
  sorts: ['createdAt'],
});

// Both are read through the record that has them, where it was decided whether they are.
definePartnerFields(Address, {
  passed: [
    ...RECORD,
    'companyId',
    'thoroughfare',
    'premise',
    'locality',
    'administrativeArea',
    'postalCode',
    'country',
    'lat',
    'lon',
    'placeId',
  ],
});
definePartnerFields(Contact, { passed: [...RECORD, 'companyId', 'siteId', 'name', 'email', 'phone'] });

// The name of whose work it is.
definePartnerFields(Account, {
  passed: ['createdAt', 'updatedAt', 'company', 'name'],
  kept: ['id', 'accountTypes', 'scheduleOn', 'autoAcceptOrders', 'truckCount', 'managed', 'invited', 'labelIds', 'discardedAt'],
  instead: { id: substituteId, accountTypes: [], scheduleOn: false, autoAcceptOrders: false, truckCount: 0, managed: false },
});

// What is shared is worked with: its receiver knows it by the name that its sender gave it. Lists hold people, trucks and places of others
// by their shares alone, so that a search of them looks into all that it looks into at home.

/** People who are met on the road and on site. Only these can be shared with another company. */
const onTheRoad = (t: string): string => `(${t}.roles && array['driver', 'foreman'])`;

definePartnerFields(User, {
  passed: [...RECORD, 'company', 'firstName', 'lastName', 'timeZone', 'effectiveTimeZone', 'managed', 'discardedAt', 'companyShare']
    // Except when they were heard from last, which is decided below.
    .concat(['gpsStatus'])
    .concat(['equipment', 'defaultEquipment', 'additionalEquipmentIds', 'additionalEquipment'])
    .concat(['defaultAdditionalEquipmentIds', 'defaultAdditionalEquipment']),
  where: {
    email: onTheRoad,
    phone: onTheRoad,
    lastPingAt: onTheRoad,
    stillSince: onTheRoad,
  },
  shared: ['externalId', 'scheduleOn', 'userDevicePermissions'],
  kept: ['customRoleIds', 'labelIds', 'lastLat', 'lastLon', 'unclaimed', 'companyDayDriverStat'],
  instead: { scheduleOn: false },
  filters: [
    'role',
    'discarded',
    'free',
    'booked',
    'shared',
    'expiring',
    'dispatchable',
    'senderCompanyIds',
    'senderCompanyTypes',
    'autoAddOns',
  ],
  ownFilters: ['access', 'iamRoles', 'labelIds'],
  sorts: ['createdAt', 'firstName', 'lastName', 'name', 'rank'],
  search: (t, p) => `${t}.search_text like fold(${p})
    or exists (select 1 from company kc where kc.id = ${t}.company_id and fold(kc.legal_name) like fold(${p}))`,
});
definePartnerFields(UserDevicePermission, {
  passed: [...RECORD, 'companyId', 'userId', 'devicePermission', 'devicePermissionState'],
  kept: ['deviceId'],
});

definePartnerFields(Equipment, {
  passed: [
    ...RECORD,
    'company',
    'name',
    'equipmentType',
    'equipmentId',
    'licenseNumber',
    'zone',
    'state',
    'ownership',
    'discardedAt',
  ].concat(['companyShare']),
  shared: ['externalId'],
  kept: ['homeBase', 'labelIds'],
  filters: ['shared', 'expiring', 'dispatchable', 'senderCompanyIds', 'senderCompanyTypes', 'discarded', 'equipmentTypeIds', 'states'],
  ownFilters: ['labelIds'],
  sorts: ['createdAt', 'name', 'rank'],
  search: (t, p) => `${t}.search_text like fold(${p})`,
});
definePartnerFields(EquipmentType, {
  passed: [
    ...RECORD,
    'company',
    'name',
    'system',
    'source',
    'grossCapacity',
    'grossCapacityUnitOfMeasure',
    'additionalGrossCapacities',
  ].concat(['discardedAt']),
  kept: ['externalId'],
});

definePartnerFields(Site, {
  passed: [...RECORD, 'company', 'name', 'siteType', 'lat', 'lon', 'fullAddress', 'routable', 'address', 'routingGeofence', 'state'].concat(
    ['discardedAt', 'contacts', 'movingSite', 'companyShare', 'editable'],
  ),
  shared: ['externalId'],
  filters: ['shared', 'expiring', 'dispatchable', 'senderCompanyIds', 'senderCompanyTypes', 'discarded', 'siteTypes', 'states', 'usable'],
  ownFilters: ['departmentIds'],
  sorts: ['createdAt', 'name', 'rank'],
  search: (t, p) => `${t}.search_text like fold(${p})`,
});
definePartnerFields(RoutingGeofence, { passed: [...RECORD, 'company', 'siteId', 'geofence', 'movingGeofence', 'tag', 'geofenceType'] });
definePartnerFields(Geofence, { passed: [...RECORD, 'company', 'name', 'type', 'geojson', 'circleCenter', 'circleRadius', 'tag'] });
definePartnerFields(MovingSite, { passed: [...RECORD, 'companyId', 'siteId', 'equipmentId', 'pollingIntervalSeconds'] });

definePartnerFields(Material, {
  passed: [...RECORD, 'company', 'name', 'materialType', 'system', 'state', 'discardedAt'],
  kept: ['externalId'],
});
definePartnerFields(MaterialType, { passed: [...RECORD, 'name', 'ordinality', 'system', 'source', 'externalId'] });
definePartnerFields(Service, { passed: [...RECORD, 'company', 'name', 'system', 'visible', 'serviceType', 'ordinality', 'discardedAt'] });
definePartnerFields(ServiceType, { passed: [...RECORD, 'name', 'key'] });
definePartnerFields(ServiceClass, { passed: [...RECORD, 'company', 'name', 'discardedAt'] });

// Only the card by which the reader is paid along a link is reached.
definePartnerFields(Rate, {
  passed: [...RECORD, 'company', 'name', 'type', 'ownerType', 'accountType', 'fuelSurchargeEnabled', 'discardedAt']
    .concat(['timeRate', 'timeMinimumMinutes', 'timeIncrementMinutes', 'unitRate', 'unitMinimum', 'unitIncrement'])
    .concat(['commissionPercentage', 'commissionAmount', 'flatAmount']),
  kept: ['primary', 'projectIds', 'serviceIds', 'equipmentIds', 'addOns'],
  instead: { primary: false, addOns: [] },
});
