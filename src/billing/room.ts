import * as accounting from './accounting/accounting-room.ts';
import { addOnAccess } from './add-ons/add-on.access.ts';
import { AddOn } from './add-ons/add-on.entity.ts';
import { AddOnMutations, AddOnQueries, AddOnResolver, addOnFilters, addOnNameKey, addOnSearch, addOnSorts } from './add-ons/add-ons.ts';
import { FuelSurchargeRateResolver } from './add-ons/fuel-surcharge-rate.resolver.ts';
import { addOnsOfAccounts, addOnsOfDrivers, addOnsOfRates, copiedAddOnsOfRates } from './auto-add-ons/assign-add-ons.ts';
import { autoAddOnAccess } from './auto-add-ons/auto-add-on.access.ts';
import {
  AutoAddOnMutations,
  AutoAddOnQueries,
  AutoAddOnResolver,
  AutoAddOnsOfParents,
  autoAddOnFilters,
} from './auto-add-ons/auto-add-on.resolver.ts';
import { AutoAddOnAssignment, autoAddOnRootKey } from './auto-add-ons/auto-add-on-assignment.entity.ts';
import { ChargedAddOnResolver } from './auto-add-ons/charged-add-ons.resolver.ts';
import {
  accountsWithAddOns,
  addOnsOfRate,
  addOnsOfSchedule,
  driversWithAddOns,
  ScheduleAddOnsResolver,
} from './auto-add-ons/records-with-add-ons.ts';
import { addOnChargeAccess } from './charges/add-on-charge.access.ts';
import { AddOnCharge } from './charges/add-on-charge.entity.ts';
import { chargeMessages } from './charges/charge.messages.ts';
import { AddOnChargeQueries, AddOnChargeResolver } from './charges/charges.resolver.ts';
import { currencyOfCompanies } from './currency-of-companies.ts';
import { DayInvoiceResolver } from './days/day-invoices.resolver.ts';
import { invoicesOfDays, PAYING_DAYS } from './days/day-tasks.ts';
import { fuelMessages } from './fuel/fuel.messages.ts';
import {
  FuelPriceIndexMutations,
  FuelPriceIndexQueries,
  FuelPriceResolver,
  FuelSurchargeScheduleMutations,
  FuelSurchargeSchedulePriceResolver,
  FuelSurchargeScheduleQueries,
  fuelLists,
} from './fuel/fuel.resolver.ts';
import { FuelPrice, FuelPriceIndex } from './fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from './fuel/fuel-surcharge-schedule.entity.ts';
import {
  fuelPriceDateKey,
  fuelPriceIndexNameKey,
  fuelSurchargeScheduleNameKey,
  fuelSurchargeSchedulePriceKey,
} from './fuel/fuel-tables.ts';
import { FUEL_PRICES } from './fuel/sources/price-worker.ts';
import { ExplainedInvoiceResolver, explainedInvoices } from './invoices/explained-invoice.resolver.ts';
import { invoiceAccess, invoiceLineItemAccess, unloggedOfInvoices } from './invoices/invoice.access.ts';
import { Invoice, InvoiceLineItem } from './invoices/invoice.entity.ts';
import { invoiceFilters, invoiceLineItemSorts, invoiceSearch, invoiceSorts } from './invoices/invoice.lists.ts';
import { invoiceMessages } from './invoices/invoice.messages.ts';
import { InvoiceMutations, InvoiceResolver } from './invoices/invoice.resolver.ts';
import { INVOICING, invoicesOfJobs } from './invoices/invoice-tasks.ts';
import { invoicedJob, jobInvoicesAccess } from './invoices/invoices-of-jobs.ts';
import { invoiceKeys } from './invoices/parts/invoice-keys.ts';
import { InvoicePartsResolver } from './invoices/parts/parts.resolver.ts';
import { InvoicePreviewResolver } from './invoices/previews/invoice-previews.resolver.ts';
import { ReceivedInvoiceResolver } from './invoices/sending/received-invoice.resolver.ts';
import { keptInvoicesAccess, keptInvoicesExtensions, keptInvoicesResolvers } from './kept/kept-invoices.resolver.ts';
import { LineItemType } from './line-items/line-item-type.entity.ts';
import { LineItemTypeResolver } from './line-items/line-item-type.resolver.ts';
import { InvoiceWarningsResolver, warningsOfInvoices } from './margins/invoice-warnings.resolver.ts';
import { LoadMatch, loadMatchKey } from './matching/load-match.entity.ts';
import { loadMatchAccess, vendorBillAccess } from './matching/match.access.ts';
import { matchLists } from './matching/match.inputs.ts';
import { matchMessages } from './matching/match.messages.ts';
import { LoadMatchMutations, LoadMatchResolver, VendorBillResolver } from './matching/match.resolver.ts';
import { VendorBill, vendorBillNumberKey } from './matching/vendor-bill.entity.ts';
import { billingPeriodAccess } from './periods/billing-period.access.ts';
import { BillingPeriod, billingPeriodDayKey, billingPeriodOpenKey } from './periods/billing-period.entity.ts';
import { lateInvoice } from './periods/late-invoices.ts';
import { billingPeriodSorts } from './periods/period.lists.ts';
import { periodMessages } from './periods/period.messages.ts';
import { BillingPeriodResolver } from './periods/period.resolver.ts';
import { billingProfileAccess } from './profiles/billing-profile.access.ts';
import { BillingProfile } from './profiles/billing-profile.entity.ts';
import { profileMessages } from './profiles/profile.messages.ts';
import { BillingProfileResolver } from './profiles/profile.resolver.ts';
import { ProjectQuoteResolver } from './quotes/project-quote.resolver.ts';
import { quoteMessages } from './quotes/quote.messages.ts';
import { settledInvoice } from './settled-invoices.ts';
import { BulkSettlementResolver } from './settlements/bulk-create.resolver.ts';
import { CREATE_SETTLEMENTS } from './settlements/bulk-create.ts';
import { carriedSettlement } from './settlements/carry-forward.ts';
import { CorrectSettlementResolver } from './settlements/correcting/correct-settlement.resolver.ts';
import { documentMessages } from './settlements/documents/document.messages.ts';
import { ExplainedSettlementResolver } from './settlements/explained-settlement.resolver.ts';
import { FilesOfSettlements, settlementFiles } from './settlements/files-of-settlements.ts';
import { emailedSettlement } from './settlements/sending/last-email-delivery.ts';
import { ReceivedSettlementResolver } from './settlements/sending/received-settlement.resolver.ts';
import { SettlementEmailResolver } from './settlements/sending/settlement-email.resolver.ts';
import { settlementEmailDeliveryAccess } from './settlements/sending/settlement-email-delivery.access.ts';
import { SettlementEmailDelivery } from './settlements/sending/settlement-email-delivery.entity.ts';
import { settlementMailMessages } from './settlements/sending/settlement-mail.messages.ts';
import { SETTLEMENT_MAILS, settlementMails } from './settlements/sending/settlement-mail.ts';
import { settlementAccess, settlementInvoiceAccess } from './settlements/settlement.access.ts';
import { Settlement, settlementInvoiceKey, settlementNumberKey, settlementOriginalKey } from './settlements/settlement.entity.ts';
import { settlementFilters, settlementSearch, settlementSorts } from './settlements/settlement.lists.ts';
import { settlementMessages } from './settlements/settlement.messages.ts';
import { SettlementMutations, SettlementResolver } from './settlements/settlement.resolver.ts';
import { SettlementChargeResolver } from './settlements/settlement-charges.resolver.ts';
import { SupplementsOfSettlementResolver } from './settlements/supplements-of-settlement.resolver.ts';
import { UnsettledInvoiceResolver } from './unsettled-invoices.resolver.ts';
import { jobsByInvoice, jobsByInvoiceAccess, ordersByInvoice, ordersByInvoiceAccess } from './work-by-invoice.filters.ts';

