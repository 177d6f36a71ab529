/** Degrees, WGS 84. */
export interface RoutePoint {
  lat: number;
  lon: number;
}

/** Metres of the earth's mean radius (PROOF A6). */
export const EARTH = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** Returns the metres between two places along a great circle. */
export function greatCircle(from: RoutePoint, to: RoutePoint): number {
  const [north, east] = [Math.sin(((to.lat - from.lat) * RADIANS) / 2), Math.sin(((to.lon - from.lon) * RADIANS) / 2)];
  const half = north ** 2 + Math.cos(from.lat * RADIANS) * Math.cos(to.lat * RADIANS) * east ** 2;
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(half)));
}

export interface Drive {
  metres: number;
  seconds: number;
}

/** Knows the roads. */
export interface Router {
  /** Undefined when no road leads there. @throws Error when the service fails, is too slow or answers something else */
  drive(from: RoutePoint, to: RoutePoint): Promise<Drive | undefined>;
}

/** Milliseconds in which somebody who asks for an estimate still waits. */
const TIMEOUT = 2_000;
/** Characters of an answer without geometry; more is no answer of a router. */
const LONGEST = 1_000_000;
/** OSRM's code when it knows the roads and there is no route: https://project-osrm.org/docs/v5.24.0/api/#responses. */
const NO_ROAD = ['NoRoute', 'NoSegment'];

/** The route service of an OSRM-compatible server (`/route/v1/driving`), below `url`; undefined without one. */
export function openRouter({ url, timeout = TIMEOUT }: { url?: string; timeout?: number }): Router | undefined {
  if (!url) return undefined;
  const [address = '', query] = url.split('?');
  const base = `${address.replace(/\/+$/, '')}/route/v1/driving`;
  return {
    async drive(from, to) {
      const places = [from, to].map(({ lat, lon }) => `${fixed(lon)},${fixed(lat)}`).join(';');
      const path = `${base}/${places}?overview=false${query ? `&${query}` : ''}`;
      const response = await fetch(path, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      const text = await response.text();
      if (text.length > LONGEST) throw new Error('the routing service answered too much');
      const answer = (isJson(text) ?? {}) as { code?: string; routes?: { distance?: unknown; duration?: unknown }[] };
      if (NO_ROAD.includes(answer.code ?? '')) return undefined;
      const { distance, duration } = answer.routes?.[0] ?? {};
      if (!response.ok || answer.code !== 'Ok' || !measure(distance) || !measure(duration))
        throw new Error(`the routing service answered ${response.status} ${answer.code ?? 'without a code'}`);
      return { metres: distance, seconds: duration };
    },
  };
}

/** Without an exponent, to a tenth of a metre. */
const fixed = (degrees: number): string => degrees.toFixed(6);
const measure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 2 ** 31;

function isJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Proxies in front of a service that is down answer pages.
    return undefined;
  }
}
