import { greatCircle, type RoutePoint } from '../../platform/routing.ts';

/** The facts of a place, known ones or those of a payload. */
interface Place {
  lat?: string | undefined;
  lon?: string | undefined;
  full_address?: string | undefined;
}

/** Metres from which on two places are not the same site: a large quarry measures two or three kilometres. */
const FAR = 5_000;

/**
 * Returns whether a payload means another place than the known one. Coordinates decide if both have them; otherwise the addresses do, if their
 * postal codes are of different regions. Whatever cannot be compared is no difference: the same address is spelt in many ways.
 */
export function liesElsewhere(given: Place, known: Place): boolean {
  const [a, b] = [coordinatesOf(given), coordinatesOf(known)];
  if (a && b) return greatCircle(a, b) > FAR;
  const [here, there] = [regionOf(given.full_address), regionOf(known.full_address)];
  return here !== undefined && there !== undefined && here !== there;
}

const coordinatesOf = ({ lat, lon }: Place): RoutePoint | undefined =>
  lat === undefined || lon === undefined ? undefined : { lat: Number(lat), lon: Number(lon) };

/** An American or Canadian postal code at the end of an address, possibly before the country. */
const POSTAL_CODE = /(?:\b(\d{5})(?:-\d{4})?|\b([a-z]\d[a-z]) ?\d[a-z]\d)(?:,? *(?:usa?|united states|canada|ca))?[\s.,]*$/i;

/** Returns the region of an address: the sectional centre of an American postal code, or the forward sortation area of a Canadian one. */
function regionOf(address: string | undefined): string | undefined {
  const [, american, canadian] = POSTAL_CODE.exec(address ?? '') ?? [];
  return american?.slice(0, 3) ?? canadian?.toUpperCase();
}
