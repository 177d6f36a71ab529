/** What is known of a place, or what a payload says of it. */
interface Place {
  lat?: string | undefined;
  lon?: string | undefined;
  full_address?: string | undefined;
}

/** Metres from which on two places are not the same site: a large quarry measures two or three kilometres. */
const FAR = 5_000;
const EARTH_RADIUS = 6_371_000;

/**
 * Returns whether a payload means another place than the known one. Coordinates decide if both have them; otherwise the addresses do, if their
 * postal codes are of different regions. Whatever cannot be compared is no difference: the same address is spelt in many ways.
 */
export function liesElsewhere(given: Place, known: Place): boolean {
  const [a, b] = [coordinatesOf(given), coordinatesOf(known)];
  if (a && b) return metresBetween(a, b) > FAR;
  const [here, there] = [regionOf(given.full_address), regionOf(known.full_address)];
  return here !== undefined && there !== undefined && here !== there;
}

type Coordinates = readonly [lat: number, lon: number];

const coordinatesOf = ({ lat, lon }: Place): Coordinates | undefined =>
  lat === undefined || lon === undefined ? undefined : [Number(lat), Number(lon)];

/** Returns the length of the great circle between two places. */
function metresBetween([lat1, lon1]: Coordinates, [lat2, lon2]: Coordinates): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [north, east] = [Math.sin(radians(lat2 - lat1) / 2), Math.sin(radians(lon2 - lon1) / 2)];
  const half = north ** 2 + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * east ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** An American or Canadian postal code at the end of an address, possibly before the country. */
const POSTAL_CODE = /(?:\b(\d{5})(?:-\d{4})?|\b([a-z]\d[a-z]) ?\d[a-z]\d)(?:,? *(?:usa?|united states|canada|ca))?[\s.,]*$/i;

/** Returns the region of an address: the sectional centre of an American postal code, or the forward sortation area of a Canadian one. */
function regionOf(address: string | undefined): string | undefined {
  const [, american, canadian] = POSTAL_CODE.exec(address ?? '') ?? [];
  return american?.slice(0, 3) ?? canadian?.toUpperCase();
}
