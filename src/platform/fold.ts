import { SMALL, UNKNOWN } from './fold-letters.ts';

const HAS_UNKNOWN = new RegExp(UNKNOWN, 'u');

/**
 * What a text is compared by where it says who or what is meant and case does not count: names that are unique or that imports find records
 * by, and addresses (`foldEmail`). Unicode's canonical caseless matching by the letters of `fold-letters.ts`, outer blanks cut. Letter by
 * letter, so that ß is not ss and ﬁ is not fi, and in no language: an İ is an i with a dot, and another letter than i.
 *
 * The database has the same as `fold_text`, which writes the kept columns `match_name` and `match_email`; a reader compares those columns
 * with what this returns. Nothing else may compare such a text: the database's `lower` depends on its locale, and `toLowerCase` of a letter
 * on those around it. Searches and orders of lists are no question of identity, and have ways of their own.
 */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.trim().toLowerCase();
  const whole = text.toWellFormed();
  if (HAS_UNKNOWN.test(whole)) return inSmall(whole).trim();
  return inSmall(whole.normalize('NFD')).normalize('NFC').trim();
}

/** One letter with its accent and the letter followed by it, written in one way. */
export const composed = (text: string): string => (HAS_UNKNOWN.test(text) ? text : text.normalize('NFC'));

function inSmall(text: string): string {
  let small = '';
  for (const letter of text) small += SMALL.get(letter) ?? letter;
  return small;
}
