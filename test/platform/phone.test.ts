import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isUuid, newId } from '../../src/platform/ids.ts';
import { normalizePhone, readPhone } from '../../src/platform/phone.ts';

test.each([
  ['US', '(201) 555-0123', '+12015550123'],
  ['US', '+1 201-555-0123', '+12015550123'],
  ['CA', '(506) 234-5678', '+15062345678'],
  ['GB', '0121 234 5678', '+441212345678'],
  ['FR', '01 23 45 67 89', '+33123456789'],
  ['DE', '030 1234', '+49301234'],
  ['MX', '222 123 4567', '+522221234567'],
  ['AU', '+61212345678', '+61212345678'],
  ['nowhere', '(201) 555-0123', '+12015550123'],
])('in %s %s is %s', (region, text, e164) => {
  expect(normalizePhone(text, region)).toBe(e164);
});

test.each(['+612123456', '+150623456', '+331234567', '+4412123456', '+5220012345', '+120155501', 'call me', '', '1'.repeat(1000)])(
  '%p is no telephone number',
  (text) => {
    expect(normalizePhone(text)).toBeUndefined();
  },
);

const DIALLED: [string, string, string][] = [
  ['US', '(512) 555-0199', '+15125550199'],
  ['CA', '+1 506 234 5678', '+15062345678'],
  ['GB', '0121 234 5678', '+441212345678'],
];

test('an extension is never dropped silently: the number is reported without it, and refused as it is', () => {
  const extension = fc
    .tuple(fc.constantFrom(' ext. ', ' ext ', ' extension ', ' x', ' x ', ' #', ';ext='), fc.integer({ min: 1, max: 9999 }))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...DIALLED), extension, ([region, text, e164], after) => {
      expect([after, readPhone(text, region)]).toEqual([after, { number: e164 }]);
      expect([after, readPhone(text + after, region)]).toEqual([after, { number: e164, wrong: 'phone_extension' }]);
      expect(normalizePhone(text + after, region)).toBeUndefined();
    }),
  );
});

test('ids sort by the order in which they were created', () => {
  const ids = Array.from({ length: 1000 }, newId);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every(isUuid)).toBe(true);
  expect([isUuid('x'), isUuid(`${newId()}0`), isUuid(undefined)]).toEqual([false, false, false]);
});
