import { relatedFields } from '../../platform/model/related-fields.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { BillingPeriod } from './billing-period.entity.ts';

/** The period whose work an invoice is for, if it counts in a later one (BILLING B10). */
export const lateInvoice = relatedFields(Invoice, {
  forPeriod: {
    single: () => BillingPeriod,
    on: (period, invoice) => `${period}.company_id = ${invoice}.company_id and ${invoice}.posting_date > ${invoice}.service_date
      and ${period}.ends_on = (select min(fp.ends_on) from billing_period fp where fp.company_id = ${invoice}.company_id
        and fp.ends_on >= ${invoice}.service_date and fp.ends_on < ${invoice}.posting_date)`,
    description: 'The period of the work, if that was closed before the invoice was approved: it counts in a later one.',
  },
});
