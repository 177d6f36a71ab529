import { Decimal } from '../../../src/platform/decimal.ts';
import { type ScaleLoad, ticketNumber, tonsOf } from '../files.ts';
import { BY_HOUR, BY_TON, HOURS, SCHEDULE } from './terms.ts';

/** A row of weekly-diesel.csv: dollars for a gallon from a Monday on, by region; empty where nobody asked. */
export type DieselWeek = { week: string } & Record<string, string>;

/** A service day at a site: its loads, each line of the scale once. */
export interface SiteDay {
  date: string;
  site: string;
  loads: { number: string; tons: Decimal }[];
  /** Lines on which nothing was weighed. */
  unweighed: number;
}

const DAY = 86_400_000;
/** The quarter is 2021, and prices of diesel end with 2018: loads are moved by whole weeks, so that weekdays stay. */
const WEEKS_EARLIER = 156;
const movedDate = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) - WEEKS_EARLIER * 7 * DAY).toISOString().slice(0, 10);

/** The Monday of a date. */
export function weekOf(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10);
}

/** Returns the days of the sites in the order of the file's dates; equal lines are one load, and one without a weight is none. */
export function siteDaysOf(rows: readonly ScaleLoad[]): SiteDay[] {
  const distinct = [...new Map(rows.map((row) => [ticketNumber(row), row])).values()];
  const days = Map.groupBy(distinct, (row) => `${movedDate(row.report_date)} ${row.dropoff_site}`);
  return [...days].sort().map(([key, group]) => {
    const tons = group.map((row) => ({ number: ticketNumber(row), tons: tonsOf(row.load_weight || '0') }));
    const loads = tons.filter(({ tons }) => tons.gt(0)).sort((a, b) => (a.number < b.number ? -1 : 1));
    return { date: key.slice(0, 10), site: key.slice(11), loads, unweighed: tons.length - loads.length };
  });
}

const cents = (value: Decimal): Decimal => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
const sum = (values: readonly Decimal[]): Decimal => values.reduce((total, value) => total.plus(value), new Decimal(0));

/** The percent of freight for fuel on a date: the last price until then, and the last row that is not above it. */
function percentOn(date: string, weeks: readonly DieselWeek[], column: string): Decimal {
  const price = weeks.findLast((one) => one.week <= date && one[column] !== '')?.[column];
  const row = SCHEDULE.findLast((one) => price !== undefined && new Decimal(one.price).lte(price));
  return new Decimal(row?.bill_surcharge ?? 0);
}

/** Returns the total of a day at a site: each load by its tons, at the minimum at least, rounded to cents, and fuel of all of them. */
function totalOf({ loads, date }: SiteDay, weeks: readonly DieselWeek[], column: string): Decimal {
  const freight = sum(loads.map(({ tons }) => cents(Decimal.max(tons, BY_TON.minimum).mul(BY_TON.rate))));
  return freight.plus(cents(freight.mul(percentOn(date, weeks, column)).div(100)));
}

/** Returns the total of hours at a rate: the minimum at least, up to the next step of minutes, hours with four decimals. */
function hourlyTotal(hours: string, rate: string): Decimal {
  const minutes = Decimal.max(new Decimal(hours).mul(60), BY_HOUR.minimum);
  const paid = minutes.div(BY_HOUR.increment).ceil().mul(BY_HOUR.increment);
  return cents(paid.div(60).toDecimalPlaces(4, Decimal.ROUND_HALF_UP).mul(rate));
}
export const hourlySum = (rate: string): Decimal => sum(HOURS.map((hours) => hourlyTotal(hours, rate)));

/** Returns the totals of the days by week and site; a day on which nothing was weighed comes to nothing, and is settled all the same. */
export function totalsByWeek(days: readonly SiteDay[], weeks: readonly DieselWeek[], column: string): Map<string, Decimal> {
  const totals = new Map<string, Decimal>();
  for (const day of days) {
    const key = `${weekOf(day.date)} ${day.site}`;
    totals.set(key, (totals.get(key) ?? new Decimal(0)).plus(totalOf(day, weeks, column)));
  }
  return totals;
}
