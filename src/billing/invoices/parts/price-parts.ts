import type { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import type { Line } from '../../pricing/freight.ts';
import type { Priced } from '../../pricing/price.ts';
import type { Entry } from '../books-of-job.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { FOLLOWING, isSupplement } from '../invoice.machine.ts';
import { editsOf } from '../lines/edits-of-lines.ts';
import { priceEntry } from '../price-entry.ts';
import { isSettledWork } from '../work-of-job.ts';
import { withAutosAsBilled, withDensityAsBilled, withFuelAsBilled, withTaxAsBilled, withTimeAsBilled } from './as-billed.ts';
import { divideWork } from './parts-of-work.ts';
import { isCorrected, isSameRate, type RatedWork, rateAsBilled, rateOfPart } from './rates-of-parts.ts';

/** The invoices of a job on one side in one company's books, and what their price depends on. */
export interface WorkOfSide extends RatedWork {
  job: JobFacts;
  entry: Entry;
  /** The lines of the company's receivable for the same work, of which commissions are a share. */
  receivable: readonly Line[] | undefined;
  itemsOf(invoice: Invoice): readonly InvoiceLineItem[];
  copiesOf(invoice: Invoice): readonly AddOnCharge[];
  /** Work that is not finished is priced as far as it is done, too: nothing of it is written. */
  isPreview?: boolean;
}

/** The price of some loads as they are now. */
export interface PricedLoads {
  /** The job with these loads alone. */
  job: JobFacts;
  rate: Entry['rate'];
  /** Material is a line of its own. */
  itemized: boolean;
  /** Without what somebody set on lines; null while there is no price. */
  ofWork: Priced | null;
  priced: Priced | null;
}

/** A part of the work with the invoice that is for it. */
export interface PricedPart extends PricedLoads {
  invoice: Invoice;
}

export interface PricedWork {
  parts: PricedPart[];
  /** Work that came after it was billed; null if there is none. */
  late: PricedLoads | null;
}

/**
 * Prices the parts of some work as they should be billed now, each for its own loads (BILLING B2.4). Bands of a rate are counted over all that is paid
 * at it, and what is not for a load, such as time, is paid once.
 */
export function priceParts(work: WorkOfSide): PricedWork {
  const { live } = work;
  const job = withDensityAsBilled(withFuelAsBilled(bought(work), live), live);
  const divided = divideWork(job, live, work.itemsOf);
  const parts = divided.parts.map(({ invoice, job: part }) => ({
    invoice,
    rate: rateOfPart(invoice, work),
    job: withTime(part, invoice, live),
  }));
  const present = pendingSupplement(live);
  const late = divided.late && { invoice: present, rate: rateOfLate(work), job: divided.late };
  const all = [...parts, ...(late ? [late] : [])];
  const price = (one: Part) => pricePart(work, { ...one, job: withOthers(one, all) });
  return { parts: parts.map((one) => ({ ...price(one), invoice: one.invoice })), late: late && price(late) };
}

/** Of material, what was bought of the supplier who is paid. */
const bought = ({ job, entry: { ofMaterial, vendorAccountId } }: WorkOfSide): JobFacts =>
  ofMaterial ? { ...job, loads: job.loads.filter(({ supplierId }) => supplierId === vendorAccountId) } : job;

/** The supplement of some work that nobody has approved yet. */
export const pendingSupplement = (live: readonly Invoice[]): Invoice | undefined =>
  live.find((one) => isSupplement(one) && FOLLOWING.includes(one.state));

/** The rate of what was billed, for work that came later. */
const rateOfLate = (work: RatedWork): Entry['rate'] =>
  rateOfPart(work.live.find((one) => !(isSupplement(one) || FOLLOWING.includes(one.state))) ?? work.live[0]!, work);

interface Part {
  /** Undefined of work that no invoice is for yet. */
  invoice: Invoice | undefined;
  rate: Entry['rate'];
  job: JobFacts;
}

/** Whoever sets the rate of a part means all of it, also what is not for a load. */
function withTime(part: JobFacts, invoice: Invoice, live: readonly Invoice[]): JobFacts {
  const isOwn = invoice.byHand && !isSupplement(invoice) && (FOLLOWING.includes(invoice.state) || !isCorrected(live));
  return isOwn ? { ...part, isFurther: false } : part;
}

function withOthers(part: Part, all: readonly Part[]): JobFacts {
  const others = all.filter((one) => one !== part && isSameRate(one.rate, part.rate));
  return others.length === 0 ? part.job : { ...part.job, loadsOfOthers: others.flatMap(({ job }) => job.loads) };
}

const asBilled = (job: JobFacts, invoice: Invoice, copies: readonly AddOnCharge[]): JobFacts =>
  withTimeAsBilled(withTaxAsBilled(withAutosAsBilled(job, invoice, copies), invoice), invoice);

function pricePart(
  { entry, job: whole, receivable, itemsOf, copiesOf, rebilledOf, isPreview }: WorkOfSide,
  { invoice, rate, job: loadsOfPart }: Part,
): PricedLoads {
  const isBilled = invoice !== undefined && !FOLLOWING.includes(invoice.state);
  const job = isBilled ? asBilled(loadsOfPart, invoice, copiesOf(invoice)) : loadsOfPart;
  const itemized = isBilled ? invoice.materialRateItemized : entry.ofMaterial || (entry.isTop && whole.itemized);
  const loads = new Set(job.loads.map(({ id }) => id));
  const around = {
    receivable: receivable?.filter(({ loadId }) => (loadId === null ? !job.isFurther : loads.has(loadId))),
    ...(invoice ? { invoiceId: invoice.id } : {}),
    ...(invoice && rebilledOf(invoice)?.rate === rate ? { sharedAt: rateAsBilled(invoice, entry.rate) } : {}),
    itemized,
  };
  const at = { ...entry, rate };
  const ofWork = isPreview || isSettledWork(job) ? priceEntry(job, at, around) : null;
  const items = invoice ? itemsOf(invoice).filter(({ correctsId }) => !correctsId) : [];
  const edits = invoice && ofWork ? editsOf(job, invoice, items) : [];
  return { job, rate, itemized, ofWork, priced: edits.length > 0 ? priceEntry(job, at, { ...around, edits }) : ofWork };
}
