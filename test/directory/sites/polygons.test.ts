import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { polygonProblem } from '../../../src/directory/sites/polygons.ts';
import { processorTime } from '../../helpers/until.ts';

type Corner = [number, number];

/** A ring around a place whose corners are met in the order of their bearings: it cannot cross itself. */
const star = fc
  .tuple(
    fc.integer({ min: -170, max: 170 }),
    fc.integer({ min: -70, max: 70 }),
    fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 40 }),
  )
  .map(([lon, lat, reaches]): Corner[] => {
    const corners = reaches.map((reach, i): Corner => {
      const bearing = (2 * Math.PI * i) / reaches.length;
      return [lon + (reach / 1000) * Math.cos(bearing), lat + (reach / 1000) * Math.sin(bearing)];
    });
    return [...corners, corners[0]!];
  });

/** Corners on a circle, not closed. */
const circle = (corners: number): Corner[] =>
  Array.from({ length: corners }, (_, i): Corner => {
    const bearing = (2 * Math.PI * i) / corners;
    return [0.01 * Math.cos(bearing), 0.01 * Math.sin(bearing)];
  });

test('a ring that goes around a place once is a valid geofence, from any corner and in either direction', () => {
  fc.assert(
    fc.property(star, fc.nat(), fc.boolean(), (ring, turn, reversed) => {
      const open = ring.slice(0, -1);
      const from = turn % open.length;
      const turned = [...open.slice(from), ...open.slice(0, from)];
      if (reversed) turned.reverse();
      expect(polygonProblem([[...turned, turned[0]]])).toBeUndefined();
    }),
  );
});

test('exchanging two neighbours of a convex ring makes it cross itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 60 }), fc.nat(), (corners, at) => {
      const ring = circle(corners);
      const [first, second] = [at % corners, (at + 1) % corners];
      [ring[first], ring[second]] = [ring[second]!, ring[first]!];
      expect(polygonProblem([[...ring, ring[0]]])).toBe('polygon_crosses');
    }),
  );
});

test('touching and running back count as crossing, a repeated corner does not', () => {
  const square: Corner[] = [
    [0, 0],
    [0.01, 0],
    [0.01, 0.01],
    [0, 0.01],
  ];
  const [a, b, c, d] = square as [Corner, Corner, Corner, Corner];
  expect(polygonProblem([[a, b, c, [0.005, 0], d, a]])).toBe('polygon_crosses');
  expect(polygonProblem([[a, b, [0.02, 0], b, c, d, a]])).toBe('polygon_crosses');
  expect(polygonProblem([[a, b, [0.005, 0], c, d, a]])).toBe('polygon_crosses');
  expect(polygonProblem([[a, a, b, c, c, d, a]])).toBeUndefined();
  expect(polygonProblem([[a, b, [0.02, 0], a]])).toBe('polygon_crosses');
});

test('a thousand corners are checked in a moment, and more are refused', async () => {
  const ring = (corners: number) => [...circle(corners - 1), circle(corners - 1)[0]];
  expect(await processorTime(() => expect(polygonProblem([ring(1000)])).toBeUndefined())).toBeLessThan(500);
  expect(polygonProblem([ring(1001)])).toBe('polygon_points');
});

test('a ring across the 180th meridian is refused as such, and one next to it is valid', () => {
  const ring = (west: number, east: number): Corner[] => [
    [west, 52],
    [east, 52],
    [east, 52.01],
    [west, 52.01],
    [west, 52],
  ];
  expect(polygonProblem([ring(179.995, -179.995)])).toBe('polygon_meridian');
  expect([polygonProblem([ring(179.99, 180)]), polygonProblem([ring(-180, -179.99)])]).toEqual([undefined, undefined]);
});
