import { isComplete } from '../invoices/books-of-job.ts';
import type { JobFacts, RateFacts } from '../invoices/facts/job-facts.ts';
import type { InvoiceBlocker } from '../invoices/invoice-enums.ts';
import { termsOf, termsOfRate, withCompanyFuel } from '../invoices/price-entry.ts';
import { minutesOf, workOf } from '../invoices/work-of-job.ts';
import type { LineEdit } from '../pricing/edits.ts';
import { type Figure, given, shareOf, sum } from '../pricing/figure.ts';
import { freightLines, type Line } from '../pricing/freight.ts';
import { type Priced, price } from '../pricing/price.ts';
import { type DayFacts, rateOfDriver } from './day-facts.ts';

/** The jobs of a day that are paid alike. */
interface Group {
  rate: RateFacts;
  jobs: JobFacts[];
}

/** Returns the rate of a day: that of its first job that has one; undefined if none has. */
export const rateOfDay = (day: DayFacts): RateFacts | undefined => groupsOf(day)[0]?.rate;

/**
 * Prices the pay for a day (BILLING B3 "driver day pay"): the paid minutes of the shift, at the rate of its jobs. If jobs are paid otherwise than
 * others, each rate is paid for its share of the shift, by worked minutes. Jobs without a rate go with the others.
 * @param byHand a rate that somebody set for the whole day
 * @param edits what somebody set on its lines
 * @returns null without a rate, or while the shift lasts
 */
export function priceDay(day: DayFacts, byHand?: RateFacts, edits: readonly LineEdit[] = []): Priced | null {
  const groups = byHand ? [{ rate: byHand, jobs: [...day.jobs] }] : groupsOf(day);
  const payable = payableOf(day);
  if (payable === null || groups.length === 0 || !groups.every(({ rate }) => isComplete(rate))) return null;
  const source = { type: 'DriverDay', id: day.id, version: day.version };
  const minutes = given('paid minutes of the shift', payable, source);
  const weights = groups.map(({ jobs }) =>
    sum(
      'worked minutes',
      jobs.map((job) => minutesOf(job)),
    ),
  );
  const shares = weights.map((_, i) => shareOfShift(minutes, weights, i));
  const loads = day.jobs.flatMap((job) => workOf(job, day.companyId).loads);
  const freight = groups.flatMap(({ rate }, i): Line[] => {
    if (!isComplete(rate)) return [];
    const overtime = rate.type === 'RatePerHour' && day.overtimeAfter !== null ? { overtimeAfter: day.overtimeAfter } : {};
    const shared = shares.length > 1 ? { day: { minutes: shares, place: i, others: [] } } : {};
    return freightLines({ ...termsOfRate(rate, source), ...overtime }, { loads, minutes: shares[i]!, ...shared });
  });
  const [first] = groups;
  if (!first || !isComplete(first.rate)) return null;
  return price({
    work: { loads, minutes },
    terms: termsOfRate(first.rate, source),
    freight,
    edits,
    charges: withCompanyFuel(
      day.charges.map((one) => termsOf(one, 'payable')),
      fuelRateOf(groups),
      source,
    ),
  });
}

/** The rate by which a day is charged for fuel: what jobs say differently, none of them says for the day. */
function fuelRateOf(groups: readonly Group[]): RateFacts {
  const { rate } = groups[0]!;
  const isAlike = groups.every((one) => one.rate.terms?.fuelPercentage === rate.terms?.fuelPercentage);
  return isAlike ? rate : { ...rate, terms: null };
}

/** The minutes that are paid of the shift; null while it lasts. */
const payableOf = ({ shiftMinutes, breaksPaid }: DayFacts): number | null => shiftMinutes?.[breaksPaid ? 'paid' : 'unpaid'] ?? null;

/** The minutes of one group: all, or its share; of a shift without worked minutes, all are the first group's. */
function shareOfShift(minutes: Figure, weights: readonly Figure[], i: number): Figure {
  if (weights.length === 1) return minutes;
  const isKnown = weights.some(({ value }) => value.gt(0));
  const known = isKnown ? weights : weights.map((_, at) => given('worked minutes', at === 0 ? 1 : 0));
  return shareOf('portion', 'share of the shift', minutes, known, i);
}

function groupsOf(day: DayFacts): Group[] {
  const rated = new Map<string, Group>();
  const others: JobFacts[] = [];
  for (const job of day.jobs) {
    const rate = rateOfDriver(day.companyId, job);
    // Without a wage that a project prescribes, nobody knows what the day is worth.
    if (!rate?.type) {
      others.push(job);
      continue;
    }
    const key = JSON.stringify([rate.type, rate.value, rate.minimum, rate.increment, rate.terms]);
    const group = rated.get(key);
    if (group) group.jobs.push(job);
    else rated.set(key, { rate, jobs: [job] });
  }
  const groups = [...rated.values()];
  groups[0]?.jobs.push(...others);
  return groups;
}

/** Returns why the pay for a day cannot be approved; empty if it can. */
export function blockersOfDay(day: DayFacts, rate: RateFacts | undefined, priced: Priced | null): InvoiceBlocker[] {
  return [
    ...(day.shiftMinutes === null ? (['shift_not_ended'] as const) : []),
    ...(isComplete(rate) && (priced !== null || day.shiftMinutes === null) ? [] : (['no_rate'] as const)),
    ...(day.approved ? [] : (['driver_day_not_approved'] as const)),
    ...(priced?.blockers ?? []),
  ];
}
