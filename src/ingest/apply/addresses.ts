import { isRecord } from '../ledger/hash.ts';

/** Addresses of a payload's sites that come without both coordinates: they are looked up before the effect. Longer ones are no addresses. */
export function addressesOf(element: Record<string, unknown>): string[] {
  const sites = Array.isArray(element.sites) ? element.sites : [];
  return sites.flatMap((site) => {
    if (!isRecord(site) || typeof site.full_address !== 'string') return [];
    const located = site.lat !== undefined && site.lat !== null && site.lon !== undefined && site.lon !== null;
    const address = site.full_address.trim();
    return located || address === '' || address.length > 500 ? [] : [address];
  });
}
