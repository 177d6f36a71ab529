import { SMALL, UNKNOWN } from './fold-letters.ts';
import { normalize } from './normalize.ts';

const HAS_UNKNOWN = new RegExp(UNKNOWN, 'u');

/**
 * The form in which a text is compared where it identifies somebody or something and case does not count: names that are unique or by which
 * imports find records, and addresses (`foldEmail`). It is Unicode's canonical caseless matching with the letters of `fold-letters.ts`,
 * without outer blanks. It goes letter by letter, so that ß is not ss and ﬁ is not fi, and depends on no language: İ is an i with a dot,
 * and another letter than i.
 *
 * The database has the same function, `fold_text`, which writes the columns `match_name` and `match_email`. Readers compare those columns
 * with what this function returns. Nothing else may compare such a text: the database's `lower` depends on its locale, and `toLowerCase` of
 * a letter on the letters around it. Searches and the order of lists do not identify anything, and are done in other ways.
 */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.trim().toLowerCase();
  const whole = text.toWellFormed();
  if (HAS_UNKNOWN.test(whole)) return inSmall(whole).trim();
  return normalize(inSmall(normalize(whole, 'NFD')), 'NFC').trim();
}

/** One letter with its accent and the letter followed by it, written in one way. */
export const composed = (text: string): string => (HAS_UNKNOWN.test(text) ? text : normalize(text, 'NFC'));

function inSmall(text: string): string {
  let small = '';
  for (const letter of text) small += SMALL.get(letter) ?? letter;
  return small;
}
