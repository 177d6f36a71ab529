import type { Site } from '../directory/sites/site.entity.ts';
import { greatCircle, type RoutePoint as Place } from '../platform/routing.ts';

/** Points of a way between its ends. */
const BENDS = 24;

/**
 * Returns a way between two sites, point by point. The repository has no roads around Austin whose licence fits, so the way is made up: it
 * leaves the straight line by an eighth of its length and winds a little, always the same way between the same two sites, and back.
 */
export function wayBetween(from: Site, to: Site): Place[] {
  if (from.id > to.id) return wayBetween(to, from).reverse();
  const [a, b] = [placeOf(from), placeOf(to)];
  const side = (from.name.length + to.name.length) % 2 === 0 ? 1 : -1;
  // A degree of longitude is shorter than one of latitude.
  const narrow = Math.cos((a.lat * Math.PI) / 180);
  const [north, east] = [b.lat - a.lat, (b.lon - a.lon) * narrow];
  return Array.from({ length: BENDS + 2 }, (_, i) => {
    const at = i / (BENDS + 1);
    const aside = side * (0.125 * Math.sin(Math.PI * at) + 0.02 * Math.sin(5 * Math.PI * at));
    return { lat: a.lat + north * at - aside * east, lon: a.lon + (east * at + aside * north) / narrow };
  });
}

/** Returns the place at a share of a way, 0 to 1, and where one looks there, clockwise from north. */
export function placeOn(way: readonly Place[], share: number): Place & { bearing: number } {
  const lengths = way.slice(1).map((place, i) => greatCircle(way[i]!, place));
  let left = Math.max(0, Math.min(1, share)) * lengths.reduce((sum, one) => sum + one, 0);
  let i = 0;
  while (i < lengths.length - 1 && left > lengths[i]!) left -= lengths[i++]!;
  const [a, b] = [way[i]!, way[i + 1]!];
  const part = lengths[i] === 0 ? 0 : left / lengths[i]!;
  const narrow = Math.cos((a.lat * Math.PI) / 180);
  const bearing = (Math.atan2((b.lon - a.lon) * narrow, b.lat - a.lat) * 180) / Math.PI;
  return { lat: a.lat + (b.lat - a.lat) * part, lon: a.lon + (b.lon - a.lon) * part, bearing: Math.round((bearing + 360) % 360) };
}

const placeOf = ({ lat, lon }: Site): Place => ({ lat: Number(lat), lon: Number(lon) });
