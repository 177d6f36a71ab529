import type { Failure } from '../importer.ts';

/**
 * The key of an element as text: outer blanks cut, a number as its digits. Beyond 500 characters it is refused where it is stored.
 * @returns undefined for what is no key: nothing, flags, lists, and numbers so large that digits were lost before anybody read them
 */
export function keyOf(given: unknown): string | undefined {
  const text = typeof given === 'number' && isExact(given) ? String(given) : typeof given === 'string' ? given.trim() : '';
  return text === '' || text.includes('\0') ? undefined : text;
}

/** Whether a number still has the digits it was written with: doubles round whole numbers beyond 2^53. */
export const isExact = (number: number): boolean => !Number.isInteger(number) || Number.isSafeInteger(number);

/** Whether a text is what a spreadsheet shows of a long number, `1.23E+11`: many other numbers look the same, and each is lost. */
export const isShortened = (text: string): boolean => /^\d([.,]\d+)?E\+\d{2,3}$/.test(text);

/** The sender may make records, and not change this one that is there. */
export const notAllowed = (permission: string): Failure => ({
  state: 'failed',
  code: 'not_allowed',
  pointer: '',
  key: 'import_not_allowed',
  params: { permission },
});
