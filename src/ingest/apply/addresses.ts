import { isObject } from '../../platform/json/objects.ts';
import { isPlace } from '../payload/coordinates.ts';

/**
 * Returns the addresses of a payload's sites whose coordinates are no place, so that they are left out; they are geocoded before the effect. Texts that are too long
 * for an address are left out.
 */
export function addressesOf(element: Record<string, unknown>): string[] {
  const sites = Array.isArray(element.sites) ? element.sites : [];
  return sites.flatMap((site) => {
    if (!isObject(site) || typeof site.full_address !== 'string') return [];
    const address = site.full_address.trim();
    return isPlace(site) || address === '' || address.length > 500 ? [] : [address];
  });
}
