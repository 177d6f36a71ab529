import { given, sourceSince } from '../../pricing/figure.ts';
import type { LoadFacts, WorkFacts } from '../../pricing/freight.ts';
import { booksOf, type Entry, keyOfBooks } from '../books-of-job.ts';
import type { JobFacts, JobOfOrder } from '../facts/job-facts.ts';
import { payerOf } from '../time-of-job.ts';
import { DENSITY } from '../work-of-job.ts';

type CountedJob = Pick<JobOfOrder, 'id' | 'number' | 'loads'>;

/**
 * Returns the completed loads of an order over which the tiers of a rate are counted, in the order in which they were completed (BILLING B3 "tiers"):
 * those of all jobs that the same side pays at the same rate, finished or not. A rate that was set by hand is for one job alone, with all of its parts.
 */
export function orderOf(job: JobFacts, entry: Entry): Pick<WorkFacts, 'order'> {
  if (!entry.rate?.terms?.tiers) return {};
  const key = payerOf(entry);
  const isAlike = (one: JobOfOrder) =>
    booksOf(one).some((other) => !isByHand(one, other) && payerOf({ ...other, rate: other.rate ?? entry.rate }) === key);
  const own = { ...job, loads: [...job.loads, ...(job.loadsOfOthers ?? [])] };
  const loads = [own, ...(isByHand(job, entry) ? [] : job.sameOrder.filter(isAlike))].flatMap(completedOf);
  loads.sort((a, b) => a.at - b.at || a.number - b.number || a.place - b.place);
  return { order: { source: { type: 'Order', id: job.orderId, version: job.orderVersion }, loads: loads.map(({ load }) => load) } };
}

const isByHand = ({ byHand }: Pick<JobFacts, 'byHand'>, entry: Entry): boolean => byHand.includes(keyOfBooks(entry));

/** Loads of which nobody knows when they were completed are the last ones. */
const completedOf = ({ number, loads }: CountedJob) =>
  loads
    .filter(({ state }) => state === 'completed')
    .map((one) => ({ at: one.completedAt ?? Number.MAX_SAFE_INTEGER, number, place: one.ordinality, load: asFact(one) }));

const asFact = ({ id, loadId, quantity, unit, density, densitySince, materialId }: CountedJob['loads'][number]): LoadFacts => ({
  ...{ id, number: loadId, unit, quantity: quantity === null ? null : given(`load ${loadId}`, quantity, { type: 'Load', id }) },
  ...(density === null ? {} : { density: given(DENSITY, density, sourceSince('Material', materialId!, densitySince)) }),
});

/** Returns the quantities for which the loads of a job count in the books of an invoice, to find that they changed; null if nothing is counted. */
export function countedOf(job: JobFacts, entry: Entry): string[] | null {
  if (!entry.rate?.terms?.tiers || isByHand(job, entry)) return null;
  const loads = job.loads.filter(({ state }) => state === 'completed');
  return loads.length === 0
    ? null
    : [
        payerOf(entry),
        ...loads.map(({ id, completedAt, quantity, unit, density }) => [id, completedAt, quantity, unit, density].join(' ')),
      ];
}
