import { areaOf } from '../../directory/contacts/countries.ts';
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
 * postal codes are of different regions, or, if one of them has none, their states differ. Whatever cannot be compared is no difference: the same
 * address is spelt in many ways.
 */
export function liesElsewhere(given: Place, known: Place): boolean {
  const [a, b] = [coordinatesOf(given), coordinatesOf(known)];
  if (a && b) return greatCircle(a, b) > FAR;
  const [here, there] = [endOf(given.full_address), endOf(known.full_address)];
  if (here.region && there.region) return here.region !== there.region;
  return here.state !== undefined && there.state !== undefined && here.state !== there.state;
}

const coordinatesOf = ({ lat, lon }: Place): RoutePoint | undefined =>
  lat === undefined || lon === undefined ? undefined : { lat: Number(lat), lon: Number(lon) };

/** What an American or Canadian address ends with. */
interface End {
  /** The sectional centre of an American postal code, or the forward sortation area of a Canadian one. */
  region?: string;
  /** The state or province, as ISO 3166-2 has it. */
  state?: string;
}

const COUNTRY = /(?<=^|[ ,])(?:u\.?s\.?a?|united states(?: of america)?|canada|ca)$/;
const POSTAL_CODE = /(?<=^|[ ,.-])(?:(\d{3})\d\d(?:-\d{4})?|([a-z]\d[a-z])[ -]?\d[a-z]\d)$/;
/** Words of the longest names of states. */
const WORDS = 4;
/** Codes of states that are also kinds of streets (`12 Elm CT 78701`), and how the postal codes of these states begin. */
const STREETS: ReadonlyMap<string, RegExp> = new Map([
  ['al', /^3[56]/],
  ['ct', /^06/],
]);
/** Names of states that cities of other states have as well (`4 Pit Rd, Delaware` in Ohio), and how the postal codes of these states begin. */
const CITIES: ReadonlyMap<string, RegExp> = new Map([
  ['california', /^9[0-6]/],
  ['delaware', /^19[789]/],
  ['indiana', /^4[67]/],
  ['maine', /^(?:039|04)/],
  ['nevada', /^89/],
  ['ontario', /^[klmnp]/],
  ['oregon', /^97/],
  ['virginia', /^2(?:01|2|3|4[0-6])/],
  ['washington', /^9(?:8|9[0-4])/],
  ['wyoming', /^8(?:2|3[01])/],
]);
/** A part of an address that is no city: it has the number of a house, a suite or a road, or ends with a kind of street. */
const STREET =
  /\d|(?<=^|[ .-])(?:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|highway|hwy|parkway|pkwy|way|court|ct|trail|trl)$/;

/**
 * Reads the end of an address: the country, before it the postal code, before it the state. Each may be missing. A state without a postal code is behind a comma:
 * otherwise it may be the kind of a street, such as `CT` and `AL`. What is the name of a city, too, is a state behind a city, and not behind a street.
 */
function endOf(address: string | undefined): End {
  const parts = (address ?? '').toLowerCase().split(',');
  const text = withoutEnd(parts.map((part) => part.trim().replace(/\s+/g, ' ')).join(','));
  const inCountry = withoutEnd(text.replace(COUNTRY, ''));
  const end = readEnd(inCountry, text.endsWith('canada'));
  if (!text.endsWith(',ca') || end.region) return end;
  // It is California, unless what is before it is of Canada. A city of California is called Ontario.
  if (inCountry.endsWith(',ontario')) return {};
  return end.state ? end : { state: 'CA' };
}

/** @param text an address without its country, which is `isCanadian` if it was named and is Canada */
function readEnd(text: string, isCanadian: boolean): End {
  const [code, american, canadian] = POSTAL_CODE.exec(text) ?? [];
  const before = withoutEnd(text.slice(0, text.length - (code?.length ?? 0))).split(',');
  const last = before.at(-1)!;
  const region = american ?? canadian;
  const isBehindCity = before.length > 1 && !STREET.test(before.at(-2)!);
  // No city of Canada has the name of a province of which we know.
  const isCity = isCanadian ? false : region ? CITIES.get(last)?.test(region) === false : CITIES.has(last) && !isBehindCity;
  const state = (before.length > 1 && !isCity ? areaNamed(last) : undefined) ?? (code ? areaAtEnd(last, american, canadian) : undefined);
  return { ...(region ? { region } : {}), ...(state ? { state } : {}) };
}

/**
 * The state with which a text ends: the longest name of one, so that `West Virginia` is not Virginia.
 * @param american what a postal code begins with, if it is American; else `canadian`
 */
function areaAtEnd(text: string, american = '', canadian = ''): string | undefined {
  const words = text.split(' ').slice(-WORDS);
  for (const from of words.keys()) {
    const name = words.slice(from).join(' ');
    const isOther = STREETS.get(name)?.test(american) === false || CITIES.get(name)?.test(american || canadian) === false;
    const area = isOther ? undefined : areaNamed(name);
    if (area) return area;
  }
  return undefined;
}

/** A text without the blanks, commas, dots and dashes behind it. */
function withoutEnd(text: string): string {
  let length = text.length;
  while (' ,.-'.includes(text[length - 1] ?? 'x')) length--;
  return text.slice(0, length);
}

const areaNamed = (text: string): string | undefined => areaOf('US', text) ?? areaOf('CA', text);
