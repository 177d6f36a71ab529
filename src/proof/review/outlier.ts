import { Decimal } from '../../platform/decimal.ts';

/** Fewer quantities say nothing about what is usual. */
const ENOUGH = 5;
/** Of the median: scales are not more exact than that, so that equal quantities do not make every other one an outlier. */
const LEAST_DEVIATION = '0.01';

/**
 * Whether a quantity is more than so many median absolute deviations from the median of all.
 * @returns the median, with two digits, if it is
 */
export function farFromOthers(quantity: Decimal, all: readonly Decimal[], deviations: number): Decimal | undefined {
  if (all.length < ENOUGH) return undefined;
  const usual = medianOf(all);
  const deviation = Decimal.max(medianOf(all.map((one) => one.minus(usual).abs())), usual.mul(LEAST_DEVIATION));
  return quantity.minus(usual).abs().gt(deviation.mul(deviations)) ? usual.toDecimalPlaces(2) : undefined;
}

function medianOf(all: readonly Decimal[]): Decimal {
  const sorted = all.toSorted((one, other) => one.comparedTo(other));
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : sorted[middle - 1]!.plus(sorted[middle]!).div(2);
}
