import { greatCircle, type RoutePoint as Place } from '../platform/routing.ts';
import { HIGHWAYS } from './highways.ts';

/** A site that has coordinates. */
interface Located {
  lat?: { toString(): string } | null;
  lon?: { toString(): string } | null;
}

/** How a place is reached on the shortest way that is known so far. */
interface Reached {
  metres: number;
  before: Place | undefined;
}

/** Where a straight spur from a site meets a road, between two of its places. */
interface Spur {
  at: Place;
  stretch: Stretch;
}

type Stretch = readonly [Place, Place];

/** The stretches of all roads. A place is one object for every road that runs through it, so that roads are joined there. */
const STRETCHES: readonly Stretch[] = HIGHWAYS.flatMap(({ course }) => course.slice(1).map((place, i): Stretch => [course[i]!, place]));

/**
 * Returns the shortest way between two sites along the main roads, point by point: from the site straight to the nearest road, along roads, and
 * from the road straight to the other site. It is the same way back, and at every start.
 */
export function wayBetween(from: Located, to: Located): Place[] {
  const [a, b] = [placeOf(from), placeOf(to)];
  // Of two ways of the same length, the same one is taken in both directions.
  if (a.lat > b.lat || (a.lat === b.lat && a.lon > b.lon)) return wayBetween(to, from).reverse();
  return [a, ...alongRoads(spurFrom(a), spurFrom(b)), b];
}

/** Returns the place at a share of a way, 0 to 1, and where one looks there, clockwise from north. */
export function placeOn(way: readonly Place[], share: number): Place & { bearing: number } {
  const lengths = way.slice(1).map((place, i) => greatCircle(way[i]!, place));
  let left = Math.max(0, Math.min(1, share)) * lengths.reduce((sum, one) => sum + one, 0);
  let i = 0;
  while (i < lengths.length - 1 && left > lengths[i]!) left -= lengths[i++]!;
  const [a, b] = [way[i]!, way[i + 1]!];
  const part = lengths[i] === 0 ? 0 : left / lengths[i]!;
  const bearing = (Math.atan2((b.lon - a.lon) * narrowAt(a.lat), b.lat - a.lat) * 180) / Math.PI;
  return { lat: a.lat + (b.lat - a.lat) * part, lon: a.lon + (b.lon - a.lon) * part, bearing: Math.round((bearing + 360) % 360) };
}

/** Returns the metres of a way. */
export const lengthOf = (way: readonly Place[]): number => way.slice(1).reduce((sum, place, i) => sum + greatCircle(way[i]!, place), 0);

/** The shortest way between two points of roads, by Dijkstra. A stretch on which both are is driven between them only. */
function alongRoads(from: Spur, to: Spur): Place[] {
  const next = neighbours(from, to);
  const reached = new Map<Place, Reached>([[from.at, { metres: 0, before: undefined }]]);
  const open = new Set([from.at]);
  while (open.size > 0) {
    const here = [...open].reduce((best, one) => (reached.get(one)!.metres < reached.get(best)!.metres ? one : best));
    if (here === to.at) return wayTo(here, reached);
    open.delete(here);
    for (const there of next.get(here) ?? []) {
      const metres = reached.get(here)!.metres + greatCircle(here, there);
      if (metres >= (reached.get(there)?.metres ?? Number.POSITIVE_INFINITY)) continue;
      reached.set(there, { metres, before: here });
      open.add(there);
    }
  }
  throw new Error('no road of the demo leads from one of its sites to another');
}

function wayTo(place: Place, reached: ReadonlyMap<Place, Reached>): Place[] {
  const { before } = reached.get(place)!;
  return before ? [...wayTo(before, reached), place] : [place];
}

/** The places that one comes to next from each place; a stretch that a spur meets is two, or three if both do. */
function neighbours(...spurs: readonly Spur[]): Map<Place, Place[]> {
  const next = new Map<Place, Place[]>();
  const join = (a: Place, b: Place) => next.set(a, [...(next.get(a) ?? []), b]);
  for (const stretch of STRETCHES) {
    const [begin, end] = stretch;
    const met = spurs.filter((spur) => spur.stretch === stretch && !stretch.includes(spur.at)).map(({ at }) => at);
    const course = [begin, ...met.sort((a, b) => greatCircle(begin, a) - greatCircle(begin, b)), end];
    for (const [i, place] of course.slice(1).entries()) {
      join(course[i]!, place);
      join(place, course[i]!);
    }
  }
  return next;
}

/** The nearest point of the nearest road. */
function spurFrom(site: Place): Spur {
  const spurs = STRETCHES.map((stretch) => ({ at: nearestOn(stretch, site), stretch }));
  return spurs.reduce((best, one) => (greatCircle(site, one.at) < greatCircle(site, best.at) ? one : best));
}

/** The point of a stretch that is nearest to a place, on a plane. */
function nearestOn([a, b]: Stretch, { lat, lon }: Place): Place {
  const narrow = narrowAt(a.lat);
  const [north, east] = [b.lat - a.lat, (b.lon - a.lon) * narrow];
  const share = ((lat - a.lat) * north + (lon - a.lon) * narrow * east) / (north ** 2 + east ** 2);
  if (share <= 0) return a;
  if (share >= 1) return b;
  return { lat: a.lat + (b.lat - a.lat) * share, lon: a.lon + (b.lon - a.lon) * share };
}

/** A degree of longitude, as a share of one of latitude. */
const narrowAt = (lat: number): number => Math.cos((lat * Math.PI) / 180);

const placeOf = ({ lat, lon }: Located): Place => ({ lat: Number(lat), lon: Number(lon) });
