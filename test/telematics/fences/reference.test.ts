import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { visitsOf } from '../../../scripts/real/visits.ts';
import { evaluatedPositions } from '../../../src/telematics/fences/evaluated-positions.ts';
import { findTriggers } from '../../../src/telematics/fences/find-triggers.ts';
import { regionOf } from '../../../src/telematics/fences/region.ts';
import { runs } from '../../helpers/properties.ts';

const PIT = { lat: 41.85, lon: -87.7 };
const METRE = 180 / Math.PI / 6_371_008.8;

test('visits are those of a slow reference that follows the words of the rule, whatever the way and the delay (A-I4)', () => {
  const step = fc.record({ seconds: fc.integer({ min: 1, max: 120 }), metres: fc.integer({ min: -400, max: 400 }) });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom(0, 30, 60, 180),
      fc.constantFrom(100, 150, 300),
      (steps, delay, radius) => {
        let at = 0;
        const pings = steps.map(({ seconds, metres }) => {
          at += seconds * 1000;
          return { at, lat: PIT.lat + metres * METRE, lon: PIT.lon };
        });
        const positions = evaluatedPositions(
          pings.map((ping, i) => ({ ...ping, id: String(i), accuracy: null, source: 'phone' as const, device: 'phone' })),
        );
        const region = regionOf({ kind: 'circle', center: PIT, radius });
        const found = findTriggers(region, positions, { strategy: 'live', delaySeconds: delay }).triggers.filter(({ crossed }) => !crossed);
        expect(found.map(({ type, position }) => ({ type, at: position.at }))).toEqual(visitsOf(pings.toReversed(), PIT, radius, delay));
      },
    ),
    { numRuns: runs(300) },
  );
});
