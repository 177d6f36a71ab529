import { type Figure, given, shareOf, sum } from '../pricing/figure.ts';
import type { Terms, WorkFacts } from '../pricing/freight.ts';
import { booksOf, type Entry, isByTime, keyOfBooks } from './books-of-job.ts';
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

/** True if a job that is paid with this one is not done: what this one gets is not known yet. */
export const waitsForDay = (job: JobFacts, entry: Entry): boolean =>
  isOfDay(job, entry) && jobsAlike(job, entry).some((one) => one !== job && !isDone(one));

const isDone = (job: JobFacts): boolean => isFinished(job) && !hasOpenLoad(job);

/** Whether a side is paid by what was done on the whole day. */
function isOfDay(job: JobFacts, entry: Entry): boolean {
  const { type, terms } = entry.rate ?? {};
  if (type === 'RatePerDay' || terms?.minimumPer === 'day') return true;
  return terms?.timeBasis === 'portal' || terms?.timeBasis === 'shift' || overtimeOf(job, entry).overtimeAfter !== undefined;
}

/** The jobs of the day that the same side pays at the same rate, in the order of the work. A rate that was set by hand is for one job alone. */
function jobsAlike(job: JobFacts, entry: Entry): JobFacts[] {
  const isByHand = (one: JobFacts, entry: Entry) => one.byHand.includes(keyOfBooks(entry));
  if (isByHand(job, entry)) return [job];
  const key = payerOf(entry);
  const others = job.sameDay.filter((one) => booksOf(one).some((other) => payerOf(other) === key && !isByHand(one, other)));
  return [job, ...others].sort((a, b) => Date.parse(a.startAt) - Date.parse(b.startAt) || a.number - b.number || (a.id < b.id ? -1 : 1));
}

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
