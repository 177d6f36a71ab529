import { Decimal } from '../../../src/platform/decimal.ts';

/** The rate of the trial: for a ton, with so many tons of a load at least. */
export const BY_TON = { rate: '4.25', minimum: '5' } as const;
/** Minutes of a job that are paid at least, and up to which is rounded. */
export const BY_HOUR = { minimum: 240, increment: 15 } as const;
/** The hours of the jobs that are paid by the hour: the minimum holds for the first and the last one. */
export const HOURS = ['2.5', '4.2', '7.75', '9.1', '0.25'] as const;

/** A schedule that begins at a price of diesel, and adds half a percent for every five cents beyond. */
const [BASE, STEP, PERCENT, ROWS] = [new Decimal('2'), new Decimal('0.05'), new Decimal('0.5'), 50];
export const SCHEDULE = Array.from({ length: ROWS }, (_, n) => ({
  price: BASE.plus(STEP.mul(n)).toFixed(),
  bill_surcharge: PERCENT.mul(n).toFixed(),
}));

/** Columns of weekly-diesel.csv: one that was always surveyed, and one that begins in December 2011. */
export const INDICES = { gulf: 'Gulf Coast', west: 'West Coast (PADD 5) Except California' } as const;

/** Dates for which somebody looked the price and the row up in the file by hand: date, index, price of diesel, percent; null is not known. */
export const DATES: readonly (readonly [date: string, index: keyof typeof INDICES, price: string | null, percent: string | null])[] = [
  ['2010-01-03', 'gulf', null, null],
  ['2010-01-04', 'gulf', '2.75', '7.5'],
  ['2010-01-10', 'gulf', '2.75', '7.5'],
  ['2010-01-11', 'gulf', '2.846', '8'],
  ['2011-05-08', 'gulf', '4.06', '20.5'],
  ['2011-05-09', 'gulf', '4.022', '20'],
  ['2011-12-11', 'west', null, null],
  ['2011-12-12', 'west', '3.99', '19.5'],
  ['2012-04-02', 'west', '4.378', '23.5'],
  ['2012-06-30', 'gulf', '3.601', '16'],
  ['2012-07-02', 'gulf', '3.568', '15.5'],
  ['2013-02-28', 'gulf', '4.089', '20.5'],
  ['2014-12-01', 'gulf', '3.501', '15'],
  ['2014-12-25', 'gulf', '3.175', '11.5'],
  ['2015-08-10', 'gulf', '2.487', '4.5'],
  ['2016-02-15', 'gulf', '1.858', '0'],
  ['2016-03-06', 'gulf', '1.874', '0'],
  ['2017-01-01', 'gulf', '2.421', '4'],
  ['2018-05-28', 'gulf', '3.054', '10.5'],
  ['2018-12-31', 'gulf', '2.841', '8'],
];
