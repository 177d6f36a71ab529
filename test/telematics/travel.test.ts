import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { greatCircle } from '../../src/platform/routing.ts';
import { areaAt } from '../../src/telematics/distances/administrative-area.ts';
import { type TrackPosition, type TravelledJob, trackOf, travelledBy, unmeasuredIn } from '../../src/telematics/distances/travel.ts';
import { evaluatedPositions } from '../../src/telematics/fences/evaluated-positions.ts';
import { runs } from '../helpers/properties.ts';

let made = 0;
const ping = (seconds: number, lat: number, lon: number, more: Partial<TrackPosition> = {}): TrackPosition => ({
  ...{ id: String(made++), at: seconds * 1000, lat, lon, accuracy: 8, source: 'phone', device: 'phone', offline: false, equipmentId: null },
  ...more,
});
const totalOf = (positions: TrackPosition[], jobs: TravelledJob[] = []) =>
  travelledBy(positions, jobs).reduce((sum, { decimetres }) => sum + decimetres, 0) / 10;

test.each([
  [43.65, -79.38, 'Ontario'],
  [49.28, -123.12, 'British Columbia'],
  [45.5, -73.57, 'Québec'],
  [44.65, -63.57, 'Nova Scotia'],
  [47.56, -52.71, 'Newfoundland and Labrador'],
  [62.45, -114.37, 'Northwest Territories'],
  [30.27, -97.74, 'Texas'],
  [40.75, -73.99, 'New York'],
  [38.9, -77.03, 'District of Columbia'],
  [42.33, -83.05, 'Michigan'],
  [21.31, -157.86, 'Hawaii'],
  [18.45, -66.07, 'Puerto Rico'],
  [25.69, -100.32, 'Unknown'],
  [51.5, -0.12, 'Unknown'],
])('%d, %d lies in %s', (lat, lon, area) => {
  expect(areaAt(lat, lon)).toBe(area);
});

test('legs are measured, unless they are too fast, over a gap, or within what a standing truck seems to move', () => {
  // 0.01 degrees of latitude are 1,111.95 m.
  const leg = greatCircle({ lat: 30, lon: -97 }, { lat: 30.01, lon: -97 });
  expect(leg).toBeCloseTo(1_111.951, 2);
  expect(totalOf([ping(0, 30, -97), ping(60, 30.01, -97), ping(120, 30.02, -97)])).toBe(2_223.9);
  // 1,112 m in 20 s are 56 m/s.
  expect(totalOf([ping(0, 30, -97), ping(20, 30.01, -97)])).toBe(0);
  expect(totalOf([ping(0, 30, -97), ping(15 * 60, 30.01, -97)])).toBe(1_112);
  expect(totalOf([ping(0, 30, -97), ping(15 * 60 + 1, 30.01, -97)])).toBe(0);
  // A time that nobody measured is shown apart.
  expect(unmeasuredIn([ping(0, 30, -97), ping(15 * 60, 30.01, -97), ping(31 * 60, 30.02, -97)])).toBeCloseTo(1_111.951, 2);
  // Around a spot, by less than the accuracy: 0.00005 degrees are 5.6 m.
  expect(totalOf([0, 1, 0, 1, 0, 1].map((n, i) => ping(i * 30, 30 + n * 0.000_05, -97)))).toBe(0);
  // A queue that creeps on: what is below the accuracy adds up.
  expect(totalOf(Array.from({ length: 11 }, (_, i) => ping(i * 30, 30 + i * 0.000_05, -97)))).toBeCloseTo(55.6, 0);
});

test('a leg belongs to the job and the load of its middle, and over a border to both sides', () => {
  const load = { id: 'load', from: 0, until: 400_000, loadedAt: 100_000, unloadedAt: 300_000 };
  const job = { id: 'job', from: 0, until: 500_000, equipmentId: 'truck', loads: [load] };
  // North over the Red River, from Texas to Oklahoma.
  const positions = Array.from({ length: 8 }, (_, i) => ping(i * 100, 33.6 + i * 0.04, -97.14));
  const found = travelledBy(positions, [job]);
  const metres = (type: string) => found.filter((one) => one.type === type).reduce((sum, one) => sum + one.decimetres, 0) / 10;
  const leg = greatCircle(positions[0]!, positions[1]!);
  // 44 m/s is just slow enough.
  expect(metres('loaded')).toBeCloseTo(2 * leg, 0);
  expect(metres('unloaded')).toBeCloseTo(3 * leg, 0);
  expect(metres('off_job')).toBeCloseTo(2 * leg, 0);
  expect([...new Set(found.map(({ area }) => area))].sort()).toEqual(['Oklahoma', 'Texas']);
  expect(found.find(({ type }) => type === 'loaded')).toMatchObject({ jobId: 'job', loadId: 'load', equipmentId: 'truck' });
});

test('parts add up to the total, to the tenth of a metre, and the order in which positions came changes nothing (A-I9)', () => {
  const walk = fc.array(
    fc.record({
      wait: fc.integer({ min: 1, max: 1_200 }),
      north: fc.integer({ min: -200, max: 300 }),
      east: fc.integer({ min: -200, max: 200 }),
    }),
    { minLength: 2, maxLength: 60 },
  );
  const cuts = fc.array(fc.integer({ min: 0, max: 36_000 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(walk, cuts, fc.integer(), (steps, times, seed) => {
      const place = { at: 0, lat: 33.6, lon: -97.1 };
      const positions = steps.map(({ wait, north, east }) => {
        place.at += wait;
        place.lat += north / 10_000;
        place.lon += east / 10_000;
        return ping(place.at, place.lat, place.lon);
      });
      const [from, loadedAt, unloadedAt, until] = times.toSorted((a, b) => a - b).map((seconds) => seconds * 1000) as [
        number,
        number,
        number,
        number,
      ];
      const jobs = [{ id: 'job', from, until, equipmentId: null, loads: [{ id: 'load', from, until, loadedAt, unloadedAt }] }];
      const found = travelledBy(positions, jobs);
      const whole = travelledBy(positions, []);
      const sum = (ones: typeof found) => ones.reduce((total, { decimetres }) => total + decimetres, 0);
      expect(sum(found)).toBe(sum(whole));
      const shuffled = positions.toSorted((a, b) => ((Number(a.id) * 7_919 + seed) % 97) - ((Number(b.id) * 7_919 + seed) % 97));
      expect(travelledBy(evaluatedPositions(shuffled) as TrackPosition[], jobs)).toEqual(found);
    }),
    { numRuns: runs(60) },
  );
});

test('minutes of a time leave out gaps of more than ten minutes', () => {
  const at = [0, 60, 120, 720, 1_321, 1_350];
  const positions = at.map((seconds) => ping(seconds, 30, -97, { offline: seconds === 60 }));
  // 0..720 s, and 29 s after a gap of 601 s.
  expect(trackOf(positions, { from: 0, until: null })).toEqual({ pings: 6, offlinePings: 1, minutes: 12, longestGapSeconds: 601 });
  expect(trackOf(positions, { from: 60_000, until: 120_000 })).toEqual({ pings: 2, offlinePings: 1, minutes: 1, longestGapSeconds: 60 });
  expect(trackOf([], { from: 0, until: null })).toEqual({ pings: 0, offlinePings: 0, minutes: 0, longestGapSeconds: 0 });
});
