import type { Place } from './day-api.ts';

/** Pixels of a map tile. */
const TILE = 256;
/** Metres around the equator. */
const EQUATOR = 40_075_016.686;
export const MOST_ZOOM = 17;

/** The part of the world that a map shows: its middle, and how near, as tile servers count: each step is twice as near. */
export interface Shown {
  centre: Place;
  zoom: number;
}

/** Returns where a place is on a map of the whole world at a zoom, in pixels (Web Mercator, as tiles are cut). */
export function project({ lat, lon }: Place, zoom: number): { x: number; y: number } {
  const size = TILE * 2 ** zoom;
  const sin = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
  return { x: ((lon + 180) / 360) * size, y: (0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * size };
}

/** Returns the place of a pixel on that map. */
export function placeAt({ x, y }: { x: number; y: number }, zoom: number): Place {
  const size = TILE * 2 ** zoom;
  return { lat: (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / size))) * 180) / Math.PI, lon: (x / size) * 360 - 180 };
}

/** Returns the metres of a pixel at a latitude. */
export const metresPerPixel = (lat: number, zoom: number): number => (EQUATOR * Math.cos((lat * Math.PI) / 180)) / (TILE * 2 ** zoom);

/** Returns what shows all places within a frame of pixels, with a margin; undefined without places. */
export function around(places: readonly Place[], width: number, height: number): Shown | undefined {
  if (places.length === 0) return undefined;
  const at = places.map((place) => project(place, 0));
  const [left, right] = [Math.min(...at.map(({ x }) => x)), Math.max(...at.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...at.map(({ y }) => y)), Math.max(...at.map(({ y }) => y))];
  const fits = Math.log2(Math.min((width * 0.84) / (right - left || 1e-9), (height * 0.84) / (bottom - top || 1e-9)));
  return { centre: placeAt({ x: (left + right) / 2, y: (top + bottom) / 2 }, 0), zoom: Math.min(fits, 14) };
}

/** The tiles that cover a frame around the middle of a map, as they are numbered, and where each is in the frame. */
export function tilesOf({ centre, zoom }: Shown, width: number, height: number) {
  const level = Math.max(0, Math.min(MOST_ZOOM, Math.round(zoom)));
  const size = TILE * 2 ** (zoom - level);
  const middle = project(centre, zoom);
  const [left, top] = [middle.x - width / 2, middle.y - height / 2];
  const tiles: { key: string; level: number; column: number; row: number; x: number; y: number; size: number }[] = [];
  const count = 2 ** level;
  for (let row = Math.max(0, Math.floor(top / size)); row <= Math.min(count - 1, Math.floor((top + height) / size)); row++)
    for (let column = Math.floor(left / size); column <= Math.floor((left + width) / size); column++)
      tiles.push({
        ...{ key: `${level}/${column}/${row}`, level, column: ((column % count) + count) % count, row },
        ...{ x: column * size - left, y: row * size - top, size },
      });
  return tiles;
}
