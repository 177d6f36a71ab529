/** What types of src/billing are. */
export const BILLING_TYPES = `
FuelPrice: What fuel costs from a day on.
FuelPriceIndex: A published series of fuel prices, such as the weekly diesel price of a region.
FuelSurchargeSchedule: What is charged for fuel at which price of an index.
FuelSurchargeSchedulePrice: A row of a schedule: the surcharge from a price of fuel on, up to the price of the next row.
FuelSurchargeScheduleType: How the surcharges of a schedule are counted.
FuelSurchargeWarning: Why a fuel surcharge may not be what was meant.
LineItemType: What a line of an invoice charges. Built in, the same for every company.
`;

/** What their fields are. */
export const BILLING_FIELDS = `
billSurcharge: Percent of the freight, or money for each unit, by the type of the schedule; negative for a credit.
billSurchargePercentage: The surcharge of a schedule by percentage; 0 in one by unit.
fuelPriceIndex: The index whose prices count.
fuelSurchargeSchedule: The schedule by which fuel is charged.
lagWeeks: How many weeks older than the work the price is that counts.
price: What a unit of fuel costs.
surchargeType: How the surcharges are counted.
`;

export const BILLING_ARGUMENTS = `
fuelPriceIndexId: The index that it belongs to.
fuelSurchargeScheduleId: The schedule that it belongs to.
`;

export const BILLING_VALUES = `
FuelSurchargeScheduleType.per_unit: Money for each hour, load, ton or other unit that is billed.
FuelSurchargeScheduleType.percentage: Percent of the freight.
FuelSurchargeWarning.below_schedule: Fuel is cheaper than in the first row, so nothing is charged.
FuelSurchargeWarning.fuel_price_missing: The index has no price by that day, so the surcharge is not known.
FuelSurchargeWarning.fuel_price_stale: The price is more than ten days old.
FuelSurchargeWarning.schedule_empty: The schedule has no rows, so the surcharge is not known.
`;
