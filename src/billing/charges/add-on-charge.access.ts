import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { dayOfPerson } from '../../dispatch/model/driver-day.entity.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';

export const addOnChargeAccess = defineAccess(AddOnCharge, {
  // A day is at no site.
  sites: (t, p) => `(${t}.job_id is null or ${ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p)})`,
  ownRecords: (t, p) => `(${ofJobOfPerson(`${t}.job_id`, p)}
    or exists (select 1 from driver_day pd where pd.id = ${t}.driver_day_id and ${dayOfPerson('pd', p)}))`,
  masks: [
    [
      masked('view_customer_rates'),
      ...(['revenueRateValue', 'rate', 'percentage', 'totalAmount', 'rebillRevenueRateValue', 'rebillPercentage'] as const),
      ...(['rebillTotalAmount', 'baseAmount', 'amount'] as const),
    ],
    [masked('view_vendor_rates'), 'costRateValue'],
  ],
});
