/** What types of src/billing are. */
export const BILLING_TYPES = `
AccountingStatus: Whether a record of an accounting system is in use there.
IntegrationItemizableType: What an item of an accounting system may be here.
IntegrationLedgerAccountType: What an account of a ledger is used for.
AddOnApplicableType: What a charge can be applied to.
AddOnCharge: What is charged or paid in addition to the freight of a job or a driver day.
AddOnChargeChange: A charge that is added, changed or removed.
AddOnChargeWarning: Why a charge may not add up to what was meant.
AddOnRequestableType: What a charge can be requested for.
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
addOn: The add-on that is charged; null for a charge of its own.
addOnApplicableId: The id of the invoice or settlement to which it is applied; null for a request.
addOnApplicableType: What it is applied to; null for a request.
addOnRequestableId: The id of the job or driver day for which it was requested.
addOnRequestableType: What it was requested for.
AddOnCharge.driverDay: The driver day for which it was requested.
AddOnCharge.totalAmount: What it adds up to; 0 while nobody knows what a percentage is taken of.
rebillPercentage: The percentage of a corrected bill; null means the same.
rebillRevenueRateValue: The rate of a corrected bill; null means the same.
rebillTotalAmount: What the charge adds up to in a corrected bill; null outside of one.
billSurcharge: Percent of the freight, or money for each unit, by the type of the schedule; negative for a credit.
billSurchargePercentage: The surcharge of a schedule by percentage; 0 in one by unit.
fuelPriceIndex: The index whose prices count.
fuelSurchargeSchedule: The schedule by which fuel is charged.
lagWeeks: How many weeks older than the work the price is that counts.
price: What a unit of fuel costs.
surchargeType: How the surcharges are counted.
`;

export const BILLING_ARGUMENTS = `
addOnCharges: The charges: those with an id are changed or removed, the others added.
fuelPriceIndexId: The index that it belongs to.
fuelSurchargeScheduleId: The schedule that it belongs to.
`;

export const BILLING_VALUES = `
AccountingStatus.Active: It is in use.
AccountingStatus.Archived: It is no longer used, or no longer in the system.
AccountingStatus.Inactive: It is not used at present.
AccountingStatus.Pending: It is not used yet.
AccountingStatus.Unknown: The system says something else.
IntegrationItemizableType.AddOn: An add-on.
IntegrationItemizableType.LineItemType: A type of line item.
IntegrationItemizableType.Service: A service.
IntegrationLedgerAccountType.AccountsPayable: What the company owes is posted to it.
IntegrationLedgerAccountType.AccountsReceivable: What others owe the company is posted to it.
LinkedAccountStatus.invalid: The system refused the credentials, or could not be read at all.
LinkedAccountStatus.linked: Its lists were read.
LinkedAccountStatus.pending: Its lists were not read yet.
LinkedAccountStatus.unlinked: Somebody unlinked it; its records and mappings are kept.
AddOnApplicableType.Invoice: The priced record of one job or driver day.
AddOnApplicableType.Settlement: What is sent and paid together.
AddOnChargeWarning.total_not_known: It is a percentage or fuel surcharge that is applied to nothing yet, so it has no total.
AddOnChargeWarning.zero_quantity: Its quantity is 0, so it adds up to nothing.
AddOnRequestableType.DriverDay: A driver day.
AddOnRequestableType.Job: A job.
FuelSurchargeScheduleType.per_unit: Money for each hour, load, ton or other unit that is billed.
FuelSurchargeScheduleType.percentage: Percent of the freight.
FuelSurchargeWarning.below_schedule: Fuel is cheaper than in the first row, so nothing is charged.
FuelSurchargeWarning.fuel_price_missing: The index has no price by that day, so the surcharge is not known.
FuelSurchargeWarning.fuel_price_stale: The price is more than ten days old.
FuelSurchargeWarning.schedule_empty: The schedule has no rows, so the surcharge is not known.
`;
