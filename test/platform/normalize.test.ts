import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { safeFileName } from '../../src/files/file-name.ts';
import { normalize } from '../../src/platform/normalize.ts';
import { processorTime } from '../helpers/until.ts';

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;
const marks = fc.constantFrom('\u0300', '\u0316', '\u0327', '\u0344', '\u3099', '\uff9e', '\u05b0');
const letters = fc.oneof(
  fc.constantFrom('a', 'e', 'ế', 'ﬁ', 'ｶ', '\u1100', '\u1161', '각', '\ud835\udc00'),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
/** Long ones too, with no more marks in a row than a text may have that is normalized as a whole. */
const text = fc.array(fc.tuple(letters, fc.array(marks, { maxLength: 60 })), { maxLength: 120 }).map((all) =>
  all
    .map(([letter, some]) => `${letter}x${some.join('')}`)
    .join('')
    .toWellFormed(),
);

test.each(FORMS)('a text is the same in %s, however long it is', (form) => {
  fc.assert(fc.property(text, (one) => void expect(normalize(one, form)).toBe(one.normalize(form))));
});

test('a text that cannot be compared in time gets a stable form of its own', () => {
  const endless = `a${'\u0300'.repeat(3_000)}${'\u0316'.repeat(3_000)}`;
  for (const form of FORMS) expect(normalize(normalize(endless, form), form).length).toBe(normalize(endless, form).length);
});

test.each([
  ['marks', `a${'\u0300\u0316'.repeat(100_000)}.pdf`],
  ['dots', `a${'.'.repeat(200_000)}a.pdf`],
  ['blanks and dots', `a${'. '.repeat(100_000)}a`],
])('the name of a file of %s is read at once', async (_, name) => {
  expect(await processorTime(() => expect(safeFileName(name, ['pdf'])).toMatch(/\.pdf$/u))).toBeLessThan(1_000);
});
