import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { type MaskSpec, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS, type RowCondition, substituteId } from '../../platform/read/partner-fields.ts';
import { defineUnlogged } from '../../platform/read/past/as-of.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { type Invoiceable } from './invoiced-work.ts';

/**
 * Money is seen by those who see the rates of its side, and pay by the driver who gets it (DOMAIN section 2 "Rate visibility"). What was sent to
 * the customer's company is what that company owes.
 */
const MONEY: MaskSpec = masked('view_driver_rates', {
  sides: {
    receivableCompanyId: 'view_customer_rates',
    vendorCompanyId: 'view_vendor_rates',
    driverCompanyId: 'view_driver_rates',
    sentToCompanyId: 'view_vendor_rates',
  },
  holder: 'payeeDriver',
});

/** By the percentage of a commission and its amount, whoever gets it could find out what the customer pays: who sees that sees the percentage. */
const PERCENTAGE: MaskSpec = {
  ...MONEY,
  also: { permission: 'view_customer_rates', of: (t) => `(${t}.side = 'payable' and ${t}.rate_type = 'RateCommission')` },
};

/** The invoice of a day is where one of its jobs is. */
const atSites = (t: string, p: string): string => `(${ofOrderAtSites(`${t}.order_id`, p)}
  or exists (select 1 from job sj where sj.driver_day_id = ${t}.driver_day_id and ${ofOrderAtSites('sj.order_id', p)}))`;

/** Readers of an invoice read the records with its `invoice_id`. */
export const partOfInvoice = {
  sites: (t: string, p: string): string => `exists (select 1 from invoice si where si.id = ${t}.invoice_id and ${atSites('si', p)})`,
  ownRecords: (t: string, p: string): string =>
    `exists (select 1 from invoice oi where oi.id = ${t}.invoice_id and oi.payee_driver_id = ${p})`,
  allBy: 'view_settlements',
};

/** A company that has a part in the work, for which it reads the job by itself. */
const takesPart: RowCondition = (t, companies) => `exists (select from job_assignment ka where ka.job_id = ${t}.job_id
  and (ka.customer_company_id = any(${companies()}) or ka.vendor_company_id = any(${companies()})))`;

/** The explanation of a total would double the log, which has the total. */
export const unloggedOfInvoices = defineUnlogged(Invoice, { columns: ['explanation', 'counted', 'day_minutes'] });

