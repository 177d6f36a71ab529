import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { type DayFacts, factsOfDay } from '../days/day-facts.ts';
import { priceDay } from '../days/price-day.ts';
import type { LineEdit } from '../pricing/edits.ts';
import type { Line } from '../pricing/freight.ts';
import type { Priced } from '../pricing/price.ts';
import { booksOf, type Entry, keyOfBooks, payerOfShare, suppliesOf } from './books-of-job.ts';
import { type Bills, billsOfJobs, keyOfInvoice } from './comparing/bills-of-jobs.ts';
import type { JobFacts, RateFacts } from './facts/job-facts.ts';
import { factsOfJob, factsOfJobs } from './facts/read-job-facts.ts';
import { asCompaniesOf, asCompaniesOfJobs } from './following/as-companies-of.ts';
import { type Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { editsOf } from './lines/edits-of-lines.ts';
import {
  withAutosAsBilled,
  withFuelAsBilled,
  withRequestsAsBilled,
  withTaxAsBilled,
  withTaxedAsBilled,
  withTimeAsBilled,
  withWaitingAsBilled,
} from './parts/as-billed.ts';
import { type PricedPart, priceParts, type WorkOfSide } from './parts/price-parts.ts';
import { rateAsBilled } from './parts/rates-of-parts.ts';
import { rebilledRate } from './parts/rebilled.ts';
import { priceEntry } from './price-entry.ts';
import type { timesOf } from './write-price.ts';

interface PricedAt {
  /** Null if the work is not in these books any more. */
  priced: Priced | null;
  /** The work, for its times. */
  of: Parameters<typeof timesOf>[1];
}

/**
 * Prices the work of an invoice at another rate, by the same computation as the invoice itself and without what somebody set on its lines; nothing is
 * written.
 */
export async function priceAt(tx: TxContext, invoice: Invoice, rate: RateFacts): Promise<PricedAt> {
  if (!invoice.job) {
    const day = await dayOf(tx, invoice);
    return { priced: priceDay(day, rate), of: day };
  }
  const job = await jobOf(tx, invoice);
  const found = await asCompaniesOf(tx, invoice, async () => partOf(invoice, job, await billsOf(tx, [job])));
  // Whoever sets the rate of a part means all of it, also what is not for a load.
  return { priced: found ? priceEntry({ ...found.part.job, isFurther: false }, { ...found.entry, rate }, found.around) : null, of: job };
}

/** An invoice that is priced at another value of its rate. */
export interface ToPriceAnew {
  invoice: Invoice;
  value: Decimal;
}

/** The most jobs whose facts are in memory at a time, as with the worker. */
const TOGETHER = 50;

/**
 * Prices approved invoices at other values of their rates, each of which is one for all of its invoice (BILLING B9 "rebill_rates"): what was billed stays,
 * with its minimum and increment, its charges and what somebody set on its lines, apart from other rates. Jobs are read in sets.
 * @returns prices by the ids of the invoices; those whose work is not in their books any more have none
 */
export async function priceAnew(tx: TxContext, asked: readonly ToPriceAnew[]): Promise<Map<string, Priced>> {
  const found = new Map<string, Priced>();
  const note = ({ invoice }: ToPriceAnew, priced: Priced | null) => void (priced && found.set(invoice.id, priced));
  const ofJobs = Map.groupBy(
    asked.filter(({ invoice }) => invoice.job),
    ({ invoice }) => invoice.job!.id,
  );
  await asCompaniesOfJobs(tx, [...ofJobs.keys()], {
    most: TOGETHER,
    work: async (jobIds) => {
      const jobs = await factsOfJobs((sql, values) => queryIn(tx.em, sql, values), jobIds);
      const bills = await billsOf(tx, [...jobs.values()]);
      for (const [id, job] of jobs) for (const one of ofJobs.get(id)!) note(one, jobAnew(job, bills, one));
    },
  });
  for (const one of asked) if (!one.invoice.job) note(one, await dayAnew(tx, one));
  return found;
}

function jobAnew(job: JobFacts, bills: Bills, { invoice, value }: ToPriceAnew): Priced | null {
  const rate = rebilledRate(invoice, value);
  const found = partOf(invoice, withTaxedAsBilled(withRequestsAsBilled(job, invoice, bills.copiesOf(invoice)), invoice), bills);
  if (!found) return null;
  const { part, entry, around } = found;
  const own = bills.itemsOf(invoice).filter(({ correctsId }) => !correctsId);
  const edits = withoutRates(editsOf(part.job, invoice, own));
  const as = { sharedAt: rateAsBilled(invoice, entry.rate), edits, itemized: invoice.materialRateItemized };
  return priceEntry(withWaitingAsBilled(withTaxAsBilled(part.job, invoice)), { ...entry, rate }, { ...around, ...as });
}

async function dayAnew(tx: TxContext, { invoice, value }: ToPriceAnew): Promise<Priced | null> {
  const items = await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } });
  const charges = await tx.em.find(AddOnCharge, { addOnApplicableId: invoice.id }, { filters: { tenant: false } });
  const found = withAutosAsBilled(withRequestsAsBilled(await dayOf(tx, invoice), invoice, charges), invoice, charges);
  const day = withWaitingAsBilled(withTimeAsBilled(withFuelAsBilled(found, [invoice]), invoice));
  return priceDay(day, rebilledRate(invoice, value), withoutRates(editsOf(undefined, invoice, items)));
}

