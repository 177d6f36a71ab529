import { EARTH } from '../../platform/routing.ts';

/** A corner as GeoJSON writes it: longitude, latitude, WGS 84 degrees; what follows (height) is of no account. */
export type Corner = readonly [number, number, ...unknown[]];

/** A problem of a polygon, as a message key; undefined if it can be a geofence. */
export type PolygonProblem =
  | 'polygon_form'
  | 'polygon_range'
  | 'polygon_open'
  | 'polygon_points'
  | 'polygon_holes'
  | 'polygon_crosses'
  | 'polygon_meridian'
  | 'polygon_area';

/**
 * The most corners of a geofence, the closing one included. More would be a survey, and sides are compared pair by pair to find crossings.
 */
export const MOST_CORNERS = 1000;
/** Square metres of the largest geofence: 1,000 square kilometres, larger than any quarry. */
const LARGEST = 1e9;
/** Square metres of the smallest: less is a line. */
const SMALLEST = 1;

/** Checks the coordinates of a GeoJSON polygon (RFC 7946 section 3.1.6): one closed ring that does not cross or touch itself. */
export function polygonProblem(coordinates: unknown): PolygonProblem | undefined {
  if (!Array.isArray(coordinates) || coordinates.length === 0) return 'polygon_form';
  // A geofence with a hole would be left and entered in its middle.
  if (coordinates.length > 1) return 'polygon_holes';
  const ring: unknown = coordinates[0];
  if (!Array.isArray(ring) || !ring.every(isCorner)) return 'polygon_form';
  if (ring.some(([lon, lat]) => Math.abs(lon) > 180 || Math.abs(lat) > 90)) return 'polygon_range';
  const corners = withoutRepeats(ring);
  const first = corners[0];
  const last = corners.at(-1);
  if (!first || !last || corners.length < 4 || ring.length > MOST_CORNERS) return 'polygon_points';
  if (first[0] !== last[0] || first[1] !== last[1]) return 'polygon_open';
  // Geofences are plane figures, and such a ring would go the long way around.
  const lons = corners.map(([lon]) => lon);
  if (Math.max(...lons) - Math.min(...lons) > 180) return 'polygon_meridian';
  if (crosses(corners)) return 'polygon_crosses';
  const area = areaOf(corners);
  return area < SMALLEST || area > LARGEST ? 'polygon_area' : undefined;
}

const isCorner = (corner: unknown): corner is Corner =>
  Array.isArray(corner) && corner.length >= 2 && Number.isFinite(corner[0]) && Number.isFinite(corner[1]);

/** Drawing programs repeat a corner when somebody clicks twice. */
const withoutRepeats = (ring: readonly Corner[]): Corner[] =>
  ring.filter(([lon, lat], i) => i === 0 || lon !== ring[i - 1]![0] || lat !== ring[i - 1]![1]);

/** Square metres of a closed ring on a sphere; right to a percent, which is all a limit needs. */
function areaOf(ring: readonly Corner[]): number {
  const radians = Math.PI / 180;
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [lon1, lat1] = ring[i - 1]!;
    const [lon2, lat2] = ring[i]!;
    sum += (lon2 - lon1) * radians * (2 + Math.sin(lat1 * radians) + Math.sin(lat2 * radians));
  }
  return Math.abs((sum * EARTH * EARTH) / 2);
}

/**
 * True when two sides of a closed ring meet anywhere but in the corner they share. Sides are looked at from west to east, each with those
 * that begin before it ends; plain numbers, because this runs in the process that answers requests.
 */
function crosses(ring: readonly Corner[]): boolean {
  const x = Float64Array.from(ring, (corner) => corner[0]);
  const y = Float64Array.from(ring, (corner) => corner[1]);
  const sides = ring.length - 1;
  const west = (i: number): number => Math.min(x[i]!, x[i + 1]!);
  const order = Array.from({ length: sides }, (_, i) => i).sort((i, j) => west(i) - west(j));
  for (let at = 0; at < sides; at++) {
    const i = order[at]!;
    const east = Math.max(x[i]!, x[i + 1]!);
    for (let next = at + 1; next < sides && west(order[next]!) <= east; next++) {
      const j = order[next]!;
      const apart = Math.abs(i - j);
      if (apart === 1 || apart === sides - 1) {
        // The one before the corner they share: the last side is before the first.
        const before = apart === 1 ? Math.min(i, j) : sides - 1;
        if (foldsBack(x, y, before, before + 1, before + 1 === sides ? 1 : before + 2)) return true;
      } else if (meet(x, y, i, j)) return true;
    }
  }
  return false;
}

/** Which side of the line a-b a corner is on; 0 on it. */
const side = (x: Float64Array, y: Float64Array, a: number, b: number, c: number): number =>
  Math.sign((x[b]! - x[a]!) * (y[c]! - y[a]!) - (y[b]! - y[a]!) * (x[c]! - x[a]!));

/** A side b-c that runs back over the side a-b. */
const foldsBack = (x: Float64Array, y: Float64Array, a: number, b: number, c: number): boolean =>
  side(x, y, a, b, c) === 0 && (x[a]! - x[b]!) * (x[c]! - x[b]!) + (y[a]! - y[b]!) * (y[c]! - y[b]!) > 0;

/** Sides i and j, whose spans of longitude overlap. Four corners on one line meet when their boxes do. */
function meet(x: Float64Array, y: Float64Array, i: number, j: number): boolean {
  if (Math.max(y[i]!, y[i + 1]!) < Math.min(y[j]!, y[j + 1]!) || Math.max(y[j]!, y[j + 1]!) < Math.min(y[i]!, y[i + 1]!)) return false;
  return side(x, y, i, i + 1, j) * side(x, y, i, i + 1, j + 1) <= 0 && side(x, y, j, j + 1, i) * side(x, y, j, j + 1, i + 1) <= 0;
}
