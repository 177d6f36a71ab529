import { SMALL } from './fold-letters.ts';

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
  let small = '';
  for (const letter of text.toWellFormed().normalize('NFD')) small += SMALL.get(letter) ?? letter;
  return small.normalize('NFC').trim();
}
