import { type Figure, given, shareOf, sourceSince, sum } from '../pricing/figure.ts';
import type { Terms, WorkFacts } from '../pricing/freight.ts';
import { billedOf } from '../pricing/time.ts';
import { booksOf, type Entry, isByTime, isComplete, keyOfBooks } from './books-of-job.ts';
import type { JobFacts, RateFacts } from './facts/job-facts.ts';
import { minutesByHand } from './lines/edits-of-lines.ts';
import { hasOpenLoad, isFinished, minutesOf, paysBreaks } from './work-of-job.ts';

/** Drivers are paid for overtime, if their company does that. */
export const overtimeOf = ({ overtimeAfter }: JobFacts, { payeeDriverId, rate }: Entry): Pick<Terms, 'overtimeAfter'> =>
  payeeDriverId !== null && overtimeAfter !== null && rate?.type === 'RatePerHour' ? { overtimeAfter } : {};

/** The time that is paid of a job. */
type PaidTime = Pick<WorkFacts, 'minutes' | 'isTimeKnown' | 'day'>;
const NOT_KNOWN: Partial<PaidTime> = { minutes: given('not known', 0), isTimeKnown: false };

/**
 * Returns the time that is paid of a job on a side: its own, or as a part of the day of its driver, where a day, a minimum of the day, the time away from
 * the home base, the shift or overtime is paid (BILLING B3).
 */
export function timeOf(job: JobFacts, entry: Entry): Partial<PaidTime> {
  const time = timeAlike(job, entry);
  const earlier = earlierOf(job, entry);
  return time.day && earlier.length > 0 ? { ...time, day: { ...time.day, earlier: earlier.flatMap(({ billed }) => billed ?? []) } } : time;
}

/** The same by the jobs that are paid at the same rate alone. */
function timeAlike(job: JobFacts, entry: Entry): Partial<PaidTime> {
  const { rate } = entry;
  if (!rate?.type || !isByTime(rate.type)) return {};
  const basis = rate.terms?.timeBasis ?? 'job';
  const breaks = paysBreaks(job, entry);
  const minutesFor = (one: JobFacts) => (basis === 'site' ? siteMinutesOf(one, breaks ?? false) : minutesOf(one, breaks ?? false));
  const minutes = minutesFor(job);
  if (!minutes) return NOT_KNOWN;
  if (!isOfDay(job, entry)) return { minutes };
  const alike = jobsAlike(job, entry).filter((one) => one === job || isDone(one));
  const worked = (one: JobFacts) => minutesFor(one) ?? given('not known', 0);
  const isWhole = basis === 'portal' || basis === 'shift';
  const own = alike.map((one) => (one === job || isWhole ? undefined : paidByHand(one, entry)) ?? worked(one));
  const others = alike.filter((one) => one !== job).map(({ jobId }) => jobId);
  const day = { minutes: own, place: alike.indexOf(job), others };
  if (!isWhole) return { minutes, day };
  const whole = wholeOf(job, basis, breaks ?? job.breaksPaid);
  if (!whole) return NOT_KNOWN;
  // Of a day with work for others, they pay for their part.
  const rest = [
    ...job.sameDay.filter((one) => !alike.includes(one) && isDone(one)).map((one) => minutesOf(one)),
    ...job.othersOfDay.flatMap(({ minutes }) => (minutes === null ? [] : [given('worked minutes', minutes, ofDay(job))])),
  ];
  const total =
    rest.length > 0 ? shareOf('portion', 'part of the day', whole, [sum('worked', own), sum('worked for others', rest)], 0) : whole;
  return { minutes, day: { ...day, total } };
}

/** Returns the minutes that somebody set for another job of the day on its line in the same books. */
function paidByHand(job: JobFacts, entry: Entry): Figure | undefined {
  const other = booksOf(job).find((one) => payerOf(one) === payerOf(entry));
  return other && minutesByHand(job, keyOfBooks(other), paysBreaks(job, other) ?? false);
}

/** A job of the driver's day before another one, at another rate, with the minutes that are paid of it; null while it is not done. */
interface Earlier {
  billed: Figure | null;
}

/**
 * The jobs before this one for which its driver is paid by the hour at other rates: overtime begins when all hours of the day come to those of a regular one
 * (BILLING B3). A rate that was set by hand is for one job alone.
 */
