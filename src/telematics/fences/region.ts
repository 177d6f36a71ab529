import { EARTH } from '../../platform/routing.ts';

/** Metres of a degree of latitude. */
const DEGREE = (Math.PI / 180) * EARTH;
/** Milliseconds after which a machine's last position says nothing of where it is. */
const STALE = 30 * 60_000;

/** Degrees, WGS 84. */
export interface Place {
  lat: number;
  lon: number;
}

/** Where a machine was at a moment, in milliseconds since 1970. */
export interface Fix extends Place {
  at: number;
}

/** The area of a fence as it is stored: a circle, a closed ring of [longitude, latitude], or a circle around a machine. */
export type Shape =
  | { kind: 'circle'; center: Place; radius: number }
  | { kind: 'polygon'; ring: readonly (readonly [number, number, ...unknown[]])[] }
  | { kind: 'moving'; radius: number; track: readonly Fix[]; pollingSeconds: number };

/** A point of the plane around a fence, in metres from its centre. */
export interface Point {
  x: number;
  y: number;
}

/** A fence, made ready to measure positions against it. */
export interface Region {
  /** Metres; of a polygon, the radius of the circle of the same area. */
  radius: number;
  /** Where the centre is at a moment; undefined if nobody knows. Only that of a moving fence changes. */
  centerAt(at: number): Place | undefined;
  /** Metres from the edge: positive outside, negative inside, 0 on it. */
  beyond(point: Point): number;
  /** True if the way between two points outside touches the fence. */
  crosses(from: Point, to: Point): boolean;
}

/** Metres between two places that are near each other, on a plane (equirectangular). */
export function metresBetween(one: Place, other: Place): number {
  const { x, y } = pointOf(other, one);
  return Math.hypot(x, y);
}

/** Returns a place as a point of the plane around a centre. */
export function pointOf({ lat, lon }: Place, center: Place): Point {
  let across = lon - center.lon;
  if (across > 180) across -= 360;
  else if (across < -180) across += 360;
  return { x: across * Math.cos((center.lat * Math.PI) / 180) * DEGREE, y: (lat - center.lat) * DEGREE };
}

/** Returns the region of a geofence, in metres around its centre. */
export function regionOf(shape: Shape): Region {
  if (shape.kind === 'polygon') return polygonRegion(shape.ring);
  const { radius } = shape;
  return {
    radius,
    centerAt: shape.kind === 'circle' ? () => shape.center : centerOf(shape.track, shape.pollingSeconds),
    beyond: ({ x, y }) => Math.hypot(x, y) - radius,
    crosses: (from, to) => distanceToSide(0, 0, from.x, from.y, to.x, to.y) <= radius,
  };
}

/**
 * The centre of a moving fence: between the two positions of the machine around the moment if they are near enough in time, otherwise the
 * last one.
 */
function centerOf(track: readonly Fix[], pollingSeconds: number): Region['centerAt'] {
  const fixes = track.toSorted((a, b) => a.at - b.at);
  return (at) => {
    let low = 0;
    let high = fixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (fixes[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    const before = fixes[low - 1];
    const after = fixes[low];
    if (!before) return undefined;
    if (after && after.at - before.at <= 2000 * pollingSeconds) {
      const part = (at - before.at) / (after.at - before.at);
      return { lat: before.lat + part * (after.lat - before.lat), lon: before.lon + part * (after.lon - before.lon) };
    }
    return at - before.at <= STALE ? before : undefined;
  };
}

function polygonRegion(ring: Extract<Shape, { kind: 'polygon' }>['ring']): Region {
  const center = { lat: ring[0]![1], lon: ring[0]![0] };
  const corners = ring.map(([lon, lat]) => pointOf({ lat, lon }, center));
  const x = Float64Array.from(corners, (corner) => corner.x);
  const y = Float64Array.from(corners, (corner) => corner.y);
  const box = { west: Math.min(...x), east: Math.max(...x), south: Math.min(...y), north: Math.max(...y) };
  return {
    radius: Math.sqrt(areaOf(x, y) / Math.PI),
    centerAt: () => center,
    beyond: (point) => {
      const aside = Math.max(box.west - point.x, point.x - box.east, 0);
      const above = Math.max(box.south - point.y, point.y - box.north, 0);
      // Most positions are far from most fences, and a lower bound of their distance decides as well as the distance.
      if (aside + above > FAR) return Math.hypot(aside, above);
      return signedDistance(x, y, point);
    },
    crosses: (from, to) => {
      if (Math.max(from.x, to.x) < box.west || Math.min(from.x, to.x) > box.east) return false;
      if (Math.max(from.y, to.y) < box.south || Math.min(from.y, to.y) > box.north) return false;
      for (let i = 1; i < x.length; i++) if (meet(from, to, x[i - 1]!, y[i - 1]!, x[i]!, y[i]!)) return true;
      return false;
    },
  };
}

/** Metres from the box of a polygon beyond which no accuracy that votes (200 m) and no margin (25 m) matters. */
const FAR = 1_000;

function areaOf(x: Float64Array, y: Float64Array): number {
  let twice = 0;
  for (let i = 1; i < x.length; i++) twice += x[i - 1]! * y[i]! - x[i]! * y[i - 1]!;
  return Math.abs(twice) / 2;
}

function signedDistance(x: Float64Array, y: Float64Array, point: Point): number {
  let inside = false;
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < x.length; i++) {
    const [x1, y1, x2, y2] = [x[i - 1]!, y[i - 1]!, x[i]!, y[i]!];
    nearest = Math.min(nearest, distanceToSide(point.x, point.y, x1, y1, x2, y2));
    if (y1 > point.y !== y2 > point.y && point.x < x1 + ((point.y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside ? -nearest : nearest;
}

/** Metres from a point to the side between two corners. */
function distanceToSide(px: number, py: number, x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - x1) * dx + (py - y1) * dy) / length));
  return Math.hypot(px - x1 - along * dx, py - y1 - along * dy);
}

function meet(from: Point, to: Point, x1: number, y1: number, x2: number, y2: number): boolean {
  const side = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number) =>
    Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
  const apart = (a1: number, a2: number, b1: number, b2: number) =>
    Math.max(a1, a2) < Math.min(b1, b2) || Math.max(b1, b2) < Math.min(a1, a2);
  if (apart(from.x, to.x, x1, x2) || apart(from.y, to.y, y1, y2)) return false;
  return (
    side(from.x, from.y, to.x, to.y, x1, y1) * side(from.x, from.y, to.x, to.y, x2, y2) <= 0 &&
    side(x1, y1, x2, y2, from.x, from.y) * side(x1, y1, x2, y2, to.x, to.y) <= 0
  );
}
