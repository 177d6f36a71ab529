import { Job } from '../../dispatch/model/job.entity.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Invoice } from './invoice.entity.ts';
import type { InvoiceSide } from './invoice-enums.ts';
import { readsInvoices } from './read-invoice.ts';

/** The live invoice of a job on a side, in the books of the companies that read it. */
const liveOf = (side: InvoiceSide, description: string) => ({
  single: () => Invoice,
  on: (invoice: string, job: string, companies: string) =>
    `${invoice}.job_id = ${job}.id and ${invoice}.side = '${side}' and not ${invoice}.of_material and ${invoice}.part = 1 and ${invoice}.state <> 'voided' and ${invoice}.company_id = any(${companies})`,
  seenBy: readsInvoices,
  description,
});

/** The invoices of a job. */
export const invoicedJob = relatedFields(Job, {
  receivableInvoice: liveOf('receivable', 'The invoice of what the customer owes for it, in your books.'),
  payableInvoice: liveOf('payable', 'The invoice of what is owed to the vendor or the driver, in your books.'),
});
/** Everybody finds their own. */
export const jobInvoicesAccess = defineAccess(Job, { partnerFields: { passed: ['receivableInvoice', 'payableInvoice'] } });
