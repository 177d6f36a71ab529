import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { BillingPeriod } from './billing-period.entity.ts';

/** A period is all of the books: nobody reads it who is limited to a part of them. Its totals are seen by those who see the rates of the side. */
export const billingPeriodAccess = defineAccess(BillingPeriod, {
  sites: (_t, p) => `${p} is null`,
  ownRecords: (_t, p) => `${p} is null`,
  masks: [
    [masked('view_customer_rates'), 'receivablesTotalAmount', 'settledReceivablesTotalAmount'],
    [masked('view_vendor_rates'), 'vendorPayablesTotalAmount', 'settledVendorPayablesTotalAmount'],
    [masked('view_driver_rates'), 'driverPayablesTotalAmount', 'settledDriverPayablesTotalAmount'],
  ],
});
