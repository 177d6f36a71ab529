import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { given, shareOf } from '../../../src/billing/pricing/figure.ts';
import { figureJson } from '../../../src/billing/pricing/figure-json.ts';
import { add, minus, read, written } from './fractions.ts';
import { worth } from './leaves.ts';

test('B-I8: shares add up to the whole exactly, whatever they weigh, and also of hours that are no whole minutes', () => {
  const thousandths = (most: number) => fc.nat(most * 1_000).map((value) => value / 1_000);
  const whole = fc.oneof(fc.nat(1_000_000), thousandths(10_000));
  fc.assert(
    fc.property(whole, fc.array(fc.oneof(fc.nat(1_000), thousandths(1_000)), { minLength: 1, maxLength: 9 }), (whole, weights) => {
      fc.pre(weights.some((weight) => weight > 0));
      const figures = weights.map((weight) => given('weight', weight));
      const minutes = weights.map((_, i) => shareOf('portion', 'share', given('minutes', whole), figures, i));
      expect(minus(add(...minutes.map(({ value }) => read(value.toFixed()))), read(whole)).over).toBe(0n);
      // One of them at most is no whole minute.
      expect(minutes.filter(({ value }) => !value.isInteger()).length).toBeLessThanOrEqual(1);
      for (const one of minutes) expect(minus(worth(figureJson(one)), read(one.value.toFixed())).over).toBe(0n);
      const cents = Math.round(whole);
      const money = weights.map((_, i) => read(shareOf('split', 'share', given('money', cents / 100), figures, i).value.toFixed()));
      expect(written(add(...money))).toBe((cents / 100).toFixed(2));
    }),
  );
});
