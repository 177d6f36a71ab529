import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { settlementNumberSql } from '../../dispatch/fields/settlement-number.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Settlement } from './settlement.entity.ts';

/**
 * Money is seen by those who see the rates of its side, and pay by the driver who gets it (DOMAIN section 2 "Rate visibility"). What was sent to
 * the customer's company is what that company owes.
 */
const MONEY = masked('view_driver_rates', {
  sides: {
    receivableCompanyId: 'view_customer_rates',
    vendorCompanyId: 'view_vendor_rates',
    driverCompanyId: 'view_driver_rates',
    sentToCompanyId: 'view_vendor_rates',
  },
  holder: 'driver',
});

/**
 * SQL that is true for a settlement (an expression of its id) that is altogether at some sites. Somebody who is limited to these sees no other: a
 * total says something of each part.
 */
const altogetherAt = (
  id: string,
  p: string,
): string => `not exists (select 1 from settlement_invoice xs join invoice si on si.id = xs.invoice_id
    where xs.settlement_id = ${id} and not (${ofOrderAtSites('si.order_id', p)}))`;
export const settlementAtSites = (t: string, p: string): string => altogetherAt(`${t}.id`, p);

/** Drivers read what they are paid, and nothing of the customer's side. */
export const settlementOfPerson = (t: string, p: string): string => `${t}.driver_id = ${p}`;

/** Readers of a settlement read the records with its `settlement_id`. */
export const partOfSettlement = {
  sites: (t: string, p: string): string => altogetherAt(`${t}.settlement_id`, p),
  ownRecords: (t: string, p: string): string =>
    `exists (select 1 from settlement ps where ps.id = ${t}.settlement_id and ${settlementOfPerson('ps', p)})`,
  allBy: 'view_settlements',
};

/** Which invoices are in a settlement that was sent. */
export const settlementInvoiceAccess = defineAccess('settlement_invoice', {
  rowPolicy: { readable: (t, companies) => `${t}.sent_to_company_id = any(${companies})` },
});

export const settlementAccess = defineAccess(Settlement, {
  // Only what was sent, to the company that it was sent to.
  shared: (t, p) => `${t}.sent_to_company_id = any(${p})`,
  // The customer reads what it owes. The books of whoever sent it, and its own names of the records, stay there.
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'side', 'settlementId', 'arSettlementId', 'apSettlementId', 'state', 'currency', 'version']
      .concat(['sentToCompanyId', 'sentAt', 'startsOn', 'endsOn', 'jobsCount', 'settlementLineItemType', 'settlementLineItemGroupings'])
      .concat(['includeLoadsInPdf', 'invoicesTotalAmount', 'invoicesTaxTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'])
      .concat(['rebillInvoicesTotalAmount', 'rebillInvoicesTaxTotalAmount', 'rebillAddOnChargesTotalAmount', 'rebillTotalAmount'])
      .concat(['editable', 'approved', 'approvable', 'unapprovable', 'rebillable', 'data', 'quantitiesPerUom', 'number'])
      .concat(['receivableCompanyId', 'vendorCompanyId', 'driverCompanyId']),
    // Of what may be done, the customer can only pay.
    parts: { stateEvents: (events) => (events as string[]).filter((event) => event === 'customer_pay') },
    kept: ['explain', 'stateBeforePay', 'customerAccount', 'vendorAccount', 'driver', 'friendlyOrderIds']
      .concat(['deliveredQuantities', 'adjustmentsTotalAmount', 'originalSettlement', 'voidReason', 'voidedAt', 'exportedAt'])
      .concat([
        'billingApprovedAt',
        'postingDate',
        'reversalDate',
        'paidAt',
        'exportState',
        'pdfUrl',
        'lastSettlementEmailDelivery',
        'integrationSettlementExport',
        'reversalSettlementExport',
        'exportedBeforePay',
        'carriedForwardAt',
        'balanceCarriedTo',
        'differenceTotalAmount',
      ]),
    instead: { deliveredQuantities: [], friendlyOrderIds: [] },
    filters: ['states', 'startDate', 'endDate', 'companyId', 'received'],
    ownFilters: [
      'customerAccountIds',
      'vendorAccountIds',
      'driverIds',
      'rateTypes',
      'projectIds',
      'pickupSiteIds',
      'dropoffSiteIds',
      'billingPeriodId',
    ],
    sorts: ['createdAt', 'updatedAt'],
    search: (t, p) => `${settlementNumberSql(t)} ilike ${p}`,
  },
  sites: settlementAtSites,
  ownRecords: settlementOfPerson,
  allBy: 'view_settlements',
  masks: [
    [
      MONEY,
      ...(['invoicesTotalAmount', 'invoicesTaxTotalAmount', 'adjustmentsTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'] as const),
      ...([
        'rebillInvoicesTotalAmount',
        'rebillInvoicesTaxTotalAmount',
        'rebillAddOnChargesTotalAmount',
        'rebillTotalAmount',
        'differenceTotalAmount',
      ] as const),
    ],
  ],
});
