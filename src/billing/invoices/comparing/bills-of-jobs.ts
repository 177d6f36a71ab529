import type { Context } from '../../../platform/context.ts';
import { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import { keyOfBooks } from '../books-of-job.ts';
import { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { FOLLOWING } from '../invoice.machine.ts';
import { type Rebilled, rebilledInvoices } from '../parts/rebilled.ts';

/** The invoices of some jobs in the books of some companies. */
export interface Bills {
  /** The live invoices of a job, by their parts. */
  ofJob(jobId: string): readonly Invoice[];
  itemsOf(invoice: Invoice): readonly InvoiceLineItem[];
  copiesOf(invoice: Invoice): readonly AddOnCharge[];
  rebilledOf(invoice: Invoice): Rebilled | undefined;
}

const ALL = { filters: { tenant: false } } as const;
const NOTHING: readonly never[] = [];

/** Reads what is invoiced of jobs, in one statement for invoices, lines and charges each. */
export async function billsOfJobs(ctx: Context, jobIds: readonly string[], companies: readonly string[]): Promise<Bills> {
  const invoices = await ctx.em.find(
    Invoice,
    { job: { $in: [...jobIds] }, company: { $in: [...companies] }, state: { $ne: 'voided' } },
    { ...ALL, orderBy: { part: 'asc', id: 'asc' } },
  );
  const ids = invoices.map(({ id }) => id);
  const items =
    ids.length === 0
      ? []
      : await ctx.em.find(InvoiceLineItem, { invoice: { $in: ids } }, { ...ALL, orderBy: { ordinality: 'asc', id: 'asc' } });
  const copies =
    ids.length === 0 ? [] : await ctx.em.find(AddOnCharge, { addOnApplicableId: { $in: ids } }, { ...ALL, orderBy: { id: 'asc' } });
  const rebilled = await rebilledInvoices(
    ctx,
    invoices.filter(({ state }) => !FOLLOWING.includes(state)),
  );
  const [ofJob, itemsOf, copiesOf] = [
    Map.groupBy(invoices, ({ job }) => job!.id),
    Map.groupBy(items, ({ invoice }) => invoice.id),
    Map.groupBy(copies, ({ addOnApplicableId }) => addOnApplicableId),
  ];
  return {
    ofJob: (jobId) => ofJob.get(jobId) ?? NOTHING,
    itemsOf: ({ id }) => itemsOf.get(id) ?? NOTHING,
    copiesOf: ({ id }) => copiesOf.get(id) ?? NOTHING,
    rebilledOf: ({ id }) => rebilled.get(id),
  };
}

/** The key of an invoice: in whose books it is, for what and for whom. */
export const booksOfInvoice = ({ company, side, jobAssignment, vendorAccount, ofMaterial }: Invoice) => ({
  ...{ companyId: company.id, side, jobAssignmentId: jobAssignment?.id ?? null },
  ...{ vendorAccountId: vendorAccount?.id ?? null, ofMaterial },
});

/** Distinguishes the books of an invoice among those of its job. */
export const keyOfInvoice = (invoice: Invoice): string => keyOfBooks(booksOfInvoice(invoice));
