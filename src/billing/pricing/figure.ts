import { Decimal } from '../../platform/decimal.ts';

/** Where a number comes from: a record, in the state in which it was read. */
export interface Source {
  type: string;
  id: string;
  version?: number;
}

/** How a figure follows from its parts. */
export type Operation = keyof typeof OPERATIONS;

/**
 * A number of a bill together with how it came about: a leaf is a number that somebody gave, everything else is computed from its parts, in
 * the moment in which it is made. So an explanation cannot differ from the amount (BILLING B10).
 */
export interface Figure {
  operation: Operation;
  /** What the number is, for readers: `freight of load 7`. */
  label: string;
  value: Decimal;
  /** Decimals to which the operation rounds, half away from zero; undefined means not at all. */
  places?: number;
  parts: readonly Figure[];
  source?: Source;
}

const values = (parts: readonly Figure[]): Decimal[] => parts.map(({ value }) => value);
const zero = new Decimal(0);

/** What each operation computes of its parts, before it is rounded. */
const OPERATIONS = {
  given: ([only]: readonly Figure[]): Decimal => only!.value,
  sum: (parts: readonly Figure[]): Decimal => values(parts).reduce((sum, value) => sum.plus(value), zero),
  product: (parts: readonly Figure[]): Decimal => values(parts).reduce((product, value) => product.mul(value)),
  quotient: ([dividend, divisor]: readonly Figure[]): Decimal => dividend!.value.div(divisor!.value),
  /** A percentage of a base. */
  percent: ([percentage, base]: readonly Figure[]): Decimal => percentage!.value.mul(base!.value).div(100),
  /** A minimum, which holds for what is above 0 only: who hauled nothing is paid nothing (BILLING B3). */
  atLeast: ([figure, minimum]: readonly Figure[]): Decimal =>
    figure!.value.gt(0) ? Decimal.max(figure!.value, minimum!.value) : figure!.value,
  /** The next multiple of a step; a step of 0 leaves the figure as it is. */
  upTo: ([figure, step]: readonly Figure[]): Decimal =>
    step!.value.isZero() ? figure!.value : figure!.value.div(step!.value).ceil().mul(step!.value),
} as const;

/** A number that somebody gave. */
export const given = (label: string, value: Decimal.Value, source?: Source): Figure => ({
  operation: 'given',
  label,
  value: new Decimal(value),
  parts: [],
  ...(source ? { source } : {}),
});

/** A number that is computed from others. @param places decimals to which it is rounded */
export function computed(operation: Exclude<Operation, 'given'>, label: string, parts: readonly Figure[], places?: number): Figure {
  const exact = OPERATIONS[operation](parts);
  const value = places === undefined ? exact : exact.toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
  return { operation, label, value, parts, ...(places === undefined ? {} : { places }) };
}

/** Decimals of money. */
export const CENTS = 2;
/** Decimals of quantities, rates and hours. */
export const FINE = 4;

/** A sum of amounts that are rounded already. */
export const sum = (label: string, parts: readonly Figure[]): Figure => computed('sum', label, parts);

/** An amount of money: a quantity at a rate, rounded once. */
export const amount = (label: string, quantity: Figure, rate: Figure): Figure => computed('product', label, [quantity, rate], CENTS);

/** A share of an amount, rounded once. @param percentage of which 100 is the whole */
export const share = (label: string, percentage: Figure, base: Figure): Figure => computed('percent', label, [percentage, base], CENTS);
