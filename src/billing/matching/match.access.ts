import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { LoadMatch } from './load-match.entity.ts';
import { VendorBill } from './vendor-bill.entity.ts';

const MONEY = masked('view_driver_rates', {
  sides: { receivableCompanyId: 'view_customer_rates', vendorCompanyId: 'view_vendor_rates', driverCompanyId: 'view_driver_rates' },
});

/** Comparisons are for the office; a row without work is for those who see all of it. */
export const loadMatchAccess = defineAccess(LoadMatch, {
  sites: (t, p) => ofOrderAtSites(`${t}.order_id`, p),
  ownRecords: (_t, p) => `${p} is null`,
  masks: [[MONEY, 'rate', 'amount', 'theirRate', 'theirAmount', 'amountAtStake']],
});

/** A bill is for all of its loads. */
export const vendorBillAccess = defineAccess(VendorBill, {
  sites: (_t, p) => `${p} is null`,
  ownRecords: (_t, p) => `${p} is null`,
  masks: [[masked('view_vendor_rates'), 'totalAmount']],
});
