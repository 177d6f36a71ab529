import type { Masks } from '../../platform/model/decorators.ts';
import { internal, masked } from '../../platform/model/decorators.ts';
import type { Substitute } from '../../platform/read/partner-fields.ts';
import type { Crewed, WorkTerms } from '../model/work-terms.ts';

/*
 * The fields that a vendor may read of work that was passed on to it, at any depth of the chain (docs/companies.md): everything it takes to haul.
 * These are sites, material, times, quantities, the notes of orders and jobs, and the contacts on site. The owner keeps to itself whom it
 * sells to and through, what it charges and taxes, what its books and other systems call things, and its own office staff.
 */

export const CREW_PASSED = ['foremanIds', 'foremen', 'foremanContact'];
export const CREW_KEPT = ['collaboratorIds', 'collaborators', 'salespersonIds', 'salespeople', 'salesContact', 'supervisorContact'].concat([
  'collaboratorContact',
  'haulerRateType',
]);
export const TAX = ['taxRate', 'taxFreight', 'taxMaterial', 'taxAddOns'];
export const NO_TAX = { taxFreight: false, taxMaterial: false, taxAddOns: false };
/** Quantities, and how they are to be hauled. */
export const HAUL_FIELDS = [
  'jobTime',
  'truckCount',
  'loadsPerTruck',
  'unitsPerHour',
  'jobQuantity',
  'jobUnitOfMeasure',
  'loadUnitOfMeasure',
]
  .concat(['equipmentTypeGrossCapacity', 'equipmentTypeGrossCapacityUnitOfMeasure', 'service', 'serviceClass'])
  .concat(['recurringLoads', 'chaseMissingTickets', 'defaultDigitalTicketView']);

/** Returns an object without some of its fields. */
export const without =
  (...names: string[]): Substitute =>
  (value) =>
    value && { ...value, ...Object.fromEntries(names.map((name) => [name, null])) };

/** Masks of what orders, jobs and projects have in common (`work-terms.ts`). */
export const CREW_MASKS: Masks<Crewed> = [
  [masked('view_customer_rates'), 'customerRate', 'customerRateValue', 'customerRateType'],
  [masked('view_vendor_rates'), 'vendorRate', 'vendorRateValue', 'vendorRateType'],
  [masked('view_driver_rates', { holder: 'driver' }), 'driverRate', 'driverRateValue', 'driverRateType'],
];
/** Masks of what orders and projects have in common. */
export const TERMS_MASKS: Masks<WorkTerms> = [...CREW_MASKS, [internal(), 'internalNotes', 'chargeToAccount']];
