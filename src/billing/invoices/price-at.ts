import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { assignmentOf } from '../charges/charged-bill.ts';
import { type DayFacts, factsOfDay } from '../days/day-facts.ts';
import { priceDay } from '../days/price-day.ts';
import type { LineEdit } from '../pricing/edits.ts';
import type { Line } from '../pricing/freight.ts';
import type { Priced } from '../pricing/price.ts';
import { booksOf, type Entry, keyOfBooks, payerOfShare, suppliesOf } from './books-of-job.ts';
import { keyOfInvoice } from './comparing/bills-of-jobs.ts';
import type { JobFacts, RateFacts } from './facts/job-facts.ts';
import { factsOfJob } from './facts/read-job-facts.ts';
import { asCompaniesOf } from './following/as-companies-of.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { FOLLOWING } from './invoice.machine.ts';
import { editsOf } from './lines/edits-of-lines.ts';
import { withAutosAsBilled, withFuelAsBilled, withTaxAsBilled, withTimeAsBilled } from './parts/as-billed.ts';
import { type PricedPart, priceParts, type WorkOfSide } from './parts/price-parts.ts';
import { rateAsBilled } from './parts/rates-of-parts.ts';
import { rebilledInvoices, rebilledRate } from './parts/rebilled.ts';
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
  const found = await asCompaniesOf(tx, invoice, () => partOf(tx, invoice, job));
  // Whoever sets the rate of a part means all of it, also what is not for a load.
  return { priced: found ? priceEntry({ ...found.part.job, isFurther: false }, { ...found.entry, rate }, found.around) : null, of: job };
}

/**
 * Prices an approved invoice at another value of its rate, which is one for all of it (BILLING B9 "rebill_rates"): what was billed stays, with its
 * minimum and increment, its charges and what somebody set on its lines, apart from other rates.
 * @param charges those of the invoice
 */
export async function priceAnew(tx: TxContext, invoice: Invoice, value: Decimal, charges: readonly AddOnCharge[]): Promise<Priced | null> {
  const rate = rebilledRate(invoice, value);
  const items = await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } });
  if (!invoice.job) {
    const found = withAutosAsBilled(only(await dayOf(tx, invoice), charges), invoice, charges);
    const day = withTimeAsBilled(withFuelAsBilled(found, [invoice]), invoice);
    return priceDay(day, rate, withoutRates(editsOf(undefined, invoice, items)));
  }
  const job = await jobOf(tx, invoice);
  const taxRate = invoice.taxRate ? decimalText(invoice.taxRate) : null;
  const found = await asCompaniesOf(tx, invoice, () => partOf(tx, invoice, { ...only(job, charges), taxRate }));
  if (!found) return null;
  const { part, entry, around } = found;
  const own = items.filter(({ correctsId }) => !correctsId);
  const edits = withoutRates(editsOf(part.job, invoice, own));
  const as = { sharedAt: rateAsBilled(invoice, entry.rate), edits, itemized: invoice.materialRateItemized };
  return priceEntry(withTaxAsBilled(part.job, invoice), { ...entry, rate }, { ...around, ...as });
}

export const jobOf = async (tx: TxContext, invoice: Invoice): Promise<JobFacts> =>
  (await asCompaniesOf(tx, invoice, () => factsOfJob((sql, values) => queryIn(tx.em, sql, values), invoice.job!.id)))!;
const dayOf = async (tx: TxContext, invoice: Invoice): Promise<DayFacts> =>
  (await asCompaniesOf(tx, invoice, () => factsOfDay(tx, invoice.driverDay!.id)))!;

/** Work with the charges that an invoice has, and no others. */
function only<W extends Pick<JobFacts, 'charges'>>(work: W, copies: readonly AddOnCharge[]): W {
  const ids = new Set(copies.flatMap((one) => [one.id, one.requestedCharge?.id, assignmentOf(one)]));
  return { ...work, charges: work.charges.filter(({ id }) => ids.has(id)) };
}

