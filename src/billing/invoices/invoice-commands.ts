import { lockAroundDay, lockAroundJobs } from '../../dispatch/checks/lock-around.ts';
import { refuseReviewed } from '../../dispatch/checks/reviewed-weeks.ts';
import { moveJob, noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { jobMachine } from '../../dispatch/model/job.machine.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { withdrawExport } from '../accounting/exports/request-export.ts';
import { reverseExport } from '../accounting/exports/reverse-export.ts';
import { invoiceDayWithin } from '../days/invoice-day.ts';
import { isContradictedNow } from '../matching/ticket-conflicts.ts';
import { openDayOf, postingDateOf, refuseClosed } from '../periods/books.ts';
import { invoiceWithin } from './comparing/invoice-jobs.ts';
import { asCompaniesOf } from './following/as-companies-of.ts';
import { compareStale } from './following/compare-again.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import type { UpdateInvoiceInput } from './invoice.inputs.ts';
import { FOLLOWING, invoiceMachine, isApprovable, isSupplement } from './invoice.machine.ts';
import { followWork } from './lines/edits-of-lines.ts';
import { refuseSupplemented } from './parts/refuse-supplemented.ts';
import { rateOfInput, refuseRate, saysRate, setRate, sideOfRates } from './rate-by-hand.ts';
import { refuseSettled } from './refuse-settled.ts';

/**
 * Approves an invoice: from now on it stays as it is. It is compared with the work once more before. @throws Missing, Denied, Conflict for
 * each reason why it cannot be approved (BILLING B2.2)
 */
export function approveInvoice(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'approve_invoice');
    if (FOLLOWING.includes(invoice.state)) await refresh(tx, invoice);
    const refused = { model: 'Invoice', field: 'state', state: invoice.state, event: 'approve' };
    if (invoice.state === 'pending' && !isApprovable(invoice)) {
      throw new Conflict(invoice.blockers.map((blocker): ErrorItem => ({ ...refused, key: `blocked_by_${blocker}` })));
    }
    if (invoice.state === 'pending' && (await isContradictedNow(tx, invoice)))
      throw new Conflict([{ ...refused, key: 'blocked_by_ticket_conflict' }]);
    if (invoice.totalAmount.isNegative() && !viewerOf(tx).roles.includes('company_admin'))
      throw conflict('Invoice', invoice, 'approve', 'negative_total');
    invoiceMachine.fire(tx, invoice, 'approve');
    invoice.billingApprovedAt = tx.tx.now;
    invoice.postingDate = await postingDateOf(tx, invoice.company.id, await lastDayOf(tx, invoice));
    return { id: invoice.id };
  });
}

const TAKEN_BACK = `select max(v.reversal_date)::text as day from invoice i join invoice v on v.job_id = i.job_id or v.driver_day_id = i.driver_day_id
  where i.id = $1 and v.state = 'voided' and v.company_id = i.company_id and v.side = i.side and v.of_material = i.of_material
    and (not i.of_material or v.vendor_account_id = i.vendor_account_id)`;

/**
 * The day of the work of an invoice, or a later one on which an invoice of it is taken back that accounting had got: that one counts on the day of the work
 * still, so what takes its place counts when it is taken back. Whoever is paid by now, it is the same work; suppliers have each sold material of their own.
 */
async function lastDayOf(tx: TxContext, { id, serviceDate }: Invoice): Promise<string> {
  const [found] = await queryIn<{ day: string | null }>(tx.em, TAKEN_BACK, [id]);
  return found?.day && found.day > serviceDate ? found.day : serviceDate;
}

/**
 * Takes an approval back; the invoice follows the work again. If accounting did not take it, nobody wants it there any more. @throws Missing, Denied, Conflict
 */
export function unapproveInvoice(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'approve_invoice');
    await refuseSettled(tx, invoice, 'unapprove');
    await refuseSupplemented(tx, invoice, 'unapprove');
    await refuseClosed(tx, 'Invoice', invoice, 'unapprove');
    invoiceMachine.fire(tx, invoice, 'unapprove');
    await withdrawExport(tx, invoice);
    invoice.billingApprovedAt = null;
    invoice.postingDate = null;
    // The facts of the work, which are read now, say who is paid for its day, which depends on the approval.
    await tx.em.flush();
    await refresh(tx, invoice);
    return { id: invoice.id };
  });
}

/**
 * Notes that an approved invoice is paid. A job that is signed off is paid with what its owner owes for its work. @throws Missing, Denied, Conflict
 */
export function payInvoice(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'pay_settlement');
    await refuseSettled(tx, invoice, 'pay');
    invoiceMachine.fire(tx, invoice, 'pay');
    await compareStale(tx, [invoice.id]);
    const facts = { payableApproved: true };
    if (invoice.side === 'payable' && !invoice.ofMaterial)
      for (const job of await paidJobs(tx, invoice))
        if (invoice.company.id === job.company.id && jobMachine.can(job, 'pay', facts) && !(await isOwedMore(tx, invoice, job))) {
          moveJob(tx, job, 'pay', facts);
          noteJobEvent(tx, job, 'JobPaid');
        }
    return { id: invoice.id };
  });
}

/** Whether another payable of the owner for a job is still to be paid, such as another part. */
const isOwedMore = async (tx: TxContext, { id, company, driverDay }: Invoice, job: Job): Promise<boolean> =>
  (await tx.em.count(Invoice, {
    ...(driverDay ? { $or: [{ job: job.id }, { driverDay: driverDay.id }] } : { job: job.id }),
    ...{ company: company.id, side: 'payable', ofMaterial: false },
    id: { $ne: id },
    state: { $nin: ['paid', 'voided'] },
  })) > 0;

