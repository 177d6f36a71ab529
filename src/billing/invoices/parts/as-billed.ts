import type { FigureJson } from '../../pricing/figure-json.ts';
import type { JobFacts, TimeChoices } from '../facts/job-facts.ts';
import { EXEMPT } from '../following/follow-work.ts';
import type { Invoice } from '../invoice.entity.ts';
import { FOLLOWING } from '../invoice.machine.ts';
import { PRICE_OF_FUEL } from '../price-entry.ts';

/**
 * The work with fuel at what it was billed at: a price that came or changed afterwards changes nothing of it, and no job has two prices of fuel
 * (BILLING B5, B15). What an invoice was billed at is in its explanation.
 */
export function withFuelAsBilled<W extends Pick<JobFacts, 'charges'>>(job: W, live: readonly Invoice[]): W {
  if (!job.charges.some(({ scheduleId }) => scheduleId)) return job;
  const billed = new Map<string, string>();
  for (const { state, explain } of live) if (!FOLLOWING.includes(state) && explain) noteFuel(explain as FigureJson, billed);
  if (billed.size === 0) return job;
  const charges = job.charges.map((one) => {
    const billSurcharge = billed.get(one.id);
    if (billSurcharge === undefined) return one;
    return { ...one, billSurcharge, ...(one.customerSurcharge === undefined ? {} : { customerSurcharge: billSurcharge }) };
  });
  return { ...job, charges };
}

/** The work of an invoice with a customer who pays tax, or does not, as it was when it was billed. */
export function withTaxAsBilled(job: JobFacts, { taxDescription }: Invoice): JobFacts {
  const profile = job.profiles[job.accountId] ?? { poRequired: false, poPattern: null, exempt: false, fuelLagWeeks: null };
  const exempt = taxDescription === EXEMPT;
  return profile.exempt === exempt ? job : { ...job, profiles: { ...job.profiles, [job.accountId]: { ...profile, exempt } } };
}

/** The work with what the company chose for the time that it pays, as it was when it was billed. */
export const withTimeAsBilled = <W extends TimeChoices>(work: W, { timeTerms }: Pick<Invoice, 'timeTerms'>): W =>
  timeTerms ? { ...work, ...timeTerms } : work;

function noteFuel({ label, source, amount, parts = [] }: FigureJson, billed: Map<string, string>): void {
  if (label === PRICE_OF_FUEL && source && !billed.has(source.id)) billed.set(source.id, amount);
  for (const part of parts) noteFuel(part, billed);
}
