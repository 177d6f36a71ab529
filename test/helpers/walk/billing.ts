import type { Permission } from '../../../src/identity/access/permissions.ts';
import { of, own, type Row } from './expectation.ts';

const ACCOUNTING = 'manage_accounting_integration';
/** The same for what also takes the permission to see the rates of a side. */
const seeing = (also: Permission, lines: Row[]): Row[] => lines.map(([name, expected]) => [name, { ...expected, also }]);

/** The permissions of the root fields of src/billing. */
export const BILLING: Row[] = [
  ...of(undefined, 'company', 'addOns', 'addOnTypeahead', 'lineItemTypes'),
  ...of('addOn', 'company', 'addOn'),
  ...of(undefined, 'create_rate', 'createAddOn'),
  ...of('addOn', 'edit_rate', 'updateAddOn'),
  ...of('addOn', 'delete_rate', 'deleteAddOn'),
  ...of('fuelAddOn', 'view_fuel_prices', 'addOnFuelSurchargeRate'),
  ...of(undefined, 'company', 'jobAddOnCharges', 'driverDayAddOnCharges'),
  ...of('addOnCharge', 'company', 'addOnCharge'),
  ...own(
    ['grant'],
    of(
      undefined,
      'request_add_ons',
      'createJobAddOnCharge',
      'createDriverDayAddOnCharge',
      'changeJobAddOnCharges',
      'changeDriverDayAddOnCharges',
    ),
  ),
  ...own(['grant'], of('addOnCharge', 'request_add_ons', 'updateAddOnCharge', 'deleteAddOnCharge')),
  ...of(
    undefined,
    'company',
    ...['accountAutoAddOnAssignments', 'driverAutoAddOnAssignments', 'rateAutoAddOnAssignments', 'projectAutoAddOnAssignments'],
    ...['siteRateScheduleAutoAddOnAssignments', 'orderAutoAddOnAssignments', 'jobAutoAddOnAssignments'],
    ...['jobAssignmentAutoAddOnAssignments', 'jobAutoAddOns', 'accountAutoAddOns', 'driverAutoAddOns'],
  ),
  // This one is of a customer, and a caller who sees no side is refused for the first one.
  ...seeing('view_customer_rates', of('autoAddOnAssignment', 'view_driver_rates', 'autoAddOnAssignment')),
  ...seeing('view_customer_rates', [
    ...of('autoAddOnAssignment', 'edit_account', 'updateAutoAddOnAssignment', 'deleteAutoAddOnAssignment'),
    ...of(undefined, 'edit_account', 'createAccountAutoAddOnAssignment'),
    ...of('autoAddOn', 'edit_account', 'removeAccountAutoAddOn'),
    ...of(undefined, 'edit_project', 'createProjectAutoAddOnAssignment', 'createSiteRateScheduleAutoAddOnAssignment'),
    ...own(['grant', 'early'], of(undefined, 'edit_order', 'createOrderAutoAddOnAssignment')),
    ...own(['grant'], of(undefined, 'edit_job', 'createJobAutoAddOnAssignment')),
  ]),
  ...seeing('view_vendor_rates', of(undefined, 'edit_job_assignment', 'createJobAssignmentAutoAddOnAssignment')),
  ...seeing('view_driver_rates', [
    ...of(undefined, 'edit_rate', 'createRateAutoAddOnAssignment'),
    ...of(undefined, 'edit_user', 'createDriverAutoAddOnAssignment'),
    ...of('autoAddOn', 'edit_user', 'removeDriverAutoAddOn'),
  ]),
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
  ...of(undefined, ACCOUNTING, 'linkedAccounts', 'createLinkToken', 'createLinkedAccount'),
  ...of('linkedAccount', ACCOUNTING, 'deleteLinkedAccount', 'importLinkedAccount'),
  ...of('linkedAccount', ACCOUNTING, 'linkedCustomers', 'linkedVendors', 'linkedItems', 'linkedLedgerAccounts'),
  ...of('linkedAccount', ACCOUNTING, 'linkedCustomerAccountTypeahead', 'linkedVendorAccountTypeahead'),
  ...of('linkedAccount', ACCOUNTING, 'linkedItemAddOnTypeahead', 'linkedItemServiceTypeahead'),
  ...of('linkedCustomer', ACCOUNTING, 'updateLinkedCustomer'),
  ...of('linkedVendor', ACCOUNTING, 'updateLinkedVendor'),
  ...of('linkedItem', ACCOUNTING, 'updateLinkedItem'),
  ...of('linkedLedgerAccount', ACCOUNTING, 'updateLinkedLedgerAccount'),
  ...own(['grant'], of(undefined, 'view_settlements', 'invoices')),
  ...own(['grant'], of('invoicedJob', 'view_settlements', 'jobReceivable', 'jobPayable')),
  ...own(['grant'], of('invoice', 'view_settlements', 'invoice', 'invoiceLineItems', 'invoiceAddOnCharges')),
  ...['generatedInvoiceLineItems', 'updateInvoice'].map(
    (name): Row => [name, { who: 'edit_invoice', also: 'view_customer_rates', of: 'invoice' }],
  ),
  ...of('invoice', 'edit_invoice', 'voidInvoice'),
  ...of('invoice', 'approve_invoice', 'approveInvoice', 'unapproveInvoice'),
  ...of('invoice', 'pay_settlement', 'payInvoice'),
];
