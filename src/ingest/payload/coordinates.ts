import { type Decimal, readDecimal } from '../../platform/decimal.ts';

/** The largest latitude and longitude, in degrees. */
export const MOST_DEGREES = { lat: 90, lon: 180 } as const;

/** Returns degrees within their bound; undefined for anything else. */
export function degreesOf(given: unknown, axis: keyof typeof MOST_DEGREES): Decimal | undefined {
  const degrees = readDecimal(given);
  return degrees?.abs().lte(MOST_DEGREES[axis]) ? degrees : undefined;
}

/** Whether coordinates as they were sent are a place: both are valid, and not both are 0, which programs write for a place that they do not know. */
export function isPlace(given: { lat?: unknown; lon?: unknown }): boolean {
  const [lat, lon] = [degreesOf(given.lat, 'lat'), degreesOf(given.lon, 'lon')];
  return lat !== undefined && lon !== undefined && !(lat.isZero() && lon.isZero());
}
