import type { User } from '../directory/people/user.entity.ts';
import type { Site } from '../directory/sites/site.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import { UNDER_WAY } from '../dispatch/model/states.ts';
import { Decimal } from '../platform/decimal.ts';
import { LocationHistory } from '../telematics/positions/location-history.entity.ts';

/** Of each truck on the road, one a minute. */
const POSITIONS = 10;
const MINUTE = 60_000;

/**
 * Returns where the driver of a job has been in the last minutes, on the straight line between two sites. A driver who has positions already,
 * and one whose job is not under way, gets none.
 * @param share how far from the first to the second site they are now, 0 to 1
 */
export function positionsOf(job: Job, driver: User, [from, to]: readonly [Site, Site], share: number, now: Date): LocationHistory[] {
  if (driver.lastPingAt || !UNDER_WAY.includes(job.state) || !from.lat || !from.lon || !to.lat || !to.lon) return [];
  const positions: LocationHistory[] = [];
  for (let ago = POSITIONS - 1; ago >= 0; ago--) {
    const at = Math.max(0, share - ago / 100);
    const between = (a: Decimal, b: Decimal) => new Decimal(a).plus(new Decimal(b).minus(a).times(at)).toDecimalPlaces(6);
    const place = { lat: between(from.lat, to.lat), lon: between(from.lon, to.lon) };
    const occurredAt = new Date(now.getTime() - ago * MINUTE);
    positions.push(
      Object.assign(new LocationHistory(), {
        ...place,
        ...{ occurredAt, createdAt: occurredAt, companyId: job.company.id, userId: driver.id, deviceId: 'demo', jobId: job.id },
        ...{ accuracy: 8, speed: 13.4, equipmentId: driver.equipment?.id ?? null },
      }),
    );
    Object.assign(driver, { lastPingAt: occurredAt, lastLat: place.lat, lastLon: place.lon });
  }
  return positions;
}
