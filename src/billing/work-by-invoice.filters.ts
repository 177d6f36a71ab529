import { Job } from '../dispatch/model/job.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { withJob } from '../dispatch/orders/order.filters.ts';
import { defineAccess } from '../platform/read/access.ts';
import { type Around, defineFilters, type FilterSpec, type JointCondition, jointly } from '../platform/read/grammar.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { INVOICE_FILTERS } from './invoices/invoice.lists.ts';
import type { InvoiceSide } from './invoices/invoice-enums.ts';
import { isWorkOfDaySql } from './invoices/invoiced-work.ts';
import { readsInvoices } from './invoices/read-invoice.ts';

/** Viewers who read no invoices find no work by them: the operations of the contract have no 403. */
const forReaders =
  ({ value }: Pick<FilterSpec, 'value'>): NonNullable<FilterSpec['value']> =>
  (given, ctx, companyId) => {
    if (!readsInvoices(ctx)) return Array.isArray(given) ? [] : null;
    return value ? value(given, ctx, companyId) : given;
  };

/** The job of an alias has an invoice on a side in one of these states, in the books of the reader and as far as they see it. */
const invoiced =
  (job: string, side: InvoiceSide): JointCondition =>
  (p, companies, limits) =>
    `exists (select 1 from invoice fi where fi.job_id = ${job}.id and fi.side = '${side}' and not fi.of_material and fi.state = any(${p})
      and fi.company_id = any(${companies()})${limits(Invoice, 'fi')})`;

const ofJob = (side: InvoiceSide): FilterSpec => ({
  sql: (t, p, limits, companies) => invoiced(t, side)(p, companies, limits),
  cast: 'text[]',
  value: forReaders({}),
});
export const jobsByInvoice = defineFilters(Job, {
  'receivableInvoice.states': ofJob('receivable'),
  'payableInvoice.states': ofJob('payable'),
});

/** Orders with one invoice of the reader that meets all of `filter[invoice][...]`. That of a day is one of each job that is paid with it. */
const withInvoice: Around = (t, condition, limits) =>
  `exists (select 1 from job j join invoice fi on fi.job_id = j.id or (fi.job_id is null and ${isWorkOfDaySql('j', 'fi')})
    where j.order_id = ${t}.id and ${condition}${limits(Job, 'j')}${limits(Invoice, 'fi')})`;

/** The filters of the list of invoices that `filter[invoice]` has, too. */
const OF_INVOICES = [
  ...(['startDate', 'endDate', 'states', 'invoiceCategory', 'grouped', 'invoiceableType', 'rateTypes', 'companyId'] as const),
  ...(['vendorAccountIds', 'customerAccountIds', 'pickupSiteIds', 'dropoffSiteIds', 'driverIds'] as const),
];
const ofInvoice = (name: (typeof OF_INVOICES)[number]): FilterSpec => {
  const spec: FilterSpec = INVOICE_FILTERS[name];
  return jointly(
    withInvoice,
    (p, companies, limits) => `fi.company_id = any(${companies()}) and ${spec.sql('fi', p, limits, companies)}`,
    spec.cast,
    forReaders(spec),
  );
};
const joint = (side: InvoiceSide): FilterSpec => jointly(withJob, invoiced('j', side), 'text[]', forReaders({}));
export const ordersByInvoice = defineFilters(Order, {
  'job.receivableInvoice.states': joint('receivable'),
  'job.payableInvoice.states': joint('payable'),
  ...Object.fromEntries(OF_INVOICES.map((name) => [`invoice.${name}`, ofInvoice(name)])),
});

/** Everybody filters by their own invoices, also of work that was passed on to them. */
export const jobsByInvoiceAccess = defineAccess(Job, {
  partnerFields: { passed: [], filters: ['receivableInvoice.states', 'payableInvoice.states'] },
});
export const ordersByInvoiceAccess = defineAccess(Order, {
  partnerFields: {
    passed: [],
    filters: ['job.receivableInvoice.states', 'job.payableInvoice.states', ...OF_INVOICES.map((name) => `invoice.${name}`)],
  },
});
