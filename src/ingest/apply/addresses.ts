import { isObject } from '../../platform/json/objects.ts';

/**
 * Returns the addresses of a payload's sites that have no coordinates; they are geocoded before the effect. Texts that are too long for an
 * address are left out.
 */
export function addressesOf(element: Record<string, unknown>): string[] {
  const sites = Array.isArray(element.sites) ? element.sites : [];
  return sites.flatMap((site) => {
    if (!isObject(site) || typeof site.full_address !== 'string') return [];
    const located = site.lat !== undefined && site.lat !== null && site.lon !== undefined && site.lon !== null;
    const address = site.full_address.trim();
    return located || address === '' || address.length > 500 ? [] : [address];
  });
}
