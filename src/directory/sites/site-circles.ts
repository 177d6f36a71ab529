import type { TxContext } from '../../platform/commands/transact.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { RoutingGeofence } from './geofence.entity.ts';
import type { Site } from './site.entity.ts';

/** WGS 84 degrees. */
interface Place {
  lat?: Decimal | number | null;
  lon?: Decimal | number | null;
}

/** Degrees: a micrometre. Columns keep twelve decimals, geofences as many as were sent. */
const ROUNDED = 1e-11;

/** True for the same coordinates, of which one may have been rounded when it was stored; nowhere is at no place. */
export const isAt = (one: Place, other: Place): boolean => same(one.lat, other.lat) && same(one.lon, other.lon);

const same = (one: Place['lat'], other: Place['lat']): boolean =>
  one !== null && one !== undefined && other !== null && other !== undefined && Math.abs(Number(one) - Number(other)) < ROUNDED;

/**
 * Moves the circles around a site along with it: its main geofence and its additional ones. A circle whose centre somebody put elsewhere
 * stays there, as polygons do.
 * @param before where the site was
 */
export async function moveCircles(tx: TxContext, site: Site, before: Place): Promise<void> {
  if (!site.lat || !site.lon || !before.lat || !before.lon || isAt(site, before)) return;
  const main = await site.routingGeofence?.load();
  const more = await tx.em.find(RoutingGeofence, { siteId: site.id }, { filters: { tenant: false } });
  for (const fence of [...(main ? [main] : []), ...more]) {
    const shape = await fence.geofence?.load();
    if (shape?.circleCenter && isAt(shape.circleCenter, before)) shape.circleCenter = { lat: Number(site.lat), lon: Number(site.lon) };
  }
}
