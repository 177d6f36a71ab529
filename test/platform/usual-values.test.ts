import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { arrayOf, toUnnest } from '../../src/platform/database/unnest.ts';
import { Decimal, fitsNumeric } from '../../src/platform/decimal.ts';
import { Range, ruleOf } from '../../src/platform/graphql/rules.ts';
import { DateTime } from '../../src/platform/scalars.ts';
import { localToInstant } from '../../src/platform/time.ts';

// Values as most programs write them are read on a shorter way. Nobody may notice.

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));

test('instants are read alike on both ways, also those that no calendar has', () => {
  const year = fc.constantFrom('0000', '0001', '0099', '1970', '2024', '2026', '2100', '9999');
  const fraction = fc.constantFrom('', '.1', '.000', '.999', '.123456');
  fc.assert(
    fc.property(fc.tuple(year, two(13), two(32), two(25), two(61), two(61), fraction), ([y, m, d, h, min, s, f]) => {
      const text = `${y}-${m}-${d}T${h}:${min}:${s}${f}Z`;
      let read: Date | undefined;
      try {
        read = DateTime.parseValue(text);
      } catch {
        read = undefined;
      }
      expect(read).toEqual(localToInstant(text, 'UTC'));
    }),
    { numRuns: 400 },
  );
  for (const text of ['2026-02-29T00:00:00Z', '2026-11-31T00:00:00.000Z', '2026-11-23T24:00:00Z', '0000-01-01T00:00:00Z'])
    expect(() => DateTime.parseValue(text)).toThrow();
});

class Place {
  @Range(-90, 90) lat!: number;
  @Range(1) count!: number;
}

test('a range is the same for a text, a number and a decimal, at its ends, too', () => {
  const rule = ruleOf(Place, 'lat');
  const written = fc.oneof(
    fc.double({ min: -100, max: 100, noNaN: true }).map((n) => n.toFixed(8)),
    fc.constantFrom('90', '-90', '90.00000001', '-90.00000001', '90.000000000000000001', '-0', '0090', '+90', '9e1', '9.1e1'),
  );
  fc.assert(
    fc.property(written, (text) => {
      const broken = new Decimal(text).abs().gt(90);
      for (const value of [text, new Decimal(text)]) expect(rule.check(value) !== undefined).toBe(broken);
    }),
  );
  expect([90, 90.00000000000001, Number.NaN].map((n) => rule.check(n) !== undefined)).toEqual([false, true, false]);
  expect([0, '0', 1, '1', '0.99999999'].map((n) => ruleOf(Place, 'count').check(n) !== undefined)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
});

test('whether a number fits is decided by what it is rounded to', () => {
  expect(
    ['9999999999999.99999', '99999999999999.9999', '99999999999999.99994', '99999999999999.99995', '1e14', '-1e14'].map((n) =>
      fitsNumeric(new Decimal(n)),
    ),
  ).toEqual([true, true, true, false, false, false]);
});

test('instants are sent in binary as dates and as texts, and as texts where a column has them so', () => {
  const at = new Date('2026-11-23T12:00:00.123Z');
  const [asDate, asText] = [at, at.toISOString()].map((value) => arrayOf([value, null], 'timestamptz'));
  expect(asDate).toEqual(asText);
  const { values } = toUnnest(
    [{ at, day: at, no: new Date(Number.NaN) }],
    [
      { name: 'at', type: 'timestamp(6) with time zone' },
      { name: 'day', type: 'text' },
      { name: 'no', type: 'timestamptz' },
    ],
  );
  expect(String(values[0])).toBe(`{${at.toISOString()}}`);
  expect(String(values[1])).toContain(at.toISOString());
  expect(values[2]).toEqual(arrayOf([null], 'timestamptz'));
});
