import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isCommon, passwordProblems } from '../../../src/identity/passwords/password-rules.ts';

/** No list of breached passwords is configured. */
const NO_LIST = { breachedPasswordsUrl: undefined, onBreachedListFailure: () => {} };

const ABOUT = ['Ada', 'Gravel', 'ada.gravel@example.com', 'Northwind Aggregates'];
const keyOf = async (password: string, list: Parameters<typeof passwordProblems>[2] = NO_LIST) =>
  (await passwordProblems(password, ABOUT, list))[0]?.key;

test.each([
  ['1234567', 'password_too_short'],
  // Seven letters, fourteen code units: what counts is what a person sees.
  ['é'.normalize('NFD').repeat(7), 'password_too_short'],
  ['x'.repeat(1025), 'password_too_long'],
  ['password', 'password_common'],
  ['P@ssw0rd', 'password_common'],
  ['Password2026!', 'password_common'],
  ['summer2026', 'password_common'],
  ['!!Welcome1', 'password_common'],
  ['Dispatch99', 'password_common'],
  ['motdepasse', 'password_common'],
  ['contrasena1', 'password_common'],
  ['aaaaaaaaaa', 'password_common'],
  ['abababab', 'password_common'],
  ['12345678', 'password_common'],
  ['98765432', 'password_common'],
  ['asdfghjkl', 'password_common'],
  ['poiuytrewq', 'password_common'],
  ['haulgate1', 'password_common'],
  ['Northwind7', 'password_common'],
  ['gravel2026', 'password_common'],
  ['ada.gravel', 'password_common'],
  ['ada gravel', 'password_common'],
  ['GravelAda', 'password_common'],
  ['2026 Gravel, Ada!', 'password_common'],
  ['ada.gravel@example.com', 'password_common'],
  ['adagravelexamplecom', 'password_common'],
  ['Northwind Aggregates', 'password_common'],
  ['northwindaggregates99', 'password_common'],
  ['Aggregates-Northwind', 'password_common'],
  ['N0rthwind @ggregates', 'password_common'],
  ['haulgate ada', 'password_common'],
  ['trustno1!', 'password_common'],
  ['trust no 1', 'password_common'],
  // From a list of leaked passwords, in any case and with digits for letters.
  ['Brooklyn', 'password_common'],
  ['br00klyn', 'password_common'],
  ['gfhjkmgfhjkm', 'password_common'],
])('%s is refused as %s', async (password, key) => {
  expect(await keyOf(password)).toBe(key);
});

test.each([
  'limestone and rain',
  'krvt mplq',
  'zwölf Kiesgruben',
  '83749261',
  'ñandú-río-7',
  '🚛🪨🚛🪨🌧️🛣️🧱🪵',
  'gravel paid for my guitar',
])('%s is accepted: no kind of character is required', async (password) => {
  expect(await passwordProblems(password, ABOUT, NO_LIST)).toEqual([]);
});

test('every long random password is accepted, up to 64 characters and more', async () => {
  const printable = fc.string({ minLength: 16, maxLength: 64, unit: fc.constantFrom(...'kxvqzjwmpbfgyh29 -_') });
  await fc.assert(
    fc.asyncProperty(
      printable.filter((text) => new Set(text).size > 6),
      async (text) => (await passwordProblems(text, ABOUT, NO_LIST)).length === 0,
    ),
  );
  expect(await keyOf('Seven drivers, four quarries and one long night on the road to Laredo!')).toBeUndefined();
});

test('a common password is refused in any case and with a year appended', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('password', 'trucking', 'welcome', 'qwerty'),
      fc.integer({ min: 1900, max: 2099 }),
      fc.boolean(),
      (word, year, upper) => isCommon(`${upper ? word.toUpperCase() : word}${year}`),
    ),
  );
});

test('a breached password is found by five digits of its hash, and a list that fails refuses nobody', async () => {
  const sha1 = createHash('sha1').update('limestone and rain').digest('hex').toUpperCase();
  const asked: (string | undefined)[] = [];
  let status = 200;
  const server = createServer((req, res) => {
    asked.push(req.url);
    res.writeHead(status).end(`0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n${sha1.slice(5)}:42\r\n`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const failures: unknown[] = [];
  const list = {
    breachedPasswordsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/range`,
    onBreachedListFailure: (error: unknown) => void failures.push(error),
  };
  try {
    expect(await keyOf('limestone and rain', list)).toBe('password_breached');
    expect(await keyOf('sandstone and hail', list)).toBeUndefined();
    expect(asked[0]).toBe(`/range/${sha1.slice(0, 5)}`);
    expect(failures).toEqual([]);
    status = 503;
    expect(await keyOf('limestone and rain', list)).toBeUndefined();
  } finally {
    server.close();
  }
  expect(await keyOf('limestone and rain', list)).toBeUndefined();
  expect(failures).toHaveLength(2);
});