export const jobOf = async (tx: TxContext, invoice: Invoice): Promise<JobFacts> =>
  (await asCompaniesOf(tx, invoice, () => factsOfJob((sql, values) => queryIn(tx.em, sql, values), invoice.job!.id)))!;
const dayOf = async (tx: TxContext, invoice: Invoice): Promise<DayFacts> =>
  (await asCompaniesOf(tx, invoice, () => factsOfDay(tx, invoice.driverDay!.id)))!;

const withoutRates = (edits: readonly LineEdit[]): LineEdit[] => edits.map(({ rate: _, ...edit }) => edit);

interface Found {
  part: PricedPart;
  entry: Entry;
  around: { receivable?: readonly Line[]; invoiceId: string };
}

/** Reads the invoices of jobs in the books of all companies that they are in. */
const billsOf = (tx: TxContext, jobs: readonly JobFacts[]): Promise<Bills> =>
  billsOfJobs(
    tx,
    jobs.map(({ id }) => id),
    [...new Set(jobs.flatMap((job) => booksOf(job).map(({ companyId }) => companyId)))],
  );

/** The part of the work that an invoice is for; undefined if the work is not in these books any more. */
function partOf(invoice: Invoice, job: JobFacts, bills: Bills): Found | undefined {
  const key = keyOfInvoice(invoice);
  const entry = [...booksOf(job), ...suppliesOf(job)].find((one) => keyOfBooks(one) === key);
  if (!entry) return undefined;
  const payer = payerOfShare(job, entry);
  const receivable = payer ? receivedIn(bills, job, payer) : undefined;
  const part = priceParts(workOf(bills, job, entry, receivable)).parts.find((one) => one.invoice.id === invoice.id);
  if (!part) return undefined;
  const own = new Set(part.job.loads.map(({ id }) => id));
  const ofPart = receivable?.filter(({ loadId }) => (loadId === null ? !part.job.isFurther : own.has(loadId)));
  return { part, entry, around: { ...(ofPart ? { receivable: ofPart } : {}), invoiceId: invoice.id } };
}

/** Returns the lines of a company's receivable for a job as it is billed now, of which commissions are a share; undefined if it charges nothing. */
export const receivedBy = async (tx: TxContext, job: JobFacts, companyId: string): Promise<Line[] | undefined> =>
  receivedIn(await billsOf(tx, [job]), job, companyId);

function receivedIn(bills: Bills, job: JobFacts, companyId: string): Line[] | undefined {
  const entry = booksOf(job).find((one) => one.side === 'receivable' && one.companyId === companyId);
  if (!entry) return undefined;
  const payer = payerOfShare(job, entry);
  return linesOf(workOf(bills, job, entry, payer ? receivedIn(bills, job, payer) : undefined));
}

function workOf(bills: Bills, job: JobFacts, entry: Entry, receivable?: readonly Line[]): WorkOfSide {
  const key = keyOfBooks(entry);
  const live = bills.ofJob(job.id).filter((one) => keyOfInvoice(one) === key);
  return { ...bills, ...{ job, entry, live, receivable } };
}

/** The freight of some work as it is billed now; undefined while nobody bills it. */
function linesOf(work: WorkOfSide): Line[] | undefined {
  if (work.live.length === 0) return priceEntry(work.job, work.entry, { receivable: work.receivable })?.lines;
  const { parts, late } = priceParts(work);
  if (!parts.every(({ priced }) => priced)) return undefined;
  return [...parts, ...(late ? [late] : [])].flatMap(({ priced }) => priced?.lines ?? []);
}
