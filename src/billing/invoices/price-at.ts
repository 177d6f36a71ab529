import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { factsOfDay } from '../days/day-facts.ts';
import { priceDay } from '../days/price-day.ts';
import type { Priced } from '../pricing/price.ts';
import { booksOf, type Entry, keyOfBooks } from './books-of-job.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { factsOfJob, type JobFacts, type RateFacts } from './job-facts.ts';
import { divideWork } from './parts/parts-of-work.ts';
import { priceEntry } from './price-entry.ts';
import { rateOf, type timesOf } from './write-price.ts';

interface PricedAt {
  /** Null if the work is not in these books any more. */
  priced: Priced | null;
  /** The work, for its times. */
  of: Parameters<typeof timesOf>[1];
}

/** Prices the work of an invoice at another rate, by the same computation as the invoice itself; nothing is written. */
export async function priceAt(tx: TxContext, invoice: Invoice, rate: RateFacts): Promise<PricedAt> {
  if (!invoice.job) {
    const day = (await factsOfDay(tx, invoice.driverDay!.id))!;
    return { priced: priceDay(day, rate), of: day };
  }
  const job = (await factsOfJob((sql, values) => queryIn(tx.em, sql, values), invoice.job.id))!;
  return { priced: await priceJobAt(tx, invoice, rate, job), of: job };
}

async function priceJobAt(tx: TxContext, invoice: Invoice, rate: RateFacts, job: JobFacts): Promise<Priced | null> {
  const books = booksOf(job);
  const key = keyOfBooks(invoice.company.id, invoice.side, invoice.jobAssignment?.id);
  const entry = books.find((one) => keyOfBooks(one.companyId, one.side, one.jobAssignmentId) === key);
  const received = books.find((one) => one.side === 'receivable' && one.companyId === invoice.company.id);
  const receivable =
    invoice.side === 'payable' && received
      ? priceEntry(job, { ...received, rate: await rateOfReceivable(tx, invoice, received) }, {})?.lines
      : undefined;
  if (!entry) return null;
  const part = await partOfInvoice(tx, invoice, job);
  const own = new Set(part.loads.map(({ id }) => id));
  return priceEntry(
    part,
    { ...entry, rate },
    { receivable: receivable?.filter(({ loadId }) => !loadId || own.has(loadId)), invoiceId: invoice.id },
  );
}

/** The job with the loads of an invoice that is for some of them. */
async function partOfInvoice(tx: TxContext, invoice: Invoice, job: JobFacts): Promise<JobFacts> {
  const { company, side, jobAssignment } = invoice;
  const same = { job: job.id, company: company.id, side, jobAssignment: jobAssignment?.id ?? null, state: { $ne: 'voided' } } as const;
  const live = await tx.em.find(Invoice, same, { filters: { tenant: false }, orderBy: { part: 'asc' } });
  if (live.length < 2) return job;
  const items = await tx.em.find(InvoiceLineItem, { invoice: { $in: live.map(({ id }) => id) } }, { filters: { tenant: false } });
  const { parts } = divideWork(job, live, ({ id }) => items.filter((item) => item.invoice.id === id));
  return parts.find((one) => one.invoice.id === invoice.id)?.job ?? { ...job, loads: [] };
}

/** The rate of the books' own receivable, of which a commission is a share: as it was set by hand, or as it was noted. */
async function rateOfReceivable(tx: TxContext, { company, job }: Invoice, own: Entry): Promise<Entry['rate']> {
  const live = { job: job!.id, company: company.id, side: 'receivable', part: 1, state: { $ne: 'voided' } } as const;
  const receivable = await tx.em.findOne(Invoice, live, { filters: { tenant: false } });
  return receivable?.byHand ? rateOf(receivable) : own.rate;
}