function earlierOf(job: JobFacts, entry: Entry): Earlier[] {
  // What was approved before all hours of the day counted stays as it is (BILLING B13, B-I4).
  if (overtimeOf(job, entry).overtimeAfter === undefined || job.overtimeOfDay === false || isByHand(job, entry)) return [];
  const day = [job, ...job.sameDay];
  return job.sameDay
    .filter((one) => inOrder(one, job) < 0)
    .flatMap((one): Earlier[] => {
      const other = booksOf(one).find((paid) => paid.payeeDriverId === entry.payeeDriverId && paid.companyId === entry.companyId);
      if (!other || !isComplete(other.rate) || other.rate.type !== 'RatePerHour') return [];
      if (payerOf(other) === payerOf(entry) || isByHand(one, other)) return [];
      const facts = { ...one, sameDay: day.filter((each) => each !== one) };
      return [{ billed: isDone(one) ? billedMinutesOf(facts, other, other.rate) : null }];
    });
}

/** The minutes that are paid of a job by the hour. */
function billedMinutesOf(job: JobFacts, entry: Entry, rate: RateFacts & { value: string }): Figure {
  const { minutes: worked = minutesOf(job), day } = timeAlike(job, entry);
  const byHand = paidByHand(job, entry);
  const { rateId, value, minimum, increment, terms, since } = rate;
  const source = rateId ? sourceSince('Rate', rateId, since) : { type: 'Job', id: job.id, version: job.version };
  return billedOf(
    { rate: given('rate', value, source), minimum: minimum ?? 0, increment: increment ?? 0, isByDay: terms?.minimumPer === 'day' },
    byHand ?? worked,
    byHand && day && !day.total ? { ...day, minutes: day.minutes.with(day.place, byHand) } : day,
  );
}

/** True if a job that is paid with this one, or before it, is not done: what this one gets is not known yet. */
export const waitsForDay = (job: JobFacts, entry: Entry): boolean =>
  (isOfDay(job, entry) && jobsAlike(job, entry).some((one) => one !== job && !isDone(one))) ||
  earlierOf(job, entry).some(({ billed }) => billed === null);

const isDone = (job: JobFacts): boolean => isFinished(job) && !hasOpenLoad(job);

/** Whether a side is paid by what was done on the whole day. */
function isOfDay(job: JobFacts, entry: Entry): boolean {
  const { type, terms } = entry.rate ?? {};
  if (type === 'RatePerDay' || terms?.minimumPer === 'day') return true;
  return terms?.timeBasis === 'portal' || terms?.timeBasis === 'shift' || overtimeOf(job, entry).overtimeAfter !== undefined;
}

/** The jobs of the day that the same side pays at the same rate, in the order of the work. A rate that was set by hand is for one job alone. */
function jobsAlike(job: JobFacts, entry: Entry): JobFacts[] {
  if (isByHand(job, entry)) return [job];
  const key = payerOf(entry);
  const others = job.sameDay.filter((one) => booksOf(one).some((other) => payerOf(other) === key && !isByHand(one, other)));
  return [job, ...others].sort(inOrder);
}

/** The order of the work of a day. */
const inOrder = (a: JobFacts, b: JobFacts): number =>
  Date.parse(a.startAt) - Date.parse(b.startAt) || a.number - b.number || (a.id < b.id ? -1 : 1);

const isByHand = (job: JobFacts, entry: Entry): boolean => job.byHand.includes(keyOfBooks(entry));

/** The key of the one who pays, and of the payee and the work that is paid. */
export const payerOf = ({ companyId, side, customerAccountId, vendorAccountId, payeeDriverId, rate }: Entry): string =>
  JSON.stringify([companyId, side, customerAccountId, vendorAccountId, payeeDriverId, rate && termsKey(rate)]);
const termsKey = ({ type, value, minimum, increment, terms }: RateFacts) => [type, value, minimum, increment, terms];

function siteMinutesOf(job: JobFacts, breaksPaid: boolean): Figure | null {
  if (job.overridingHours !== null || job.approvedMinutes !== null) return minutesOf(job);
  const minutes = job.siteMinutes?.[breaksPaid ? 'paid' : 'unpaid'];
  return minutes === undefined ? null : given('minutes between the sites', minutes, { type: 'Job', id: job.id, version: job.version });
}

function wholeOf(job: JobFacts, basis: 'portal' | 'shift', breaksPaid: boolean): Figure | null {
  const { portalMinutes, shiftMinutes } = job;
  const [label, minutes] =
    basis === 'portal'
      ? (['minutes away from the home base', portalMinutes] as const)
      : (['paid minutes of the shift', shiftMinutes] as const);
  return minutes && given(label, minutes[breaksPaid ? 'paid' : 'unpaid'], ofDay(job));
}
const ofDay = ({ driverDayId, driverDayVersion }: JobFacts) => ({
  ...{ type: 'DriverDay', id: driverDayId! },
  ...(driverDayVersion === null ? {} : { version: driverDayVersion }),
});
