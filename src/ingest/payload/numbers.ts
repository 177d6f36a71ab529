import { Decimal, decimalText } from '../../platform/decimal.ts';
import type { Warning } from '../importer.ts';

/** Digits after the point of a quantity, rate or price, and of a degree. */
export const DIGITS = 4;
export const DIGITS_OF_DEGREE = 12;

/**
 * Returns a number as it is stored, rounded half up, as decimal text. If it loses digits, there is a warning.
 * @param given the number as it was sent
 */
export function rounded(number: Decimal, digits: number, given: unknown, pointer: string, warnings: Warning[]): string {
  const kept = number.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP);
  const used = decimalText(kept);
  if (!kept.eq(number)) warnings.push({ code: 'number_rounded', pointer, given, used });
  return used;
}

/** Whether a text is a number as people punctuate it, `44,000` or `22,5`: which of the two it is cannot be known, so it is refused. */
export const isPunctuated = (value: unknown): boolean => typeof value === 'string' && /^\s*[+-]?\d+([.,'’\s]\d+)+\s*$/.test(value);
