import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Job } from '../../dispatch/model/job.entity.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { Invoice } from './invoice.entity.ts';
import type { InvoiceSide } from './invoice-enums.ts';
import { readsInvoices } from './read-invoice.ts';

/** The live invoice of a job on a side, in the books of the companies that read it. */
const liveOf = (side: InvoiceSide) => ({
  single: () => Invoice,
  on: (invoice: string, job: string, companies: string) =>
    `${invoice}.job_id = ${job}.id and ${invoice}.side = '${side}' and not ${invoice}.of_material and ${invoice}.part = 1 and ${invoice}.state <> 'voided' and ${invoice}.company_id = any(${companies})`,
});

export const jobInvoicesExtension = extendEntity(Job, { receivableInvoice: liveOf('receivable'), payableInvoice: liveOf('payable') });
/** Everybody finds their own. */
export const jobInvoicesAccess = defineAccess(Job, { partnerFields: { passed: ['receivableInvoice', 'payableInvoice'] } });

interface Invoiced extends Job {
  receivableInvoice?: Invoice | null;
  payableInvoice?: Invoice | null;
}

/** The invoices of a job; the planner reads them with the job itself. */
@Resolver(() => Job)
export class JobInvoicesResolver {
  @FieldResolver(() => Invoice, { nullable: true, description: 'The invoice of what the customer owes for it, in your books.' })
  receivableInvoice(@Root() { receivableInvoice }: Invoiced, @Ctx() ctx: Context): Invoice | null {
    return readsInvoices(ctx) ? (receivableInvoice ?? null) : null;
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'The invoice of what is owed to the vendor or the driver, in your books.' })
  payableInvoice(@Root() { payableInvoice }: Invoiced, @Ctx() ctx: Context): Invoice | null {
    return readsInvoices(ctx) ? (payableInvoice ?? null) : null;
  }
}
