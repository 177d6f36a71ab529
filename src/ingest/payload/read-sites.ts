import { SiteType } from '../../directory/sites/site.entity.ts';
import type { WaypointType } from '../../dispatch/model/states.ts';
import { degreesOf, isPlace, type MOST_DEGREES } from './coordinates.ts';
import { LIMITS } from './limits.ts';
import { DIGITS_OF_DEGREE, rounded } from './numbers.ts';
import type { SiteDraft } from './order-draft.ts';
import type { Json, PayloadReader } from './payload-reader.ts';

/** SPEC "Waypoint type (import)". */
const WAYPOINTS: readonly WaypointType[] = ['pickup', 'staging', 'drop_off', 'weigh_point'];

/** Characters of an address that become the name of a site without one. */
const NAME_OF_ADDRESS = 255;

/** Returns the sites of a payload. SPEC drops a site without a place, a name and an id; there is a warning. */
export function readSites(reader: PayloadReader): SiteDraft[] {
  return reader.list('sites').flatMap((value, i): SiteDraft[] => {
    const pointer = `/sites/${i}`;
    const given = reader.object(value, pointer);
    const waypoint = given && waypointOf(reader, trimmed(given.waypoint), `${pointer}/waypoint`);
    if (!waypoint) return [];
    const before = reader.problems.length;
    const siteType = trimmed(given.site_type);
    const site: SiteDraft = {
      pointer,
      waypoint,
      ...placeOf(reader, given, pointer),
      siteType: isSiteType(siteType) ? siteType : 'Other',
      externalId: reader.id(given.external_id, `${pointer}/external_id`, LIMITS.site.externalId),
      name: reader.text(given.name, `${pointer}/name`, LIMITS.site.name),
      fullAddress: reader.text(given.full_address, `${pointer}/full_address`, LIMITS.siteAddress),
    };
    if (siteType !== undefined && siteType !== null && siteType !== '' && site.siteType !== siteType)
      reader.warn('unknown_site_type', `${pointer}/site_type`, given.site_type, 'Other');
    // SPEC: a site requires an address or both coordinates; one whose name or id may be known requires neither.
    if (!site.fullAddress && !site.lat && !site.externalId && !site.name) {
      if (reader.problems.length === before) reader.warn('site_without_location', pointer, given);
      return [];
    }
    // A site without a name is named by its address, or by its coordinates.
    if (!site.name && !site.externalId) site.name = site.fullAddress?.slice(0, NAME_OF_ADDRESS).trim() ?? `${site.lat}, ${site.lon}`;
    return [site];
  });
}

/** Returns a text without its outer blanks; anything else as it is. */
const trimmed = (given: unknown): unknown => (typeof given === 'string' ? given.trim() : given);

function waypointOf(reader: PayloadReader, given: unknown, pointer: string): WaypointType | undefined {
  const waypoint = WAYPOINTS.find((one) => one === given);
  const params = { values: WAYPOINTS.join(', ') };
  if (given === undefined || given === null) reader.missing(pointer);
  else if (!waypoint) reader.problems.push({ code: 'invalid_enum', pointer, key: 'not_one_of', params });
  return waypoint;
}

/** Returns both coordinates of a site; none if one is missing or invalid. */
function placeOf(reader: PayloadReader, given: Json, pointer: string): Pick<SiteDraft, 'lat' | 'lon'> {
  const [givenLat, givenLon] = [given.lat, given.lon].map((degrees) => (isBlank(degrees) ? null : degrees));
  const lat = coordinate(reader, givenLat, 'lat', pointer);
  const lon = coordinate(reader, givenLon, 'lon', pointer);
  if (lat && lon && isPlace({ lat, lon })) return { lat, lon };
  // Programs write 0, 0 for a place that they do not know. It is in the sea.
  if (lat && lon) {
    reader.warn('zero_coordinates', pointer, { lat: givenLat, lon: givenLon });
    return {};
  }
  if ((givenLat ?? givenLon) !== null) reader.warn('incomplete_coordinates', pointer, { lat: givenLat, lon: givenLon });
  return {};
}

/** SPEC: sites are matched by waypoint type, so a second one of a type is dropped. */
export function onePerWaypoint(reader: PayloadReader, sites: SiteDraft[]): SiteDraft[] {
  const seen = new Set<string>();
  return sites.filter(({ waypoint, pointer }) => {
    const isFirst = !seen.has(waypoint);
    if (!isFirst) reader.warn('second_site_of_waypoint', pointer, waypoint);
    seen.add(waypoint);
    return isFirst;
  });
}

/** Returns degrees within the bound, as they are stored. */
function coordinate(reader: PayloadReader, value: unknown, axis: keyof typeof MOST_DEGREES, pointer: string): string | undefined {
  const degrees = degreesOf(value, axis);
  return degrees && rounded(degrees, DIGITS_OF_DEGREE, value, `${pointer}/${axis}`, reader.warnings);
}

/** True for an absent value, or a blank one, as lists of sites have it for unknown coordinates. */
const isBlank = (given: unknown): boolean => given === undefined || (typeof given === 'string' && given.trim() === '');

const isSiteType = (given: unknown): given is SiteType => typeof given === 'string' && Object.hasOwn(SiteType, given);
