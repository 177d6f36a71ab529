import { OUTLINES } from './outlines.ts';

/** A state or province, or `Unknown`, as the public contract writes it. */
export type AdministrativeArea = string;

const UNKNOWN: AdministrativeArea = 'Unknown';
/** Degrees of the cells for which the area is remembered. */
const CELL = 0.1;
/** Degrees of latitude, about 20 km, within which a place off the coast belongs to the nearest area: the outlines are coarse there. */
const OFFSHORE = 0.18;

interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

interface Ring extends Box {
  /** Longitude and latitude in turn. */
  corners: Float64Array;
}

interface Area extends Box {
  name: AdministrativeArea;
  rings: Ring[];
}

let all: Area[] | undefined;
/** The area of each cell that no outline passes through; null for cells that have to be looked at place by place. */
const cells = new Map<number, AdministrativeArea | null>();

/** The state or province of a place in degrees; `Unknown` outside of the United States and Canada. */
export function areaAt(lat: number, lon: number): AdministrativeArea {
  const [row, column] = [Math.floor(lat / CELL), Math.floor(lon / CELL)];
  const key = row * 10_000 + column;
  let known = cells.get(key);
  if (known === undefined) {
    const box = { west: column * CELL, east: (column + 1) * CELL, south: row * CELL, north: (row + 1) * CELL };
    known = isCrossed(box) ? null : find(lat, lon);
    cells.set(key, known);
  }
  return known ?? find(lat, lon);
}

function find(lat: number, lon: number): AdministrativeArea {
  const near = areas().filter((area) => isIn(area, lat, lon, OFFSHORE));
  const inside = near.find(({ rings }) => rings.filter((ring) => isIn(ring, lat, lon, 0) && contains(ring, lat, lon)).length % 2 === 1);
  if (inside) return inside.name;
  let nearest = { name: UNKNOWN, distance: OFFSHORE };
  for (const { name, rings } of near)
    for (const ring of rings) {
      const distance = isIn(ring, lat, lon, OFFSHORE) ? distanceTo(ring, lat, lon) : OFFSHORE;
      if (distance < nearest.distance) nearest = { name, distance };
    }
  return nearest.name;
}

/** Whether an outline passes through a cell, or so near that a place in it may belong to the area off its coast. */
const isCrossed = (cell: Box): boolean =>
  areas().some(
    (area) =>
      touches(area, cell) &&
      area.rings.some((ring) => {
        if (!touches(ring, cell)) return false;
        for (let at = 0; at + 3 < ring.corners.length; at += 2) if (touches(edgeOf(ring.corners, at), cell)) return true;
        return false;
      }),
  );

function edgeOf(corners: Float64Array, at: number): Box {
  const [x1, y1, x2, y2] = [corners[at]!, corners[at + 1]!, corners[at + 2]!, corners[at + 3]!];
  return { west: Math.min(x1, x2), east: Math.max(x1, x2), south: Math.min(y1, y2), north: Math.max(y1, y2) };
}

/** Degrees of longitude that are as long as a degree of latitude, or longer, in the very north of Canada. */
const WIDEST = 8;
const touches = (one: Box, cell: Box): boolean =>
  one.west <= cell.east + OFFSHORE * WIDEST &&
  one.east >= cell.west - OFFSHORE * WIDEST &&
  one.south <= cell.north + OFFSHORE &&
  one.north >= cell.south - OFFSHORE;

const isIn = (box: Box, lat: number, lon: number, margin: number): boolean => {
  const across = margin / Math.max(1 / WIDEST, Math.cos((lat * Math.PI) / 180));
  return lon >= box.west - across && lon <= box.east + across && lat >= box.south - margin && lat <= box.north + margin;
};

/** Whether a ray from the place to the east crosses the ring an odd number of times. */
function contains({ corners }: Ring, lat: number, lon: number): boolean {
  let inside = false;
  for (let at = 0; at + 3 < corners.length; at += 2) {
    const [x1, y1, x2, y2] = [corners[at]!, corners[at + 1]!, corners[at + 2]!, corners[at + 3]!];
    if (y1 > lat !== y2 > lat && lon < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

/** From a place to the nearest edge, in degrees of latitude. */
function distanceTo({ corners }: Ring, lat: number, lon: number): number {
  const shrink = Math.cos((lat * Math.PI) / 180);
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 3 < corners.length; at += 2) {
    const [x1, y1] = [(corners[at]! - lon) * shrink, corners[at + 1]! - lat];
    const [x, y] = [(corners[at + 2]! - lon) * shrink - x1, corners[at + 3]! - lat - y1];
    const share = Math.min(1, Math.max(0, -(x1 * x + y1 * y) / (x * x + y * y || 1)));
    nearest = Math.min(nearest, Math.hypot(x1 + share * x, y1 + share * y));
  }
  return nearest;
}

/** Read at the first use, because not every process needs them. */
const areas = (): Area[] => (all ??= Object.entries(OUTLINES).map(([name, text]) => areaOf(name, text)));

function areaOf(name: string, text: string): Area {
  const rings = text.split(';').map(ringOf);
  return { name, rings, ...boxOf(rings.flatMap(({ west, south, east, north }) => [west, south, east, north])) };
}

function ringOf(text: string): Ring {
  const corners = Float64Array.from(text.split(' '), Number);
  for (let at = 2; at < corners.length; at++) corners[at]! += corners[at - 2]!;
  const degrees = corners.map((thousandths) => thousandths / 1000);
  return { corners: degrees, ...boxOf(degrees) };
}

function boxOf(pairs: ArrayLike<number>): Box {
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    box.west = Math.min(box.west, pairs[at]!);
    box.east = Math.max(box.east, pairs[at]!);
    box.south = Math.min(box.south, pairs[at + 1]!);
    box.north = Math.max(box.north, pairs[at + 1]!);
  }
  return box;
}
