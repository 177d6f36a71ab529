import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/billing. */
export const BILLING: Row[] = [
  ...of(undefined, 'company', 'addOns', 'addOnTypeahead', 'lineItemTypes'),
  ...of('addOn', 'company', 'addOn'),
  ...of(undefined, 'create_rate', 'createAddOn'),
  ...of('addOn', 'edit_rate', 'updateAddOn'),
  ...of('addOn', 'delete_rate', 'deleteAddOn'),
  ...of('fuelAddOn', 'view_fuel_prices', 'addOnFuelSurchargeRate'),
  ...of(undefined, 'view_fuel_prices', 'fuelPriceIndices', 'fuelPriceIndexTypeahead'),
  ...of(undefined, 'view_fuel_prices', 'fuelSurchargeSchedules', 'fuelSurchargeScheduleTypeahead'),
  ...of('fuelPriceIndex', 'view_fuel_prices', 'fuelPriceIndex', 'fuelPrices'),
  ...of('fuelSurchargeSchedule', 'view_fuel_prices', 'fuelSurchargeSchedule', 'fuelSurchargeSchedulePrices'),
  ...of(undefined, 'create_fuel_price_indices', 'createFuelPriceIndex', 'createFuelSurchargeSchedule'),
  ...of('fuelPriceIndex', 'create_fuel_price_indices', 'createFuelPrice'),
  ...of('fuelSurchargeSchedule', 'create_fuel_price_indices', 'createFuelSurchargeSchedulePrice'),
  ...of('fuelPriceIndex', 'edit_fuel_price_indices', 'updateFuelPriceIndex'),
  ...of('fuelPrice', 'edit_fuel_price_indices', 'updateFuelPrice'),
  ...of('fuelSurchargeSchedule', 'edit_fuel_price_indices', 'updateFuelSurchargeSchedule'),
  ...of('fuelSurchargeSchedulePrice', 'edit_fuel_price_indices', 'updateFuelSurchargeSchedulePrice'),
  ...of('fuelPriceIndex', 'delete_fuel_price_indices', 'deleteFuelPriceIndex'),
  ...of('fuelPrice', 'delete_fuel_price_indices', 'deleteFuelPrice'),
  ...of('fuelSurchargeSchedule', 'delete_fuel_price_indices', 'deleteFuelSurchargeSchedule'),
  ...of('fuelSurchargeSchedulePrice', 'delete_fuel_price_indices', 'deleteFuelSurchargeSchedulePrice'),
];
