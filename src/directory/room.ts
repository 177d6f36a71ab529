import { Account } from './account.entity.ts';
import { AccountTimeOffResolver } from './account-time-off.resolver.ts';
import { Address } from './address.entity.ts';
import { Company } from './company.entity.ts';
import { CompanyResolver } from './company.resolver.ts';
import { CompanyShare } from './company-share.entity.ts';
import { ComplianceDocument, ComplianceDocumentType } from './compliance/compliance.entity.ts';
import { ComplianceResolver } from './compliance/compliance.resolver.ts';
import { ComplianceDocumentTypeMutations, ComplianceDocumentTypeQueries } from './compliance/document-types.ts';
import { Contact } from './contact.entity.ts';
import { UserDevicePermission } from './device-permission.entity.ts';
import { Equipment } from './equipment.entity.ts';
import { EquipmentActivity, EquipmentMutations, EquipmentResolver } from './equipment.resolver.ts';
import { EquipmentType } from './equipment-type.entity.ts';
import { EquipmentTypeMutations, EquipmentTypeQueries } from './equipment-types.ts';
import { AccountExternalTruckIdentifier } from './external-truck.entity.ts';
import { ExternalTruckResolver } from './external-truck.resolver.ts';
import { Geofence, RoutingGeofence } from './geofence.entity.ts';
import { IamRole } from './iam-role.entity.ts';
import { KmlFile } from './kml/kml-file.entity.ts';
import { KmlFileResolver } from './kml/kml-file.resolver.ts';
import { Label } from './label.entity.ts';
import { MaterialActivity, MaterialMutations, MaterialQueries, MaterialResolver } from './materials.ts';
import { MovingSite } from './moving-site.entity.ts';
import { Department, Material, MaterialType, Service, ServiceClass, ServiceType, TrafficControlPlan } from './named.entities.ts';
import {
  DepartmentMutations,
  DepartmentQueries,
  LabelMutations,
  LabelQueries,
  ServiceClassMutations,
  ServiceClassQueries,
  ServiceQueries,
  TrafficControlPlanMutations,
  TrafficControlPlanQueries,
} from './named-kinds.ts';
import { Rate } from './rate.entity.ts';
import { Site } from './site.entity.ts';
import { SiteActivity, SiteMutations, SiteResolver } from './site.resolver.ts';
import { SitePartsResolver } from './site-parts.resolver.ts';
import { ScheduledTimeOff } from './time-off.entity.ts';
import { TimeOffResolver } from './time-off.resolver.ts';
import { User } from './user.entity.ts';
import './passed-fields.ts';

/** What the room keeps. */
export const entities = [
  Company,
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
];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  CompanyResolver,
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
