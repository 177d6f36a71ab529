import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '../../src/platform/decimal.ts';
import { type ReviewFacts, type ReviewLimits, reviewLoad } from '../../src/proof/review/review-load.ts';

const LIMITS: ReviewLimits = {
  ...{ overCapacityPercent: 10, outlierDeviations: 4, nearDuplicateMinutes: 5, flagBelowPercent: 70 },
  ...{ shortestOnSiteMinutes: 2, longestOnSiteMinutes: 90 },
};
const SERVED = Date.UTC(2026, 10, 20, 15);
const seen = { id: 't', number: 'T-1', quantity: new Decimal('21.5'), unit: 'Ton', truck: 'TRK-1', served: SERVED } as const;
const ticket = { ...seen, gross: null, tare: null, hasImage: true, materialId: 'm', servedOn: '2026-11-20', unreadable: false };
/** A load with which nothing is wrong. */
const FINE: ReviewFacts = {
  ...{ ticket, quantity: null, unit: 'Ton', materialId: 'm', dates: ['2026-11-20'], numberUsedBy: null, ofOrder: [seen] },
  ...{ capacities: [{ capacity: new Decimal(22), unit: 'Ton' }], onSite: [10, 12], cycle: 60, usualCycle: 60, truckThere: null },
};
const of = (more: Partial<NonNullable<ReviewFacts['ticket']>>): Partial<ReviewFacts> => ({ ticket: { ...ticket, ...more } });
const others = (...quantities: number[]) => quantities.map((q, i) => ({ ...seen, id: `o${i}`, quantity: new Decimal(q), truck: null }));
const review = (more: Partial<ReviewFacts> = {}, limits = LIMITS) => {
  const { confidence, status, issues } = reviewLoad({ ...FINE, ...more }, limits);
  return { confidence: confidence.toFixed(2), status, codes: issues.map((issue) => issue.split(':')[0]), issues };
};

/** Each row of the table: its code, what is wrong, and what is left of the confidence. */
const WRONG: [code: string, facts: Partial<ReviewFacts>, confidence: string, status?: string][] = [
  ['duplicate_number', { numberUsedBy: 'x' }, '1.00', 'duplicate'],
  ['unreadable', of({ unreadable: true }), '1.00', 'unreadable'],
  ['near_duplicate', { ofOrder: [seen, { ...seen, id: 'x', number: 'T-2', served: SERVED + 300_000 }] }, '0.50'],
  ['over_capacity', of({ quantity: new Decimal('24.21') }), '0.60'],
  ['outlier', { ...of({ quantity: new Decimal('221.4') }), capacities: [], ofOrder: others(22.4, 22.1, 21.9, 22.6, 221.4) }, '0.60'],
  ['missing_quantity', of({ quantity: null }), '0.40'],
  ['zero_quantity', of({ quantity: new Decimal(0) }), '0.40'],
  ['missing_number', of({ number: null }), '0.40'],
  ['missing_image', of({ hasImage: false }), '0.40'],
  ['wrong_day', of({ servedOn: '2026-11-21' }), '0.70', 'approved'],
  ['wrong_material', of({ materialId: 'sand' }), '0.70', 'approved'],
  ['wrong_unit', of({ unit: 'Yard' }), '0.70', 'approved'],
  ['weights_do_not_add', of({ gross: new Decimal('36.05'), tare: new Decimal('14.5') }), '0.50'],
  ['onsite_out_of_range', { onSite: [10, 91] }, '0.80', 'approved'],
  ['cycle_out_of_range', { cycle: 121 }, '0.80', 'approved'],
  ['truck_not_there', { truckThere: false }, '0.60'],
];

test.each(WRONG)('a review finds %s', (code, facts, confidence, status = 'flagged') => {
  expect(review(facts)).toMatchObject({ codes: [code], confidence, status });
});

test('nothing is wrong with a load at the edge of each rule', () => {
  const fine = { status: 'approved', confidence: '1.00', issues: [] };
  const edges: Partial<ReviewFacts>[] = [
    { ofOrder: [seen, { ...seen, id: 'x', served: SERVED + 300_001 }, { ...seen, id: 'y', truck: 'TRK-2' }] },
    of({ quantity: new Decimal('24.2') }),
    { ...of({ quantity: new Decimal('221.4') }), capacities: [], ofOrder: others(22.4, 22.1, 21.9, 221.4) },
    // Four deviations of the one per cent that scales differ by.
    { ...of({ quantity: new Decimal('22.88') }), ofOrder: others(22, 22, 22, 22, 22.88) },
    { dates: ['2026-11-19', '2026-11-20'] },
    // A unit that converts is kept as it was weighed.
    of({ unit: 'Tonne' }),
    of({ gross: new Decimal('36.02'), tare: new Decimal('14.5') }),
    { onSite: [2, 90] },
    { cycle: 30 },
    { cycle: 120 },
    { truckThere: true },
  ];
  for (const facts of edges) expect(review(facts)).toMatchObject(fine);
});

test('A12: a ticket in tonnes on an order in tons is not flagged for its unit', () => {
  const tonnes = of({ unit: 'Tonne', quantity: new Decimal('19.5') });
  expect(review(tonnes)).toEqual({ confidence: '1.00', status: 'approved', codes: [], issues: [] });
});

test('M4: over capacity and on the wrong day is 0.30, and flagged', () => {
  const found = review(of({ quantity: new Decimal('27.28'), servedOn: '2026-11-21' }));
  expect(found).toMatchObject({ status: 'flagged', confidence: '0.30' });
  expect(found.issues).toEqual([
    'over_capacity: 27.28 Ton, truck holds 22 (24 % over)',
    'wrong_day: served on 2026-11-21, hauled on 2026-11-20',
  ]);
});

test('A12: a night shift has two dates, and both fit its tickets', () => {
  const dates = ['2026-11-20', '2026-11-21'];
  for (const servedOn of dates) expect(review({ ...of({ servedOn }), dates }).codes).toEqual([]);
  expect(review({ ...of({ servedOn: '2026-11-22' }), dates }).codes).toEqual(['wrong_day']);
});

test('an issue more never raises the confidence, the same facts give the same review, and the worst status decides', () => {
  fc.assert(
    fc.property(fc.subarray(WRONG.filter(([code]) => code !== 'zero_quantity')), fc.nat(), (some, at) => {
      const merged = (rows: typeof WRONG): Partial<ReviewFacts> => {
        const facts: Partial<ReviewFacts> = {};
        // Each row changes fields of its own of the ticket.
        const changed: Record<string, unknown> = {};
        for (const [, { ticket: wrong, ...more }] of rows) {
          Object.assign(facts, more);
          for (const [field, value] of Object.entries(wrong ?? {}))
            if (value !== ticket[field as keyof typeof ticket]) changed[field] = value;
        }
        return { ...facts, ticket: { ...ticket, ...changed } };
      };
      const more = review(merged(some));
      const fewer = review(merged(some.filter((_, index) => index !== at % Math.max(some.length, 1))));
      expect(review(merged(some))).toEqual(more);
      if (fewer.codes.every((code) => more.codes.includes(code)))
        expect(Number(more.confidence)).toBeLessThanOrEqual(Number(fewer.confidence));
      if (more.codes.includes('duplicate_number')) expect(more.status).toBe('duplicate');
      else if (more.codes.includes('unreadable')) expect(more.status).toBe('unreadable');
      else expect(more.status).toBe(Number(more.confidence) < 0.7 ? 'flagged' : 'approved');
    }),
  );
});
