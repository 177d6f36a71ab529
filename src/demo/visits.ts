import { ref } from '@mikro-orm/core';
import { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import { GeofenceTrigger } from '../telematics/fences/geofence-trigger.entity.ts';
import type { WorkedJob } from './worked.ts';

/** Milliseconds between a press and the crossing, and between the crossing and when it is certain. */
const LATER = 30_000;

/**
 * Returns how the truck of each completed load came to its pickup and its drop-off and left them, as its positions say. The driver pressed first, so
 * the crossings changed nothing.
 */
export function visitsOf({ job, driver, loads, from, to }: WorkedJob): GeofenceTrigger[] {
  return loads
    .filter(({ state }) => state === 'completed')
    .flatMap(({ id: loadId, loadSummary: { arrivedPickupAt, loadedAt, arrivedDropoffAt, unloadedAt } }) =>
      (
        [
          ['enter', 'pickup', from, arrivedPickupAt],
          ['exit', 'pickup', from, loadedAt],
          ['enter', 'drop_off', to, arrivedDropoffAt],
          ['exit', 'drop_off', to, unloadedAt],
        ] as const
      ).map(([geofenceTriggerType, waypointType, site, pressedAt]) =>
        Object.assign(new GeofenceTrigger(), {
          companyId: job.company.id,
          ...{ assetType: 'driver', assetId: driver.id, job: ref(job), loadId, locationId: newId() },
          ...{ fenceId: site.routingGeofence?.getEntity().geofence?.id ?? site.id, siteId: site.id, lat: site.lat!, lon: site.lon! },
          ...{ tag: 'site', waypointType, geofenceTriggerType },
          ...{ occurredAt: new Date(pressedAt!.getTime() + LATER), confirmedAt: new Date(pressedAt!.getTime() + 2 * LATER) },
          ...{ state: 'skipped', skipReason: 'late', confidence: new Decimal('0.95') },
        } as const),
      ),
    );
}