/** The jobs that a payable pays: of a day, those that have no payable of their own. */
async function paidJobs(tx: TxContext, invoice: Invoice): Promise<Job[]> {
  const jobs = await jobsOf(tx, invoice);
  if (invoice.job) return jobs;
  const ids = jobs.map(({ id }) => id);
  const live = { side: 'payable', ofMaterial: false, state: { $ne: 'voided' } } as const;
  const own = { job: { $in: ids }, company: invoice.company.id, ...live };
  const theirs = await tx.em.find(Invoice, own, { fields: ['job'] });
  const apart = new Set(theirs.map(({ job }) => job?.id));
  return jobs.filter(({ id }) => !apart.has(id));
}

/**
 * Voids an invoice; another one takes its place if the work is still to be invoiced. One that accounting has got by itself counts as before, and is taken back
 * on the day of the voiding, there by a document of its own (BILLING B12).
 * @throws Missing, Denied, Conflict
 */
export function voidInvoice(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    await refuseSettled(tx, invoice, 'void');
    await refuseSupplemented(tx, invoice, 'void');
    await refuseClosed(tx, 'Invoice', invoice, 'void');
    invoiceMachine.fire(tx, invoice, 'void');
    if (invoice.exportedAt) {
      invoice.reversalDate = await openDayOf(tx, invoice.company.id);
      await reverseExport(tx, invoice);
    } else await withdrawExport(tx, invoice);
    await keepRatesOfParts(tx, invoice);
    return { id: invoice.id };
  });
}

/** Parts that were taken off an invoice whose rate somebody has set keep it without that one. */
async function keepRatesOfParts(tx: TxContext, { id, byHand, reason, parentInvoice }: Invoice): Promise<void> {
  const parts = { parentInvoice: id, reason: 'partial', state: { $ne: 'voided' } } as const;
  for (const part of await tx.em.find(Invoice, parts, { filters: { tenant: false } })) {
    part.byHand ||= byHand;
    if (reason === 'partial') part.parentInvoice = parentInvoice ?? null;
  }
}

/**
 * Sets the rate of a pending invoice by hand, and computes all of it anew; null instead of a rate card or a value makes the rate of the work count again. An input
 * that says nothing changes nothing.
 * @throws Missing, Denied, also for callers who may not see the rates of its side; Invalid
 */
export function updateInvoice(ctx: Context, path: RecordPath, input: UpdateInvoiceInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    const side = sideOfRates(invoice.side, invoice.payeeDriver);
    allow(tx, `view_${side}_rates`);
    await refuseUneditable(tx, invoice);
    if (!saysRate(input)) return { id: invoice.id };
    refuseRate(invoice);
    const items: ErrorItem[] = [];
    setRate(invoice, await rateOfInput(tx, input, { companyId: invoice.company.id, side }, items), items);
    if (items.length > 0) throw new Invalid(items);
    // All lines are made anew at it.
    invoice.removedLines = [];
    for (const line of await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } })) followWork(line);
    // The facts of the work, which are read now, depend on the rate, if that pays by the day.
    await tx.em.flush();
    await refresh(tx, invoice, true);
    return { id: invoice.id };
  });
}

/** Locks an invoice after its job, for a caller who may change it. @throws Missing, Denied */
export async function lockInvoice(tx: TxContext, path: RecordPath, permission: string): Promise<Invoice> {
  const seen = await find(tx, Invoice, path.id, { companyId: path.companyId });
  allow(tx, permission);
  return lockWithWork(tx, seen);
}

/** Locks an invoice after its job or day. @throws Missing */
async function lockWithWork(tx: TxContext, seen: Invoice): Promise<Invoice> {
  // The books of a vendor follow the work of another company.
  for (const job of await jobsOf(tx, seen)) actOnBehalfOf(job.company.id);
  if (seen.job) {
    await lockAroundJobs(tx, [seen.job.id]);
    await find(tx, Job, seen.job.id, { lock: true });
  } else {
    await lockAroundDay(tx, seen.driverDay!.id);
    await find(tx, DriverDay, seen.driverDay!.id, { lock: true });
  }
  return find(tx, Invoice, seen.id, { companyId: seen.company.id, lock: true });
}

/** The job of an invoice, or those that are paid with its day. */
export async function jobsOf(tx: TxContext, { job, driverDay }: Invoice): Promise<Job[]> {
  if (job) return [await find(tx, Job, job.id)];
  return tx.em.find(Job, { driverDayId: driverDay!.id }, { orderBy: { id: 'asc' } });
}

/** Only a pending invoice is edited, and only until its week is reviewed; a supplement counts when it is approved. @throws Invalid */
export async function refuseUneditable(tx: TxContext, invoice: Invoice): Promise<void> {
  const { state, company, serviceDate } = invoice;
  if (state !== 'pending') throw new Invalid([{ model: 'Invoice', field: 'state', key: 'invoice_not_editable', params: { state } }]);
  if (!isSupplement(invoice)) await refuseReviewed(tx, { model: 'Invoice' }, { companyId: company.id, day: serviceDate });
}

/** Has an invoice say what the work says now, in the books of its company. @param isRated somebody has set its rate, which is written */
export const refresh = (tx: TxContext, { job, driverDay, company }: Invoice, isRated = false): Promise<void> =>
  asCompaniesOf(tx, { job, driverDay }, () =>
    job ? invoiceWithin(tx, job.id, [company.id], isRated) : invoiceDayWithin(tx, driverDay!.id),
  );
