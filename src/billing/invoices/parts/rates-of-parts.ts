import { Decimal } from '../../../platform/decimal.ts';
import type { Entry } from '../books-of-job.ts';
import type { RateFacts } from '../facts/job-facts.ts';
import type { Invoice } from '../invoice.entity.ts';
import { FOLLOWING, isSupplement } from '../invoice.machine.ts';
import { rateOf } from '../write-price.ts';
import type { Rebilled } from './rebilled.ts';

/** The invoices of some work on one side in one company's books, in the order of their parts, and the rate that was noted for it. */
export interface RatedWork {
  live: readonly Invoice[];
  entry: Pick<Entry, 'rate'>;
  rebilledOf(invoice: Invoice): Rebilled | undefined;
}

/**
 * The rate of a part: of a pending one, what somebody set on it; then what corrected the rate of all of the work since it was billed; then what it is
 * billed anew at; and otherwise what was noted, or what somebody set on the part that it was taken off.
 */
export function rateOfPart(invoice: Invoice, { live, entry, rebilledOf }: RatedWork): Entry['rate'] {
  if (isOpen(invoice) && !isSupplement(invoice) && invoice.byHand) return rateOf(invoice);
  const corrected = correctionOf(live);
  if (corrected) return rateOf(corrected);
  const own = isSupplement(invoice) ? live.find((one) => !isSupplement(one))! : invoice;
  const rebilled = rebilledOf(own);
  if (rebilled) return rebilled.rate;
  const byHand = setByHand(own, live);
  if (!byHand) return isOpen(own) ? entry.rate : rateCardAsBilled(own, entry.rate);
  return rateOf(isOpen(own) ? byHand : own);
}

const correctionOf = (live: readonly Invoice[]): Invoice | undefined => live.findLast((one) => isSupplement(one) && one.byHand);

/** Whether a supplement corrects the rate of all of the work. */
export const isCorrected = (live: readonly Invoice[]): boolean => correctionOf(live) !== undefined;

const isOpen = ({ state }: Invoice): boolean => FOLLOWING.includes(state);

/** The part on which somebody set the rate of a part: itself, or one that it was taken off. */
function setByHand(part: Invoice, live: readonly Invoice[]): Invoice | undefined {
  if (part.byHand || part.reason !== 'partial') return part.byHand ? part : undefined;
  const from = live.find(({ id }) => id === part.parentInvoice?.id);
  return from && setByHand(from, live);
}

/** A rate card that is changed later changes nothing that was billed by it (BILLING B5). */
export function rateCardAsBilled(invoice: Invoice, noted: Entry['rate']): Entry['rate'] {
  const billed = rateOf(invoice);
  if (!noted?.rateId || noted.rateId !== billed.rateId || isSameRate(billed, noted)) return noted;
  // The rate card was chosen for the same reason; only what it says is another thing by now.
  return { ...billed, ...(noted.chosen ? { chosen: noted.chosen } : {}) };
}

/** The rate by which an invoice was priced, in the words in which it was noted if it is that one. */
export function rateAsBilled(invoice: Invoice, noted: Entry['rate']): Entry['rate'] {
  const billed = rateOf(invoice);
  return isSameRate(billed, noted) ? noted : billed;
}

/** Whether two rates pay the same for the same. */
export const isSameRate = (one: Entry['rate'], other: Entry['rate']): boolean => keyOf(one) === keyOf(other);

const keyOf = (rate: Entry['rate']): string => {
  const { type, value, minimum, increment, terms }: Partial<RateFacts> = rate ?? {};
  const numbers = [value, minimum, increment].map((text) => (text == null ? null : new Decimal(text).toFixed()));
  return JSON.stringify([type ?? null, ...numbers, terms ?? {}]);
};
