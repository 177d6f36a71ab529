import { type Ref, ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import type { Company } from '../../../src/directory/companies/company.entity.ts';
import { SmsIntegration } from '../../../src/directory/companies/sms-integration.entity.ts';
import { ComplianceDocument, ComplianceDocumentType, type CompliantType } from '../../../src/directory/compliance/compliance.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { AccountExternalTruckIdentifier } from '../../../src/directory/equipment/external-truck.entity.ts';
import { KmlFile } from '../../../src/directory/kml/kml-file.entity.ts';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { Department, Material, ServiceClass, TrafficControlPlan } from '../../../src/directory/master-data/named.entities.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { ScheduledTimeOff } from '../../../src/directory/people/time-off.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { RoutingGeofence } from '../../../src/directory/sites/geofence.entity.ts';
import { MovingSite } from '../../../src/directory/sites/moving-site.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import type { Tenant } from '../tenant.ts';
import { of, own, type Row } from './expectation.ts';

/** The permissions of the root fields of src/directory. */
export const DIRECTORY: Row[] = [
  ...of('user', 'company', 'userTimeOffs'),
  ...own(['self'], of('user', 'edit_user', 'createUserTimeOff', 'makeUserAvailable', 'makeUserUnavailable')),
  ...own(['self'], of('timeOff', 'edit_user', 'deleteUserTimeOff')),
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
  ...of(undefined, 'company', 'trafficControlPlans', 'trafficControlPlanTypeahead'),
  ...of('trafficControlPlan', 'company', 'trafficControlPlan'),
  ...of(undefined, 'create_project', 'createTrafficControlPlan'),
  ...of('trafficControlPlan', 'edit_project', 'updateTrafficControlPlan'),
  ...of('trafficControlPlan', 'delete_project', 'deleteTrafficControlPlan'),
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
  ...of(undefined, 'create_equipment', 'createEquipment'),
  ...of('equipment', 'edit_equipment', 'updateEquipment', 'deactivateEquipment'),
  ...of('inactiveEquipment', 'edit_equipment', 'activateEquipment'),
  ...of('equipment', 'delete_equipment', 'deleteEquipment'),
  ...of('company', 'company', 'company'),
  ...of('company', 'company', 'connectedCompanies'),
  ...of(undefined, 'company', 'accountExternalTruckIdentifiers'),
  ...of('externalTruck', 'company', 'accountExternalTruckIdentifier'),
  ...of('externalTruck', 'edit_account', 'updateAccountExternalTruckIdentifier', 'deleteAccountExternalTruckIdentifier'),
  ...of('account', 'company', 'accountTimeOffs'),
  ...of('account', 'edit_account', 'createAccountTimeOff', 'makeAccountAvailable', 'makeAccountUnavailable'),
  ...of('accountTimeOff', 'edit_account', 'deleteAccountTimeOff'),
  ...of(undefined, 'company', 'equipmentList', 'equipmentTypeahead', 'sites'),
  ...of('equipment', 'company', 'equipment'),
  ...of('site', 'company', 'site'),
  ...of(undefined, 'create_site', 'createSite'),
  ...of('site', 'edit_site', 'updateSite', 'deactivateSite'),
  ...of('inactiveSite', 'edit_site', 'activateSite'),
  ...of('site', 'delete_site', 'deleteSite'),
  ...of(undefined, 'company', 'companySettings'),
  ...of(undefined, 'edit_company', 'updateCompanySettings'),
  ...of(undefined, 'company', 'kmlFiles'),
  ...of('kmlFile', 'company', 'kmlFileContent'),
  ...of(undefined, 'create_site', 'createKmlFile'),
  ...of('kmlFile', 'edit_site', 'updateKmlFile'),
  ...of('kmlFile', 'delete_site', 'deleteKmlFile'),
  ...of('site', 'company', 'siteContacts', 'siteGeofences'),
  ...of('siteGeofence', 'company', 'siteGeofence'),
  ...of('site', 'edit_site', 'assignSiteContacts', 'createSiteGeofence', 'assignSiteGeofences'),
  ...of('siteGeofence', 'edit_site', 'updateSiteGeofence'),
  ...of(undefined, 'company', 'siteTypeahead'),
  // Platform ids exist for finding each other.
  ['companyByPlatformId', { who: 'connect_companies', acrossFamilies: true }],
  ...of(undefined, 'company', 'companies', 'childCompanies'),
  ...of(undefined, 'compliance_read', 'complianceDocumentTypes', 'complianceDocumentTypeTypeahead'),
  ...of('complianceDocumentType', 'compliance_read', 'complianceDocumentType'),
  ...of(undefined, 'compliance_write', 'createComplianceDocumentType'),
  ...of('complianceDocumentType', 'compliance_write', 'updateComplianceDocumentType', 'deleteComplianceDocumentType'),
  ...own(['self'], of(undefined, 'compliance_read', 'complianceDocuments', 'complianceChecklist', 'complianceCheck')),
  ...own(['self'], of('complianceDocument', 'compliance_read', 'complianceDocument')),
  ...own(['self'], of(undefined, 'compliance_write', 'createComplianceDocument')),
  ...own(['self'], of('complianceDocument', 'compliance_write', 'updateComplianceDocument', 'deleteComplianceDocument')),
];

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/** The ids of the walk to which the records belong. */
interface Owners {
  account(): Promise<string>;
  user(): Promise<string>;
  site(): Promise<string>;
  equipment(): Promise<string>;
  /** A telephone number that no other record has. */
  phone(): string;
}

/**
 * Makes records of src/directory, with ids that the walk uses.
 * @param own the company and a name of their own
 */
export function directoryMakers(own: { company: Ref<Company>; name: string }, tenant: Tenant, saved: Save, owners: Owners) {
  const { company, name } = own;
  const inactive = { ...own, name: `${name} inactive`, state: 'inactive' };
  // Types of a company have names of their own.
  const paperOf = async (compliantType: CompliantType, compliantId: string) => {
    const type = await saved(ComplianceDocumentType, { ...own, name: `${name} paper of ${compliantType}` });
    return saved(ComplianceDocument, { company, complianceDocumentType: ref(ComplianceDocumentType, type), compliantType, compliantId });
  };
  const away = { company, startDate: new Date(), endDate: null };
  return {
    department: () => saved(Department, own),
    serviceClass: () => saved(ServiceClass, own),
    trafficControlPlan: () => saved(TrafficControlPlan, own),
    label: () => saved(Label, { ...own, color: '#336699' }),
    material: () => saved(Material, own),
    inactiveMaterial: () => saved(Material, inactive),
    rate: () => saved(Rate, { ...own, timeRate: '30', timeMinimumMinutes: 0, timeIncrementMinutes: 0 }),
    customerRate: () => saved(Rate, { ...own, ownerType: 'customer', type: 'RateFlatRate', flatAmount: '2' }),
    vendorRate: () => saved(Rate, { ...own, ownerType: 'vendor', type: 'RateFlatRate', flatAmount: '1' }),
    complianceDocumentType: () => saved(ComplianceDocumentType, own),
    complianceDocument: async () => paperOf('User', await owners.user()),
    accountPaper: async () => paperOf('Account', await owners.account()),
    truckPaper: async () => paperOf('Equipment', await owners.equipment()),
    kmlFile: () => saved(KmlFile, { company, fileName: 'sites.kml', content: '<kml/>' }),
    movingSite: async () => {
      const of = { companyId: tenant.company.id, siteId: tenant.pickup.id };
      const known = await tenant.app.orm.em.fork().findOne(MovingSite, { siteId: of.siteId }, { filters: { tenant: false } });
      return known?.id ?? saved(MovingSite, { ...of, equipmentId: await owners.equipment() });
    },
    siteGeofence: async () => saved(RoutingGeofence, { company, siteId: await owners.site() }),
    inactiveSite: () => saved(Site, inactive),
    equipmentType: () => saved(EquipmentType, own),
    externalTruck: async () =>
      saved(AccountExternalTruckIdentifier, { company, account: ref(Account, await owners.account()), externalTruckId: name }),
    smsIntegration: () => saved(SmsIntegration, { company, phone: owners.phone(), smsRegion: 'us' }),
    timeOff: async () => saved(ScheduledTimeOff, { ...away, user: ref(User, await owners.user()) }),
    accountTimeOff: async () => saved(ScheduledTimeOff, { ...away, account: ref(Account, await owners.account()) }),
  };
}
