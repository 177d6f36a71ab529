import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { dayOfPerson } from '../../dispatch/model/driver-day.entity.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';

/** The customer's company sees what it is charged on an invoice that was sent to it. */
const MONEY = masked('view_customer_rates', { sides: { company: 'view_customer_rates', sentToCompanyId: 'view_vendor_rates' } });

export const addOnChargeAccess = defineAccess(AddOnCharge, {
  shared: (t, p) => `${t}.sent_to_company_id = any(${p})`,
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'sentToCompanyId',
      'addOnApplicableType',
      'addOnApplicableId',
      'name',
      'quantity',
      'taxable',
    ].concat(['revenueRateValue', 'revenueCostRateType', 'percentage', 'baseAmount', 'amount', 'rate', 'addOnRateType', 'totalAmount']),
    kept: ['job', 'driverDay', 'load', 'requestedById', 'requestedCharge', 'autoAddOnAssignment', 'addOn', 'rebillRevenueRateValue']
      .concat([
        'rebillPercentage',
        'rebillTotalAmount',
        'rebillAmount',
        'externalId',
        'accountingId',
        'addOnRequestableType',
        'addOnRequestableId',
      ])
      .concat(['warnings']),
    instead: { warnings: [] },
    sorts: ['createdAt', 'updatedAt'],
  },
  // A day is at no site.
  sites: (t, p) => `(${t}.job_id is null or ${ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p)})`,
  ownRecords: (t, p) => `(${ofJobOfPerson(`${t}.job_id`, p)}
    or exists (select 1 from driver_day pd where pd.id = ${t}.driver_day_id and ${dayOfPerson('pd', p)}))`,
  masks: [
    [
      MONEY,
      ...(['revenueRateValue', 'rate', 'percentage', 'totalAmount', 'rebillRevenueRateValue', 'rebillPercentage'] as const),
      ...(['rebillTotalAmount', 'baseAmount', 'amount', 'rebillAmount'] as const),
    ],
    [masked('view_vendor_rates'), 'costRateValue'],
  ],
});
