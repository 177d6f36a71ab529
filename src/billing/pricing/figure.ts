import { Decimal } from '../../platform/decimal.ts';

/** Where a number comes from: a record, in the state in which it was read. */
export interface Source {
  type: string;
  id: string;
  version?: number;
  /** Of a record that counts no versions: since when it was as it was read. */
  since?: string;
  /** Of a price that holds from a day on: that day. */
  date?: string;
}

/** A record that counts no versions, as it has been since a time; null where nobody noted that. */
export const sourceSince = (type: string, id: string, since: string | null | undefined): Source => ({
  type,
  id,
  ...(since ? { since } : {}),
});

/** Why a rate was chosen for some work, of those that people agreed on. */
export interface Choice {
  /** Where it is from: a source of rates (DOMAIN 3.3), what was agreed on along a link, or what somebody set by hand. */
  source: string;
  /** The conditions of it that the work meets, such as `account` and `project`. */
  matched: readonly string[];
}

/** The operation by which a figure follows from its parts. */
export type Operation = keyof typeof OPERATIONS;

/**
 * A number of a bill together with how it came about: a leaf is a number that somebody gave, everything else is computed from its parts, in
 * the moment in which it is made. So an explanation cannot differ from the amount (BILLING B10).
 */
export interface Figure {
  operation: Operation;
  /** The name of the number, for readers: `freight of load 7`. */
  label: string;
  value: Decimal;
  /** Decimals to which the operation rounds, half away from zero; undefined means not at all. */
  places?: number;
  parts: readonly Figure[];
  source?: Source;
  /** Of a rate: why it is this one. */
  chosen?: Choice;
}

const values = (parts: readonly Figure[]): Decimal[] => parts.map(({ value }) => value);
const zero = new Decimal(0);
/** Compared with a number, a decimal makes another one of that. */
const isAboveZero = (value: Decimal): boolean => value.isPositive() && !value.isZero();

/** The computation of each operation, of its parts, before the result is rounded. */
const OPERATIONS = {
  given: ([only]: readonly Figure[]): Decimal => only!.value,
  // Each operation on decimals makes another one; a sum of one part is that part.
  sum: (parts: readonly Figure[]): Decimal =>
    parts.length === 1 ? parts[0]!.value : values(parts).reduce((sum, value) => sum.plus(value), zero),
  product: (parts: readonly Figure[]): Decimal => values(parts).reduce((product, value) => product.mul(value)),
  quotient: ([dividend, divisor]: readonly Figure[]): Decimal => dividend!.value.div(divisor!.value),
  /** A percentage of a base. */
  percent: ([percentage, base]: readonly Figure[]): Decimal => percentage!.value.mul(base!.value).div(100),
  /** A minimum, which holds for what is above 0 only: who hauled nothing is paid nothing (BILLING B3). */
  atLeast: ([figure, minimum]: readonly Figure[]): Decimal =>
    isAboveZero(figure!.value) && figure!.value.lt(minimum!.value) ? minimum!.value : figure!.value,
  /** The next multiple of a step; a step of 0 leaves the figure as it is. */
  upTo: ([figure, step]: readonly Figure[]): Decimal =>
    step!.value.isZero() ? figure!.value : figure!.value.div(step!.value).ceil().mul(step!.value),
  /** The rest of the first after the others are taken off; never below 0. */
  rest: ([whole, ...taken]: readonly Figure[]): Decimal =>
    Decimal.max(
      0,
      values(taken).reduce((left, value) => left.minus(value), whole!.value),
    ),
  least: (parts: readonly Figure[]): Decimal => Decimal.min(...values(parts)),
  /** The last of the parts. */
  latest: (parts: readonly Figure[]): Decimal => parts.at(-1)!.value,
  /** The part of a quantity that is within a band and follows on another: of the first two, from the third on, up to the fourth if there is one. */
  band: ([before, quantity, from, until]: readonly Figure[]): Decimal => {
    const end = before!.value.plus(quantity!.value);
    return Decimal.max(0, Decimal.min(end, until?.value ?? end).minus(Decimal.max(before!.value, from!.value)));
  },
  /** The value that holds for a quantity: the second at first, and each further one from the quantity on that is before it. */
  reached: ([counted, first, ...steps]: readonly Figure[]): Decimal =>
    values(steps).reduce((value, step, i) => (i % 2 === 0 && counted!.value.gte(step) ? steps[i + 1]!.value : value), first!.value),
  /** The share of one of several in whole units, which add up to the whole: the largest remainders get what is left (BILLING B3 M13). */
  portion: ([whole, place, ...weights]: readonly Figure[]): Decimal =>
    portionsOf(whole!.value, values(weights))[place!.value.toNumber() - 1]!,
  /** The share of one of several in cents, which add up to the whole: the last one takes the rest (BILLING B3 M14). */
  split: ([whole, place, ...weights]: readonly Figure[]): Decimal => splitOf(whole!.value, values(weights))[place!.value.toNumber() - 1]!,
} as const;

