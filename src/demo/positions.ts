import type { User } from '../directory/people/user.entity.ts';
import type { Site } from '../directory/sites/site.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import { UNDER_WAY } from '../dispatch/model/states.ts';
import { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import { LocationHistory } from '../telematics/positions/location-history.entity.ts';
import { placeOn, wayBetween } from './roads.ts';
import type { WorkedJob } from './worked.ts';

/** Of each truck on the road, one a minute. */
const POSITIONS = 10;
const MINUTE = 60_000;
/** Minutes between two positions of work that is over. */
const EVERY = 3;

/**
 * Returns where the driver of a job has been in the last minutes, between two sites. A driver who has positions already, and one whose job is
 * not under way, gets none.
 * @param share how far from the first to the second site they are now, 0 to 1
 */
export function positionsOf(job: Job, driver: User, [from, to]: readonly [Site, Site], share: number, now: Date): LocationHistory[] {
  if (driver.lastPingAt || !UNDER_WAY.includes(job.state) || !from.lat || !from.lon || !to.lat || !to.lon) return [];
  const way = wayBetween(from, to);
  const positions: LocationHistory[] = [];
  for (let ago = POSITIONS - 1; ago >= 0; ago--) {
    const { lat, lon, bearing } = placeOn(way, share - ago / 100);
    const place = { lat: new Decimal(lat).toDecimalPlaces(6), lon: new Decimal(lon).toDecimalPlaces(6) };
    const occurredAt = new Date(now.getTime() - ago * MINUTE);
    positions.push(
      Object.assign(new LocationHistory(), {
        ...place,
        ...{ occurredAt, createdAt: occurredAt, companyId: job.company.id, userId: driver.id, deviceId: 'demo', jobId: job.id },
        ...{ accuracy: 8, speed: 13.4, bearingDegrees: bearing, equipmentId: driver.equipment?.id ?? null },
      }),
    );
    Object.assign(driver, { lastPingAt: occurredAt, lastLat: place.lat, lastLon: place.lon });
  }
  return positions;
}

/**
 * Returns the rows of positions of loads that are completed: the way to the pickup, and the loaded way to the drop-off. Of two jobs that a
 * driver has at a time, only the first has positions: nobody is in two places.
 */
export function tracksOf(worked: readonly WorkedJob[]): Record<string, unknown>[] {
  const busyUntil = new Map<string, number>();
  return [...worked]
    .sort((a, b) => a.left.getTime() - b.left.getTime())
    .flatMap(({ job, loads, driver, from, to, left, last }) => {
      if (left.getTime() < (busyUntil.get(driver.id) ?? 0) || UNDER_WAY.includes(job.state)) return [];
      busyUntil.set(driver.id, last.getTime());
      const there = wayBetween(from, to);
      const back = there.toReversed();
      let begun = left;
      return loads.flatMap(({ loadSummary: { arrivedPickupAt, loadedAt, arrivedDropoffAt, loadCompletedAt } }) => {
        if (!arrivedPickupAt || !loadedAt || !arrivedDropoffAt || !loadCompletedAt) return [];
        const legs = [[back, begun, arrivedPickupAt] as const, [there, loadedAt, arrivedDropoffAt] as const];
        begun = loadCompletedAt;
        return legs.flatMap(([way, start, end]) => rowsAlong(way, start, end, { job, driver }));
      });
    });
}

function rowsAlong(way: ReturnType<typeof wayBetween>, start: Date, end: Date, { job, driver }: Pick<WorkedJob, 'job' | 'driver'>) {
  const rows: Record<string, unknown>[] = [];
  for (let at = start.getTime(); at < end.getTime(); at += EVERY * MINUTE) {
    const { lat, lon, bearing } = placeOn(way, (at - start.getTime()) / (end.getTime() - start.getTime()));
    const then = new Date(at).toISOString();
    rows.push({
      ...{ id: newId(), created_at: then, occurred_at: then, company_id: job.company.id, user_id: driver.id, device_id: 'demo' },
      ...{ lat: lat.toFixed(6), lon: lon.toFixed(6), accuracy: 8, speed_meters_per_second: 13.4, bearing_degrees: bearing },
      ...{ job_id: job.id, equipment_id: driver.equipment?.id ?? null },
    });
  }
  return rows;
}