/** The entities of the room. */
export const entities = [
  ...accounting.entities,
  AddOn,
  AddOnCharge,
  AutoAddOnAssignment,
  LineItemType,
  FuelPriceIndex,
  FuelPrice,
  FuelSurchargeSchedule,
  FuelSurchargeSchedulePrice,
  Invoice,
  InvoiceLineItem,
  BillingPeriod,
  BillingProfile,
  LoadMatch,
  VendorBill,
  Settlement,
  SettlementEmailDelivery,
];

/** The accesses to the room's records: one for each entity. */
export const access = [
  ...accounting.access,
  addOnAccess,
  addOnChargeAccess,
  billingPeriodAccess,
  billingProfileAccess,
  loadMatchAccess,
  vendorBillAccess,
  invoiceAccess,
  invoiceLineItemAccess,
  autoAddOnAccess,
  settlementAccess,
  settlementEmailDeliveryAccess,
  settlementInvoiceAccess,
  jobInvoicesAccess,
  keptInvoicesAccess,
  jobsByInvoiceAccess,
  ordersByInvoiceAccess,
];

/** The fields that the room adds to entities of lower rooms. */
export const extensions = [
  ...accounting.extensions,
  warningsOfInvoices,
  explainedInvoices,
  ...keptInvoicesExtensions,
  invoicedJob,
  addOnsOfRate,
  addOnsOfSchedule,
  emailedSettlement,
  carriedSettlement,
  lateInvoice,
  settledInvoice,
  unloggedOfInvoices,
];
export const inputParts = [currencyOfCompanies, addOnsOfRates, copiedAddOnsOfRates, addOnsOfAccounts, addOnsOfDrivers];

