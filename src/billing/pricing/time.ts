import { amount, computed, FINE, type Figure, given, shareOf, sum } from './figure.ts';

/** The terms by which time is paid. */
export interface TimeTerms {
  /** Money for an hour or a day. */
  rate: Figure;
  /** Minutes that are paid at least; of a day: those of a full one. */
  minimum?: number | string | undefined;
  /** Minutes up to which is rounded. */
  increment?: number | string | undefined;
  /** Minimum and increment are for all jobs of the day together. */
  isByDay?: boolean;
  /** Minutes of a day after which time is paid one and a half times. */
  overtimeAfter?: number;
  /** Of what the rate is made, if only a part of it is more for overtime. */
  wage?: { base: Figure; others: readonly Figure[] };
}

/** The jobs of one driver and date that one side pays alike, this one among them. */
export interface DayOfWork {
  /** Minutes of each job, in the order of the work. */
  minutes: readonly Figure[];
  /** Of this job, from 0. */
  place: number;
  /** The numbers by which people know the others. */
  others: readonly string[];
  /** The minutes that are paid of the day instead of the sum of its jobs: time away from the home base, or the shift. */
  total?: Figure;
  /** The minutes that somebody set for this job instead of its share of the total, or how many more or less than its share. */
  byHand?: { minutes?: Figure; adjusted?: Figure };
  /** For overtime: the minutes that are paid of the driver's jobs before this one at other rates. */
  earlier?: readonly Figure[];
}

/** A part of the time of a job, as it is paid. */
export interface TimePart {
  name: string;
  quantity: Figure;
  rate: Figure;
  amount: Figure;
}

const HOUR = given('minutes of an hour', 60);
const OVERTIME = given('times the rate for overtime', 1.5);

/**
 * Returns the hours of a job as they are paid (BILLING B3): the printed hours times the rate are the amount. Overtime is a part of its own; it begins
 * when the jobs before and this one come to the minutes of a regular day.
 */
export function hoursOf(terms: TimeTerms, minutes: Figure, day?: DayOfWork): TimePart[] {
  const billed = billedOf(terms, minutes, day);
  if (terms.overtimeAfter === undefined) return [partOf('hours', billed, terms.rate)];
  const before = (day?.minutes ?? []).slice(0, day?.place).map((other, place) => billedOf(terms, other, day && shareOnly(day, place)));
  const left = computed('rest', 'regular minutes that are left', [
    given('regular minutes of a day', terms.overtimeAfter),
    ...(day?.earlier ?? []),
    ...before,
  ]);
  const regular = computed('least', 'regular minutes', [billed, left]);
  const over = computed('rest', 'minutes of overtime', [billed, regular]);
  if (over.value.isZero()) return [partOf('hours', billed, terms.rate)];
  const overtime = partOf('overtime', over, overtimeRateOf(terms));
  return regular.value.isZero() ? [overtime] : [partOf('hours', regular, terms.rate), overtime];
}

const shareOnly = ({ byHand: _, ...day }: DayOfWork, place: number): DayOfWork => ({ ...day, place });

/** Overtime multiplies the base of a wage only (BILLING B3 "prevailing wage"). */
function overtimeRateOf({ rate, wage }: TimeTerms): Figure {
  const more = computed('product', wage ? 'base of overtime' : 'rate of overtime', [wage?.base ?? rate, OVERTIME], FINE);
  return wage ? sum('rate of overtime', [more, ...wage.others]) : more;
}

const partOf = (name: string, minutes: Figure, rate: Figure): TimePart => {
  const quantity = computed('quotient', name, [minutes, HOUR], FINE);
  return { name, quantity, rate, amount: amount(`freight of ${name}`, quantity, rate) };
};

/** The minutes of a job with minimum and increment, or its share of those of the day, by what was worked. */
export function billedOf(terms: TimeTerms, minutes: Figure, day?: DayOfWork): Figure {
  if (!day || !(terms.isByDay || day.total)) return raised(terms, minutes);
  const { byHand, place } = day;
  if (byHand?.minutes) return raised(terms, byHand.minutes);
  if (byHand?.adjusted) {
    const less = given('less the adjusted minutes', byHand.adjusted.value.neg(), byHand.adjusted.source);
    return computed('rest', 'adjusted', [billedOf(terms, minutes, shareOnly(day, place)), less]);
  }
  const billed = raised(terms, day.total ?? sum('minutes of the day', day.minutes));
  return day.minutes.length === 1 ? billed : shareOf('portion', 'share of the day', billed, day.minutes, day.place);
}

function raised({ minimum, increment, rate: { source } }: TimeTerms, minutes: Figure): Figure {
  const least = computed('atLeast', 'minimum', [minutes, given('minimum minutes', minimum ?? 0, source)]);
  return computed('upTo', 'billed minutes', [least, given('increment of minutes', increment ?? 0, source)]);
}

/**
 * Returns the day that is paid for a job: a whole one from the minimum on, and in proportion below it. Several jobs of a day share it by their
 * minutes, and the last one takes the rest of the money.
 */
export function dayOf(terms: TimeTerms, minutes: Figure, day?: DayOfWork): TimePart {
  if (!day || day.minutes.length === 1) {
    const quantity = daysOf(terms, minutes);
    return { name: 'day', quantity, rate: terms.rate, amount: amount('freight of day', quantity, terms.rate) };
  }
  const all = sum('minutes of the day', day.minutes);
  const days = daysOf(terms, all);
  const name = day.others.length > 0 ? `day, shared with ${day.others.join(', ')}` : 'share of the day';
  const weighed = computed('product', 'days times minutes', [days, minutes]);
  const quantity = all.value.isZero() ? days : computed('quotient', 'share of the day', [weighed, all], FINE);
  const whole = amount('freight of the day', days, terms.rate);
  return { name, quantity, rate: terms.rate, amount: shareOf('split', `freight of ${name}`, whole, day.minutes, day.place) };
}

function daysOf({ minimum, rate }: TimeTerms, minutes: Figure): Figure {
  const full = given('minutes of a full day', minimum ?? 0, rate.source);
  if (minutes.value.lte(0)) return computed('sum', 'days', [given('no work', 0)]);
  return minutes.value.lt(full.value) ? computed('quotient', 'part of a day', [minutes, full], FINE) : given('one day', 1);
}
