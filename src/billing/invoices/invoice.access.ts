import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { type MaskSpec, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';

/** Money is seen by those who see the rates of its side, and pay by the driver who gets it (DOMAIN section 2 "Rate visibility"). */
const MONEY: MaskSpec = masked('view_driver_rates', {
  sides: { receivableCompanyId: 'view_customer_rates', vendorCompanyId: 'view_vendor_rates', driverCompanyId: 'view_driver_rates' },
  holder: 'payeeDriver',
});

export const invoiceAccess = defineAccess(Invoice, {
  sites: (t, p) => ofOrderAtSites(`${t}.order_id`, p),
  // Drivers read what they are paid, and nothing of the customer's side.
  ownRecords: (t, p) => `${t}.payee_driver_id = ${p}`,
  masks: [
    [
      MONEY,
      'rate',
      'rateValue',
      'rateType',
      'rateMinimum',
      'rateIncrement',
      'commissionRateValue',
      'commissionRateType',
      'materialRateSellPrice',
      'taxRate',
      'taxDescription',
    ],
    [MONEY, 'explain', 'taxPretaxAmount', 'taxTotalAmount', 'invoiceLineItemsTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'],
  ],
});

export const invoiceLineItemAccess = defineAccess(InvoiceLineItem, {
  sites: (t, p) => `exists (select 1 from invoice si where si.id = ${t}.invoice_id and ${ofOrderAtSites('si.order_id', p)})`,
  ownRecords: (t, p) => `${t}.payee_driver_id = ${p}`,
  masks: [[MONEY, 'rate', 'rateType', 'totalAmount']],
});