/** Of those with the same remainder, the one before gets the unit; what is left of a whole that is none goes to the next one. */
function portionsOf(whole: Decimal, weights: readonly Decimal[]): Decimal[] {
  const total = weights.reduce((sum, weight) => sum.plus(weight), zero);
  if (total.isZero()) return weights.map(() => zero);
  // Remainders are those of products, which are exact: a third and four thirds leave the same.
  const remainders = weights.map((weight) => whole.mul(weight).mod(total));
  const floors = weights.map((weight, i) => whole.mul(weight).minus(remainders[i]!).div(total));
  const left = whole.minus(floors.reduce((sum, value) => sum.plus(value), zero));
  const order = remainders.map((remainder, i) => ({ i, remainder })).sort((a, b) => b.remainder.comparedTo(a.remainder) || a.i - b.i);
  const rest = new Map(order.map(({ i }, rank) => [i, Decimal.max(0, Decimal.min(1, left.minus(rank)))]));
  return floors.map((value, i) => value.plus(rest.get(i)!));
}

function splitOf(whole: Decimal, weights: readonly Decimal[]): Decimal[] {
  const total = weights.reduce((sum, weight) => sum.plus(weight), zero);
  const last = weights.findLastIndex((weight) => weight.gt(0));
  const shares = weights.map((weight) =>
    weight.lte(0) ? zero : whole.mul(weight).div(total).toDecimalPlaces(CENTS, Decimal.ROUND_HALF_UP),
  );
  const others = shares.reduce((sum, value, i) => (i === last ? sum : sum.plus(value)), zero);
  return shares.map((value, i) => (i === last ? whole.minus(others) : value));
}

/** A number that somebody gave. */
export function given(label: string, value: Decimal.Value, source?: Source): Figure {
  const figure: Figure = { operation: 'given', label, value: value instanceof Decimal ? value : new Decimal(value), parts: NO_PARTS };
  // A price is made of thousands of figures: to spread what some have takes longer than all the rest of making one.
  if (source) figure.source = source;
  return figure;
}
const NO_PARTS: readonly Figure[] = [];

/** A number that is computed from others. @param places decimals to which it is rounded */
export function computed(operation: Exclude<Operation, 'given'>, label: string, parts: readonly Figure[], places?: number): Figure {
  const exact = OPERATIONS[operation](parts);
  const value = places === undefined || exact.decimalPlaces() <= places ? exact : exact.toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
  return places === undefined ? { operation, label, value, parts } : { operation, label, value, parts, places };
}

/** One of several shares of a whole, which add up to it. @param place of this one among the weights, from 0 */
export const shareOf = (operation: 'portion' | 'split', label: string, whole: Figure, weights: readonly Figure[], place: number): Figure =>
  computed(operation, label, [whole, given('place among the shares', place + 1), ...weights]);

/** Decimals of money. */
export const CENTS = 2;
/** Decimals of quantities, rates and hours. */
export const FINE = 4;

/** A sum of amounts that are rounded already. */
export const sum = (label: string, parts: readonly Figure[]): Figure => computed('sum', label, parts);

/** An amount of money: a quantity at a rate, rounded once. */
export const amount = (label: string, quantity: Figure, rate: Figure): Figure => computed('product', label, [quantity, rate], CENTS);

/** A share of an amount, rounded once. @param percentage of which 100 is the whole @param places decimals to which it is rounded */
export const share = (label: string, percentage: Figure, base: Figure, places = CENTS): Figure =>
  computed('percent', label, [percentage, base], places);
