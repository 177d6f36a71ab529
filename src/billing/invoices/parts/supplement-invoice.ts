import { ref } from '@mikro-orm/core';
import type { ChangedWork, Supplements } from '../../../dispatch/checks/supplements.ts';
import { allow } from '../../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Conflict, type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { beginDay, invoiceDayWithin } from '../../days/invoice-day.ts';
import { booksOfInvoice } from '../comparing/bills-of-jobs.ts';
import { invoiceWithin } from '../comparing/invoice-jobs.ts';
import { asCompaniesOf } from '../following/as-companies-of.ts';
import { beginPart } from '../following/follow-work.ts';
import { Invoice } from '../invoice.entity.ts';
import type { UpdateInvoiceInput } from '../invoice.inputs.ts';
import { FOLLOWING, isSupplement } from '../invoice.machine.ts';
import { lockInvoice, refresh } from '../invoice-commands.ts';
import { rateOfInput, refuseRate, saysRate, setRate, sideOfRates } from '../rate-by-hand.ts';
import { isLocked } from './late-work.ts';
import { sameWork } from './refuse-supplemented.ts';

const model = 'Invoice';

/**
 * Bills what differs from what was billed (BILLING B2.4): late tickets, corrections, and, if the input says so, another rate of all of it. One that is
 * pending is computed anew.
 * @returns the supplement
 * @throws Missing, Denied; Invalid for a wrong rate; Conflict if the invoice follows the work still, or nothing differs
 */
export function supplementInvoice(ctx: Context, path: RecordPath, input: UpdateInvoiceInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    const side = sideOfRates(invoice.side, invoice.payeeDriver);
    allow(tx, `view_${side}_rates`);
    const refuse = (key: string) => new Conflict([{ model, field: 'state', key, state: invoice.state, params: { state: invoice.state } }]);
    if (invoice.state === 'voided' || FOLLOWING.includes(invoice.state)) throw refuse('no_supplement_yet');
    if (saysRate(input)) refuseRate(invoice);
    const items: ErrorItem[] = [];
    const rate = await rateOfInput(tx, input, { companyId: invoice.company.id, side }, items);
    const made = await pendingOf(tx, invoice);
    if (saysRate(input)) setRate(made, rate, items);
    if (items.length > 0) throw new Invalid(items);
    await tx.em.flush();
    await refresh(tx, invoice);
    if (made.state === 'voided') throw refuse('nothing_to_supplement');
    return { id: made.id };
  });
}

/** The supplement of the work of an invoice that nobody has approved yet, or a new one. */
async function pendingOf(tx: TxContext, invoice: Invoice): Promise<Invoice> {
  const live = await tx.em.find(Invoice, sameWork(invoice), { filters: { tenant: false }, orderBy: { part: 'asc' } });
  const present = live.find((one) => isSupplement(one) && FOLLOWING.includes(one.state));
  if (present) return present;
  const { company, job, driverDay, payeeDriver, order, currency, serviceDate } = invoice;
  const books = { id: company.id, currency, serviceDate };
  const part = { part: live.at(-1)!.part + 1, reason: 'correction', parentInvoice: ref(invoice) } as const;
  if (!job) return beginDay(tx, { id: driverDay!.id, companyId: company.id, driverId: payeeDriver!.id, currency, serviceDate }, part);
  return beginPart(tx, { id: job.id, orderId: order!.id, companies: [books] }, booksOfInvoice(invoice), part);
}

/** Whether something that is approved of some work in one company's books cannot be unapproved any more. @param ids of the invoices that are meant */
async function isAnyLocked(tx: TxContext, work: ChangedWork, ids?: readonly string[]): Promise<boolean> {
  // A day is locked by who asks.
  if ('jobId' in work) await queryIn(tx.em, 'select from job where id = $1 for key share', [work.jobId]);
  const asked = ids ? await tx.em.find(Invoice, { id: { $in: [...ids] } }, { filters: { tenant: false } }) : await billedOf(tx, work);
  for (const invoice of asked) if (await isLocked(tx, invoice)) return true;
  return false;
}

/** The approved invoices of some work: the first part of it on its side. */
async function billedOf(tx: TxContext, work: ChangedWork): Promise<Invoice[]> {
  const of = 'jobId' in work ? { job: work.jobId } : { driverDay: work.dayId };
  const live = { ...of, company: work.companyId, state: { $ne: 'voided' } } as const;
  const found = await tx.em.find(Invoice, live, { filters: { tenant: false }, orderBy: { part: 'asc', id: 'asc' } });
  return found.filter((one) => !isSupplement(one) && !FOLLOWING.includes(one.state));
}

/**
 * Bills in one company's books what has changed of work that is settled there: on each side that cannot be taken back and says something else now. The
 * change must be written.
 */
async function supplementWork(tx: TxContext, work: ChangedWork): Promise<void> {
  for (const invoice of await billedOf(tx, work)) {
    if (!(await isLocked(tx, invoice))) continue;
    await pendingOf(tx, invoice);
    // Another part of the same side finds it, and has no second one.
    await tx.em.flush();
  }
  if ('jobId' in work) {
    const { jobId, companyId } = work;
    return asCompaniesOf(tx, { job: { id: jobId } }, () => invoiceWithin(tx, jobId, [companyId]));
  }
  return asCompaniesOf(tx, { driverDay: { id: work.dayId } }, () => invoiceDayWithin(tx, work.dayId));
}

/** Changes of settled work, as whoever changes it asks for. */
export const supplementsOfWork: Supplements = { areDue: isAnyLocked, make: supplementWork };
