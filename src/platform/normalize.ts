type Form = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

/** UTF-16 units up to which a text is normalized as a whole: more than any name or address has that is kept, also when its letters are taken apart. */
const WHOLE = 2_000;
/** Letters, and at most so many marks on the last one. The two kana are no marks, and become some in the compatibility forms. */
const PIECE = /[^\p{M}\uFF9E\uFF9F]*[\p{M}\uFF9E\uFF9F]{0,128}/gu;

/**
 * A text in a normalization form of Unicode, in a time that grows with its length. Marks on one letter are put in order by a sort that
 * compares each with all before it: 160,000 of them, 320 KB, keep the process busy for 50 seconds. So of more than 128 marks in a row, which
 * no script writes, a long text gets each 128 normalized on their own (Unicode's Stream-Safe Text Format has the same reason, UAX #15 section 13).
 * The database, which takes as long, gets short texts only.
 */
export function normalize(text: string, form: Form): string {
  if (text.length <= WHOLE) return text.normalize(form);
  let whole = '';
  for (const [piece] of text.matchAll(PIECE)) whole += piece.normalize(form);
  return whole;
}