/** The filters, sorts and searches of the room's lists. */
export const lists = [
  addOnSearch,
  addOnSorts,
  addOnFilters,
  autoAddOnFilters,
  ...fuelLists,
  invoiceFilters,
  jobsByInvoice,
  ordersByInvoice,
  accountsWithAddOns,
  driversWithAddOns,
  invoiceSorts,
  invoiceSearch,
  invoiceLineItemSorts,
  billingPeriodSorts,
  ...matchLists,
  settlementFilters,
  settlementSorts,
  settlementSearch,
];

/** The fields that unique rules of the database are about. */
export const constraints = [
  ...accounting.constraints,
  addOnNameKey,
  autoAddOnRootKey,
  fuelPriceIndexNameKey,
  fuelPriceDateKey,
  fuelSurchargeScheduleNameKey,
  fuelSurchargeSchedulePriceKey,
  ...invoiceKeys,
  settlementNumberKey,
  settlementInvoiceKey,
  settlementOriginalKey,
  billingPeriodDayKey,
  billingPeriodOpenKey,
  vendorBillNumberKey,
  loadMatchKey,
];

/** Tasks across companies. */
export const purposes = [...accounting.purposes, FUEL_PRICES, INVOICING, PAYING_DAYS, SETTLEMENT_MAILS];

/** The writers of the room's mails. */
export const composers = [settlementMails];

/** The room's messages. */
export const messages = [
  ...accounting.messages,
  fuelMessages,
  chargeMessages,
  invoiceMessages,
  settlementMessages,
  periodMessages,
  profileMessages,
  matchMessages,
  documentMessages,
  quoteMessages,
  settlementMailMessages,
];

/** The consequences of changes of work, in the same transaction. */
export const consequences = [invoicesOfJobs, invoicesOfDays];

/** The records that files are attached to. */
export const attachables = [settlementFiles];

/** The actions on many records at once, in the background. */
export const bulkKinds = [CREATE_SETTLEMENTS];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  ...accounting.resolvers,
  ...AddOnQueries,
  AddOnMutations,
  AddOnResolver,
  FuelSurchargeRateResolver,
  ...AddOnChargeQueries,
  AddOnChargeResolver,
  ...AutoAddOnQueries,
  ...AutoAddOnMutations,
  AutoAddOnResolver,
  ...AutoAddOnsOfParents,
  ChargedAddOnResolver,
  FuelPriceIndexQueries,
  FuelPriceIndexMutations,
  FuelPriceResolver,
  FuelSurchargeScheduleQueries,
  FuelSurchargeScheduleMutations,
  FuelSurchargeSchedulePriceResolver,
  LineItemTypeResolver,
  InvoiceResolver,
  InvoicePartsResolver,
  InvoiceWarningsResolver,
  ExplainedInvoiceResolver,
  ...keptInvoicesResolvers,
  InvoicePreviewResolver,
  ReceivedInvoiceResolver,
  UnsettledInvoiceResolver,
  ...InvoiceMutations,
  DayInvoiceResolver,
  SettlementResolver,
  ScheduleAddOnsResolver,
  ExplainedSettlementResolver,
  CorrectSettlementResolver,
  BulkSettlementResolver,
  ...FilesOfSettlements,
  SettlementChargeResolver,
  ReceivedSettlementResolver,
  SupplementsOfSettlementResolver,
  ...SettlementMutations,
  SettlementEmailResolver,
  BillingPeriodResolver,
  BillingProfileResolver,
  ProjectQuoteResolver,
  LoadMatchResolver,
  ...LoadMatchMutations,
  VendorBillResolver,
];
