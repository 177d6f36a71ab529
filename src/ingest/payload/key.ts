import type { Failure } from '../importer.ts';

/**
 * Returns the key of an element as text: trimmed, a number as its digits. A key of more than 500 characters is refused when it is stored.
 * @returns undefined for values that cannot be keys: nothing, flags, lists, and numbers so large that they have lost digits
 */
export function keyOf(given: unknown): string | undefined {
  const text = typeof given === 'number' && isExact(given) ? String(given) : typeof given === 'string' ? given.trim() : '';
  return text === '' || text.includes('\0') ? undefined : text;
}

/** Returns whether a number still has the digits it was written with: doubles round whole numbers beyond 2^53. */
export const isExact = (number: number): boolean => !Number.isInteger(number) || Number.isSafeInteger(number);

/**
 * Returns whether a text is what a spreadsheet shows of a long number, `1.23E+11`: many other numbers look the same, and the digits are
 * lost.
 */
export const isShortened = (text: string): boolean => /^\d([.,]\d+)?E\+\d{2,3}$/.test(text);

/** The error of a sender who may create records but not change this existing one. */
export const notAllowed = (permission: string): Failure => ({
  state: 'failed',
  code: 'not_allowed',
  pointer: '',
  key: 'import_not_allowed',
  params: { permission },
});
