import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Settlement } from './settlement.entity.ts';

/** Money is seen by those who see the rates of its side, and pay by the driver who gets it (DOMAIN section 2 "Rate visibility"). */
const MONEY = masked('view_driver_rates', {
  sides: { receivableCompanyId: 'view_customer_rates', vendorCompanyId: 'view_vendor_rates', driverCompanyId: 'view_driver_rates' },
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

/** SQL that is true for what a driver is paid: they read that, and nothing of the customer's side. */
const paidTo = (t: string, p: string): string => `${t}.driver_id = ${p}`;

/** Who reads a settlement reads what has its `settlement_id`. */
export const partOfSettlement = {
  sites: (t: string, p: string): string => altogetherAt(`${t}.settlement_id`, p),
  ownRecords: (t: string, p: string): string =>
    `exists (select 1 from settlement ps where ps.id = ${t}.settlement_id and ${paidTo('ps', p)})`,
};

export const settlementAccess = defineAccess(Settlement, {
  sites: (t, p) => altogetherAt(`${t}.id`, p),
  ownRecords: paidTo,
  masks: [
    [
      MONEY,
      ...(['invoicesTotalAmount', 'invoicesTaxTotalAmount', 'adjustmentsTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'] as const),
      ...(['rebillInvoicesTotalAmount', 'rebillInvoicesTaxTotalAmount', 'rebillAddOnChargesTotalAmount', 'rebillTotalAmount'] as const),
    ],
  ],
});
