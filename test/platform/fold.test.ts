import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { entities, published } from '../../src/app/rooms.ts';
import { createOrm, migrate } from '../../src/platform/database/orm.ts';
import { asAddress, foldDomain, foldEmail, isEmail } from '../../src/platform/email.ts';
import { foldText } from '../../src/platform/fold.ts';
import { UNKNOWN } from '../../src/platform/fold-letters.ts';
import { createDatabase, migratedDatabase } from '../helpers/database.ts';
import { runs } from '../helpers/properties.ts';

/** Letters that one comparison or another takes for an ASCII one, or for each other, and what is written in several ways. */
const TRICKY = [
  ...[
    'İ',
    'I\u0307',
    'i\u0307',
    'i',
    'I',
    'ı',
    '\u212a',
    'k',
    'K',
    'ſ',
    's',
    'S',
    'ß',
    'ẞ',
    'ss',
    'SS',
    'ﬁ',
    'fi',
    'ｋ',
    'Ｋ',
    'ⓚ',
    'ª',
    'a',
  ],
  ...[
    'Σ',
    'σ',
    'ς',
    'µ',
    'μ',
    'Μ',
    'Å',
    '\u212b',
    'å',
    'A\u030a',
    'é',
    'e\u0301',
    'É',
    'T\u0308',
    'ẗ',
    'ǰ',
    'J\u030c',
    'ΐ',
    'ᾳ',
    'ᾼ',
    '\u0345',
  ],
  ...[
    'Ω',
    '\u2126',
    'ω',
    'ǅ',
    'Ǆ',
    'ǆ',
    'Ꭰ',
    'ꭰ',
    '\u00a0',
    '\u2003',
    '\u3000',
    '\ufeff',
    ' ',
    '\t',
    '\u0344',
    '\u0308\u0301',
    '\u{1e900}',
    '\u{10400}',
  ],
];
const letters = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
/** Beyond it no letter has a case. */
const ALL_CASES = 0x1ffff;
/** The texts that PostgreSQL can store. */
const text = fc.array(letters, { maxLength: 8 }).map((all) => all.join('').replaceAll('\0', '-').toWellFormed());
/** Has something that letters of one engine are and of another one are not. */
const unknown = new RegExp(UNKNOWN, 'u');
const all = Array.from({ length: 0x10ffff }, (_, i) => i + 1).filter((code) => code < 0xd800 || code > 0xdfff);

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: await migratedDatabase() });
  await client.connect();
});
afterAll(() => client.end());

const BLOCK = 1024;
/** Returns digests of the folds of a text for each code point up to one, one for each block of them. */
async function digestsOf(of: pg.Client, before: string, behind: string, last: number): Promise<string[]> {
  const { rows } = await of.query<{ digest: string }>(
    `select md5(string_agg(fold_text($1 || chr(code) || $2), '|' order by code)) as digest from generate_series(1, $3::int) code
     where code not between 55296 and 57343 group by code / ${BLOCK} order by code / ${BLOCK}`,
    [before, behind, last],
  );
  return rows.map(({ digest }) => digest);
}
function digestsHere(before: string, behind: string, last: number): string[] {
  const blocks = new Map<number, string[]>();
  for (const code of all.filter((one) => one <= last)) {
    const block = Math.floor(code / BLOCK);
    const folded = foldText(before + String.fromCodePoint(code) + behind);
    blocks.set(block, [...(blocks.get(block) ?? []), folded]);
  }
  return [...blocks.values()].map((folded) => hash('md5', folded.join('|')));
}

test.each([
  ['alone', '', '', 0x10ffff],
  ['between letters and below an accent', 'Xe', '\u0301É', ALL_CASES],
  ['at both ends', '\u3000', '\ufeff', ALL_CASES],
])('the database folds every code point like the product: %s', async (_, before, behind, last) => {
  expect(await digestsOf(client, before, behind, last)).toEqual(digestsHere(before, behind, last));
});

test('a fold is folded, and the database agrees about any text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 50 }), async (texts) => {
      const { rows } = await client.query<{ folded: string }>(
        'select fold_text(given) as folded from unnest($1::text[]) with ordinality x(given, place) order by place',
        [texts],
      );
      expect(rows.map(({ folded }) => folded)).toEqual(texts.map(foldText));
      for (const one of texts) expect(foldText(foldText(one))).toBe(foldText(one));
    }),
    { numRuns: runs(200) },
  );
});

test('case, outer blanks and spellings of one letter do not count, and nothing else becomes ASCII', () => {
  fc.assert(
    fc.property(text, (one) => {
      const known = !unknown.test(one);
      for (const form of ['NFC', 'NFD'] as const) if (known) expect(foldText(one.normalize(form))).toBe(foldText(one));
      expect(foldText(` \t${one}\u2003`)).toBe(foldText(one));
      if (/^[\0-\x7f]*$/.test(foldText(one))) expect(one.normalize('NFC').trim()).toMatch(/^[\0-\x7f]*$/);
    }),
    { numRuns: runs(2_000) },
  );
  // One for one, and there and back: ß and SS are two, and ı is no i.
  const cases = all.flatMap((code) => {
    const letter = String.fromCodePoint(code);
    if ('ıſẛ'.includes(letter) || /\p{M}/u.test(letter)) return [];
    const others = [letter.toLowerCase(), letter.toUpperCase()].filter(
      (one) => one !== letter && [...one].length === 1 && !unknown.test(letter + one),
    );
    return others.map((other): [string, string] => [letter, other]);
  });
  expect(cases.length).toBeGreaterThan(2_500);
  expect(cases.filter(([letter, other]) => foldText(letter) !== foldText(other))).toEqual([]);
});

test('an address is folded as a whole, with its domain in the form of name servers, and nothing is cut off', () => {
  const domain = fc.array(letters, { minLength: 1, maxLength: 4 }).map((some) => `${some.join('')}.example`);
  fc.assert(
    fc.property(text, domain, (name, host) => {
      const given = `${name}@${host}`;
      const folded = foldEmail(given);
      expect(foldEmail(folded)).toBe(folded);
      expect(foldEmail(asAddress(given))).toBe(folded);
      if (isEmail(asAddress(given))) expect(folded.slice(folded.lastIndexOf('@') + 1)).toBe(foldDomain(host));
    }),
    { numRuns: runs(2_000) },
  );
  for (const [given, other] of [
    ['ann@acme.example/é', 'ann@acme.example'],
    ['ann@é.example:80', 'ann@é.example'],
    ['ann@%61é.example', 'ann@aé.example'],
    ['ann@x／é.example', 'ann@x'],
  ] as const) {
    expect(foldEmail(given)).not.toBe(foldEmail(other));
    expect(isEmail(asAddress(given))).toBe(false);
  }
});

test.each([
  ['C', `locale_provider libc locale 'C'`],
  ['Turkish', `locale_provider icu icu_locale 'tr-TR' locale 'C'`],
])('a database of another locale folds alike: %s', async (_, locale) => {
  const name = `haulgate_fold_${process.pid}_${Date.now()}`;
  const url = await createDatabase(process.env.HAULGATE_TEST_SERVER!, name, `template0 encoding 'UTF8' ${locale}`);
  const orm = await createOrm({ url, entities });
  await migrate(orm, published);
  await orm.close(true);
  const there = new pg.Client({ connectionString: url });
  await there.connect();
  expect(await digestsOf(there, 'İ', '', ALL_CASES)).toEqual(digestsHere('İ', '', ALL_CASES));
  await there.end();
});
