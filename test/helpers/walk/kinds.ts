import type { Ids } from './ids.ts';

/** The kind of record that an id in an input may name, by the name of the field; the first match counts. */
export const KINDS: readonly (readonly [RegExp, keyof Ids])[] = [
  [/fuelPriceIndex/i, 'fuelPriceIndex'],
  [/fuelSurchargeSchedule/i, 'fuelSurchargeSchedule'],
  [/company/i, 'company'],
  [/account|customer|vendor/i, 'account'],
  [/site|homeBase/i, 'site'],
  [/foreman/i, 'foreman'],
  [/driver|user|requester|collaborator|salesperson/i, 'driver'],
  [/equipmentType/i, 'equipmentType'],
  [/equipment/i, 'equipment'],
  [/material/i, 'material'],
  [/project/i, 'project'],
  [/department/i, 'department'],
  [/label/i, 'label'],
  [/serviceClass/i, 'serviceClass'],
  [/service/i, 'service'],
  [/customerRate/i, 'customerRate'],
  [/vendorRate/i, 'vendorRate'],
  [/rate/i, 'rate'],
  [/role/i, 'iamRole'],
  [/job/i, 'job'],
  [/load/i, 'load'],
  [/documentType/i, 'complianceDocumentType'],
  [/shareable/i, 'driver'],
  [/order/i, 'order'],
];
