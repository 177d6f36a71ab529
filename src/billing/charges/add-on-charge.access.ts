import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { dayOfPerson } from '../../dispatch/model/driver-day.entity.ts';
import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';

/** Its money is seen by whoever sees that of the record that it is on. The customer's company sees its charges with the record that was sent to it. */
const MONEY = masked('view_customer_rates', {
  sides: {
    receivableCompanyId: 'view_customer_rates',
    vendorCompanyId: 'view_vendor_rates',
    driverCompanyId: 'view_driver_rates',
    sentToCompanyId: 'view_vendor_rates',
  },
});
/** The same of what it comes to, which is also seen by the driver who is paid. */
const TOTAL = masked('view_customer_rates', { ...MONEY, holder: 'payeeDriver', holds: 'view_driver_rates' });

export const addOnChargeAccess = defineAccess(AddOnCharge, {
  shared: (t, p) => `${t}.sent_to_company_id = any(${p})`,
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'sentToCompanyId',
      'addOnApplicableType',
      'addOnApplicableId',
      'invoice',
      'name',
      'quantity',
      'taxable',
    ]
      .concat([
        'revenueRateValue',
        'revenueCostRateType',
        'percentage',
        'percentageBase',
        'baseAmount',
        'amount',
        'rate',
        'addOnRateType',
        'totalAmount',
      ])
      .concat(['rebillRevenueRateValue', 'rebillPercentage', 'rebillTotalAmount', 'rebillAmount'])
      .concat(['receivableCompanyId', 'vendorCompanyId', 'driverCompanyId']),
    kept: [
      'balanceOf',
      'payeeDriver',
      'job',
      'driverDay',
      'load',
      'requestedById',
      'requestedCharge',
      'autoAddOnAssignment',
      'assignedId',
      'addOn',
      'ratedOn',
    ].concat(['externalId', 'accountingId', 'addOnRequestableType', 'addOnRequestableId', 'warnings']),
    instead: { warnings: [] },
    sorts: ['createdAt', 'updatedAt'],
  },
  // A day is at no site. What is charged on an invoice or a settlement says something of all of its work.
  sites: (t, p) => `((${t}.job_id is null or ${ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p)})
    and (${t}.add_on_applicable_id is null or not exists (select 1 from invoice si where not (${ofOrderAtSites('si.order_id', p)}) and (si.id = ${t}.add_on_applicable_id
      or si.id in (select xs.invoice_id from settlement_invoice xs where xs.settlement_id = ${t}.add_on_applicable_id)))))`,
  ownRecords: (t, p) => `(${t}.payee_driver_id = ${p} or ${ofJobOfPerson(`${t}.job_id`, p)}
    or exists (select 1 from driver_day pd where pd.id = ${t}.driver_day_id and ${dayOfPerson('pd', p)}))`,
  masks: [
    [MONEY, 'revenueRateValue', 'rate', 'rebillRevenueRateValue'],
    [TOTAL, 'percentage', 'totalAmount', 'baseAmount', 'amount', 'rebillPercentage', 'rebillTotalAmount', 'rebillAmount'],
    [masked('view_vendor_rates'), 'costRateValue'],
    [masked('view_fuel_prices'), 'ratedOn'],
  ],
});