const withoutRates = (edits: readonly LineEdit[]): LineEdit[] => edits.map(({ rate: _, ...edit }) => edit);

interface Found {
  part: PricedPart;
  entry: Entry;
  around: { receivable?: readonly Line[]; invoiceId: string };
}

/** The part of the work that an invoice is for; undefined if the work is not in these books any more. */
async function partOf(tx: TxContext, invoice: Invoice, job: JobFacts): Promise<Found | undefined> {
  const key = keyOfInvoice(invoice);
  const entry = [...booksOf(job), ...suppliesOf(job)].find((one) => keyOfBooks(one) === key);
  if (!entry) return undefined;
  const payer = payerOfShare(job, entry);
  const receivable = payer ? await receivedBy(tx, job, payer) : undefined;
  const part = priceParts(await workOf(tx, job, entry, receivable)).parts.find((one) => one.invoice.id === invoice.id);
  if (!part) return undefined;
  const own = new Set(part.job.loads.map(({ id }) => id));
  const ofPart = receivable?.filter(({ loadId }) => (loadId === null ? !part.job.isFurther : own.has(loadId)));
  return { part, entry, around: { ...(ofPart ? { receivable: ofPart } : {}), invoiceId: invoice.id } };
}

/** What a company charges for a job as it is billed now, of which commissions are a share; undefined if it charges nothing. */
export async function receivedBy(tx: TxContext, job: JobFacts, companyId: string): Promise<Line[] | undefined> {
  const entry = booksOf(job).find((one) => one.side === 'receivable' && one.companyId === companyId);
  if (!entry) return undefined;
  const payer = payerOfShare(job, entry);
  return linesOf(await workOf(tx, job, entry, payer ? await receivedBy(tx, job, payer) : undefined));
}

async function workOf(tx: TxContext, job: JobFacts, entry: Entry, receivable?: readonly Line[]): Promise<WorkOfSide> {
  const { companyId: company, side, jobAssignmentId: jobAssignment, vendorAccountId, ofMaterial } = entry;
  const ofSupplier = ofMaterial ? { vendorAccount: vendorAccountId } : {};
  const same = { job: job.id, company, side, jobAssignment, ofMaterial, ...ofSupplier, state: { $ne: 'voided' } } as const;
  const live = await tx.em.find(Invoice, same, { filters: { tenant: false }, orderBy: { part: 'asc' } });
  const ofLive = { invoice: { $in: live.map(({ id }) => id) } };
  const items = await tx.em.find(InvoiceLineItem, ofLive, { filters: { tenant: false }, orderBy: { ordinality: 'asc', id: 'asc' } });
  const ofLiveToo = { addOnApplicableId: { $in: live.map(({ id }) => id) } };
  const copies = await tx.em.find(AddOnCharge, ofLiveToo, { filters: { tenant: false }, orderBy: { id: 'asc' } });
  const rebilled = await rebilledInvoices(
    tx,
    live.filter(({ state }) => !FOLLOWING.includes(state)),
  );
  return {
    ...{ job, entry, live, receivable },
    itemsOf: ({ id }) => items.filter(({ invoice }) => invoice.id === id),
    copiesOf: ({ id }) => copies.filter(({ addOnApplicableId }) => addOnApplicableId === id),
    rebilledOf: ({ id }) => rebilled.get(id),
  };
}

/** The freight of some work as it is billed now; undefined while nobody bills it. */
function linesOf(work: WorkOfSide): Line[] | undefined {
  if (work.live.length === 0) return priceEntry(work.job, work.entry, { receivable: work.receivable })?.lines;
  const { parts, late } = priceParts(work);
  if (!parts.every(({ priced }) => priced)) return undefined;
  return [...parts, ...(late ? [late] : [])].flatMap(({ priced }) => priced?.lines ?? []);
}
