import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Settlement } from './settlement.entity.ts';

/** Money is seen by those who see the rates of its side, and pay by the driver who gets it (DOMAIN section 2 "Rate visibility"). */
const MONEY = masked('view_driver_rates', {
  sides: { receivableCompanyId: 'view_customer_rates', vendorCompanyId: 'view_vendor_rates', driverCompanyId: 'view_driver_rates' },
  holder: 'driver',
});

export const settlementAccess = defineAccess(Settlement, {
  // Somebody who is limited to sites sees what is altogether at them: a total says something of each part.
  sites: (t, p) => `not exists (select 1 from settlement_invoice xs join invoice si on si.id = xs.invoice_id
    where xs.settlement_id = ${t}.id and not (${ofOrderAtSites('si.order_id', p)}))`,
  // Drivers read what they are paid, and nothing of the customer's side.
  ownRecords: (t, p) => `${t}.driver_id = ${p}`,
  masks: [
    [
      MONEY,
      ...(['invoicesTotalAmount', 'invoicesTaxTotalAmount', 'adjustmentsTotalAmount', 'addOnChargesTotalAmount', 'totalAmount'] as const),
      ...(['rebillInvoicesTotalAmount', 'rebillInvoicesTaxTotalAmount', 'rebillAddOnChargesTotalAmount', 'rebillTotalAmount'] as const),
    ],
  ],
});