export const invoiceAccess = defineAccess(Invoice, {
  // Only what was sent, to the company that it was sent to.
  shared: (t, p) => `${t}.sent_to_company_id = any(${p})`,
  // The customer reads the bill: what is charged for what. Whoever sent it keeps how it was priced, by whom and when it was approved, and its
  // own names of the records.
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'side', 'invoiceId', 'state', 'currency', 'serviceDate', 'version', 'sentToCompanyId', 'sentAt']
      .concat(['rateValue', 'rateType', 'rateMinimum', 'rateIncrement', 'materialRateItemized', 'materialRateSellPrice'])
      .concat(['materialRateUnitOfMeasure', 'taxRate', 'taxDescription', 'taxPretaxAmount', 'taxTotalAmount', 'totalAmount'])
      .concat(['invoiceLineItemsTotalAmount', 'addOnChargesTotalAmount', 'addOnChargesCount', 'invoiceLineItems', 'totalLoadsCount'])
      .concat(['invoiceLineItemsTotalQuantity', 'payStartTime', 'payEndTime', 'approved', 'approvable', 'unapprovable', 'editable'])
      .concat(['receivableCompanyId', 'vendorCompanyId', 'driverCompanyId', 'match', 'part', 'reason']),
    where: { job: takesPart, order: takesPart, orderOrderIds: takesPart, jobJobIds: takesPart, invoiceable: takesPart },
    // Of what may be done, the customer can only pay.
    parts: { stateEvents: (events) => (events as string[]).filter((event) => event === 'customer_pay') },
    kept: [
      'number',
      'ofMaterial',
      'jobAssignment',
      'project',
      'customerAccount',
      'vendorAccount',
      'driver',
      'driverRate',
      'payeeDriver',
      'equipment',
      'material',
    ]
      .concat(['pickupSite', 'dropoffSite', 'rate', 'commissionRateValue', 'commissionRateType', 'byHand', 'blockers', 'stale', 'explain'])
      .concat([
        'adjustmentsTotalAmount',
        'removedLines',
        'parentInvoice',
        'loadIds',
        'driverDay',
        'namesOfDay',
        'rateTerms',
        'rateSince',
        'timeTerms',
        'counted',
        'dayMinutes',
        'stackOutNoted',
        'thinMargin',
        'warnings',
        'fuelWarnings',
        'ticketConflict',
        'isSettled',
        'billingApprovedAt',
        'postingDate',
        'forPeriod',
        'exportedAt',
        'exportState',
        'reversalDate',
        'accountingExport',
        'accountingReversal',
        'unsettledReason',
        'settlement',
        'ticketsCount',
        'truckId',
      ])
      .concat(['projectNames', 'materialNames', 'pickupSiteNames'])
      .concat(['dropoffSiteNames', 'equipmentExternalIds', 'equipmentTypeNames', 'jobSummary']),
    instead: {
      ...{
        ofMaterial: false,
        byHand: false,
        blockers: [],
        warnings: [],
        stale: false,
        ticketsCount: 0,
        orderOrderIds: [],
        jobJobIds: [],
        projectNames: [],
      },
      invoiceable: (of: unknown, reader: string) => ({ ...(of as Invoiceable), id: substituteId((of as Invoiceable).id, reader) }),
      ...{ materialNames: [], pickupSiteNames: [], dropoffSiteNames: [], equipmentExternalIds: [], equipmentTypeNames: [] },
    },
    filters: ['states', 'startDate', 'endDate', 'companyId', 'received'],
    ownFilters: [
      'invoiceCategory',
      'grouped',
      'blockers',
      'customerAccountIds',
      'vendorAccountIds',
      'pickupSiteIds',
      'dropoffSiteIds',
      'projectIds',
    ].concat(['rateTypes', 'invoiceableType', 'driverIds', 'billingPeriodId', 'leftOutOfPeriodId', 'ofMaterial']),
    sorts: ['createdAt', 'updatedAt', 'serviceDate'],
    search: (t, p) => `${t}.invoice_id ilike ${p}`,
  },
  sites: atSites,
  // Drivers read what they are paid, and nothing of the customer's side, also if they see all work by another role.
  ownRecords: (t, p) => `${t}.payee_driver_id = ${p}`,
  allBy: 'view_settlements',
  masks: [
    [
      MONEY,
      'rateType',
      'rateMinimum',
      'rateIncrement',
      'commissionRateValue',
      'commissionRateType',
      'materialRateSellPrice',
      'taxRate',
      'taxDescription',
    ],
    [PERCENTAGE, 'rate', 'driverRate', 'rateValue'],
    [MONEY, 'explain', 'taxPretaxAmount', 'taxTotalAmount', 'invoiceLineItemsTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'],
  ],
});

/** The load of a line, for companies that have a part in its job. */
const hauls: RowCondition = (
  t,
  companies,
) => `exists (select from load kl join job_assignment ka on ka.job_id = kl.job_id where kl.id = ${t}.load_id
  and (ka.customer_company_id = any(${companies()}) or ka.vendor_company_id = any(${companies()})))`;

export const invoiceLineItemAccess = defineAccess(InvoiceLineItem, {
  shared: (t, p) => `${t}.sent_to_company_id = any(${p})`,
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'invoice', 'invoiceId', 'ordinality', 'lineItemType', 'name', 'deliveredQuantity', 'quantity']
      .concat(['unitOfMeasure', 'rate', 'rateType', 'totalAmount', 'payStartTime', 'payEndTime', 'billingAdjustmentMinutes'])
      .concat(['revenueCostRateType', 'materialRateUnitOfMeasure', 'receivableCompanyId', 'vendorCompanyId', 'driverCompanyId'])
      .concat(['sentToCompanyId']),
    where: { load: hauls },
    // Only its sender sees the explanation of the line.
    kept: [
      'payeeDriver',
      'part',
      'editedById',
      'editedQuantity',
      'editedRate',
      'editedPayStartTime',
      'editedPayEndTime',
      'seenQuantity',
    ].concat(['seenRate', 'workQuantity', 'workRate', 'workTotalAmount', 'edited', 'correctsId', 'isDifference']),
    instead: { edited: false, isDifference: false },
    sorts: ['ordinality'],
  },
  sites: partOfInvoice.sites,
  ownRecords: (t, p) => `${t}.payee_driver_id = ${p}`,
  allBy: 'view_settlements',
  masks: [[MONEY, 'rate', 'rateType', 'totalAmount', 'workRate', 'workTotalAmount']],
});
