import { Account } from './accounts/account.entity.ts';
import { Company } from './companies/company.entity.ts';
import { CompanyResolver } from './companies/company.resolver.ts';
import { ComplianceDocument, ComplianceDocumentType } from './compliance/compliance.entity.ts';
import { ComplianceResolver } from './compliance/compliance.resolver.ts';
import { ComplianceDocumentTypeMutations, ComplianceDocumentTypeQueries } from './compliance/document-types.ts';
import { Address } from './contacts/address.entity.ts';
import { Contact } from './contacts/contact.entity.ts';
import { Equipment } from './equipment/equipment.entity.ts';
import { EquipmentActivity, EquipmentMutations, EquipmentResolver } from './equipment/equipment.resolver.ts';
import { EquipmentType } from './equipment/equipment-type.entity.ts';
import { EquipmentTypeMutations, EquipmentTypeQueries } from './equipment/equipment-types.ts';
import { AccountExternalTruckIdentifier } from './equipment/external-truck.entity.ts';
import { ExternalTruckResolver } from './equipment/external-truck.resolver.ts';
import { KmlFile } from './kml/kml-file.entity.ts';
import { KmlFileResolver } from './kml/kml-file.resolver.ts';
import { Label } from './master-data/label.entity.ts';
import { MaterialActivity, MaterialMutations, MaterialQueries, MaterialResolver } from './master-data/materials.ts';
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
  ServiceClassMutations,
  ServiceClassQueries,
  ServiceQueries,
  TrafficControlPlanMutations,
  TrafficControlPlanQueries,
} from './master-data/named-kinds.ts';
import { Rate } from './master-data/rate.entity.ts';
import { AccountTimeOffResolver } from './people/account-time-off.resolver.ts';
import { UserDevicePermission } from './people/device-permission.entity.ts';
import { IamRole } from './people/iam-role.entity.ts';
import { ScheduledTimeOff } from './people/time-off.entity.ts';
import { TimeOffResolver } from './people/time-off.resolver.ts';
import { User } from './people/user.entity.ts';
import { CompanyShare } from './shares/company-share.entity.ts';
import { Geofence, RoutingGeofence } from './sites/geofence.entity.ts';
import { MovingSite } from './sites/moving-site.entity.ts';
import { Site } from './sites/site.entity.ts';
import { SiteActivity, SiteMutations, SiteResolver } from './sites/site.resolver.ts';
import { SitePartsResolver } from './sites/site-parts.resolver.ts';
import './partner-fields.ts';

/** The entities of the room. */
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
