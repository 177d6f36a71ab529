import { paidMinutesOf } from '../../../dispatch/drivers/driver-day-figures.ts';
import { planOnce, planOnceForFew } from '../../../platform/database/planned-once.ts';
import type { Query } from '../../../platform/database/sql.ts';
import { addChargesOfDays } from './charges-of-days.ts';
import { addAutoCharges, addFuel, addFuelOfAccounts } from './charges-of-jobs.ts';
import { type FactsRow, factsIn } from './facts-in-rows.ts';
import { FACTS, OF_ORDERS, SAME_DAY } from './job-facts.sql.ts';
import type { JobFacts, JobOfOrder, RateFacts } from './job-facts.ts';
import { NOT_ACCEPTED } from './job-time.sql.ts';

export { NOT_ACCEPTED };

// To plan it takes longer than to read the facts of a job, and a plan for any jobs is a good one for many.
planOnce(FACTS);

/** Returns what the invoices of a job depend on; undefined if there is no such job. @param query runs in the scope of all books concerned */
export async function factsOfJob(query: Query, jobId: string): Promise<JobFacts | undefined> {
  return (await factsOfJobs(query, [jobId])).get(jobId);
}

/**
 * The same of many jobs in a few statements, by their ids. Those that are not there are left out.
 * @param whole the jobs of which everything is read; of others, how long they took and between which sites is left out, unless they are paid by time at the rates
 *   that are noted on them. By default, all of them
 */
export async function factsOfJobs(
  query: Query,
  jobIds: readonly string[],
  whole: ReadonlySet<string> | null = null,
): Promise<Map<string, JobFacts>> {
  const untimed = new Set<string>();
  const alone = await factsAlone(query, jobIds, { whole, untimed });
  const jobs = [...alone.values()];
  const timed = new Map([...alone].filter(([id]) => !untimed.has(id)));
  const sameDay = await jobsOfSameDay(query, jobs.filter(isOfDay), timed);
  const tiered = jobs.filter((job) => job.wasCounted || ratesOf(job).some(({ terms }) => terms?.tiers));
  const ofOrder = await jobsOfOrders(query, tiered);
  const shifts = jobs.flatMap((job) =>
    job.driverDayId && ratesByTime(job).some(({ terms }) => terms?.timeBasis === 'shift') ? [[job.id, job.driverDayId] as const] : [],
  );
  const shiftOf = new Map(shifts);
  const paid = shifts.length === 0 ? undefined : await paidMinutesOf(query, [...new Set(shiftOf.values())]);
  const counted = new Set(tiered);
  return new Map(
    jobs.map((job) => [
      job.id,
      {
        ...job,
        sameDay: sameDay.get(job.id) ?? [],
        sameOrder: counted.has(job) ? (ofOrder.get(job.orderId) ?? []).filter(({ id }) => id !== job.id) : [],
        shiftMinutes: paid?.get(shiftOf.get(job.id) ?? '')?.minutes ?? null,
      },
    ]),
  );
}

/** Jobs that are read by one statement: beyond that, nothing is gained. */
const MOST = 500;

/** All rates that are noted on a job and along its links. */
const ratesOf = ({ rates, links }: Pick<JobFacts, 'rates' | 'links'>): RateFacts[] => [...Object.values(rates), ...links];

/** These, and those by which time is paid on its invoices instead. */
const ratesByTime = (job: JobFacts): Pick<RateFacts, 'type' | 'terms'>[] => [...ratesOf(job), ...job.dailyRates];

/** Whether a side of the job is paid by what was done on the whole day. */
function isOfDay(job: JobFacts): boolean {
  const isDaily = ({ type, terms }: Pick<RateFacts, 'type' | 'terms'>) =>
    type === 'RatePerDay' || terms?.minimumPer === 'day' || terms?.timeBasis === 'portal' || terms?.timeBasis === 'shift';
  const hasOvertime = job.overtimeAfter !== null || job.hadOvertime;
  return ratesByTime(job).some(isDaily) || (hasOvertime && job.rates.driver?.type === 'RatePerHour');
}

/** The jobs of the same driver and date, by the id of each job. @param known the facts that have been read, with how long each took */
async function jobsOfSameDay(query: Query, jobs: readonly JobFacts[], known: Map<string, JobFacts>): Promise<Map<string, JobFacts[]>> {
  if (jobs.length === 0) return new Map();
  const ids = jobs.map(({ id }) => id);
  const rows = await query<{ jobId: string; id: string }>(planOnceForFew(SAME_DAY, ids.length), [ids, NOT_ACCEPTED]);
  const missing = [...new Set(rows.flatMap(({ id }) => (known.has(id) ? [] : [id])))];
  const others = new Map([...known, ...(missing.length === 0 ? [] : await factsAlone(query, missing))]);
  const found = Map.groupBy(rows, ({ jobId }) => jobId);
  return new Map([...found].map(([jobId, of]) => [jobId, of.map(({ id }) => others.get(id)!)]));
}

/** The jobs of the orders of some jobs, by the id of the order. */
async function jobsOfOrders(query: Query, jobs: readonly JobFacts[]): Promise<Map<string, JobOfOrder[]>> {
  if (jobs.length === 0) return new Map();
  const orders = [...new Set(jobs.map(({ orderId }) => orderId))];
  const rows = await query<{ orderId: string; facts: JobOfOrder }>(planOnceForFew(OF_ORDERS, orders.length), [orders, NOT_ACCEPTED]);
  const found = Map.groupBy(rows, ({ orderId }) => orderId);
  return new Map([...found].map(([orderId, of]) => [orderId, of.map(({ facts }) => facts)]));
}

/** Which jobs everything is read of; all of them if it is null. Of others that are not paid by time it is left out how long they took: `untimed` gets their ids. */
interface Extent {
  whole: ReadonlySet<string> | null;
  untimed: Set<string>;
}

async function factsAlone(query: Query, jobIds: readonly string[], extent?: Extent): Promise<Map<string, JobFacts>> {
  const jobs = await requestedFacts(query, jobIds, extent);
  await addAutoCharges(query, jobs);
  await addChargesOfDays(query, jobs, (ids) => requestedFacts(query, ids));
  const fueled = jobs.flatMap(({ companies, charges }) =>
    charges.map((charge) => ({ charge, date: companies.find(({ id }) => id === charge.companyId)?.fuelDate })),
  );
  await addFuel(query, fueled);
  await addFuelOfAccounts(query, jobs);
  return new Map(jobs.map((job) => [job.id, job]));
}

/** The facts of jobs without what comes by itself, and with no price of fuel. */
async function requestedFacts(query: Query, jobIds: readonly string[], extent?: Extent): Promise<JobFacts[]> {
  const whole = extent?.whole && [...extent.whole];
  const jobs: JobFacts[] = [];
  for (let from = 0; from < jobIds.length; from += MOST) {
    const ids = jobIds.slice(from, from + MOST);
    for (const row of await query<FactsRow>(FACTS, [ids, whole ?? null])) {
      const job = Object.assign(factsIn(row), { sameDay: [], sameOrder: [], shiftMinutes: null });
      if (!row.timed) extent?.untimed.add(job.id);
      jobs.push(job);
    }
  }
  return jobs;
}
