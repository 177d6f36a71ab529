import type { User } from '../directory/people/user.entity.ts';
import type { Site } from '../directory/sites/site.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import { type JobState, UNDER_WAY } from '../dispatch/model/states.ts';
import { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import type { RoutePoint as Place } from '../platform/routing.ts';
import { LocationHistory } from '../telematics/positions/location-history.entity.ts';
import { ON_THE_WAY } from './history.ts';
import { lengthOf, placeOn, wayBetween } from './roads.ts';
import type { WorkedJob } from './worked.ts';

/** Of each truck on the road, one a minute. */
const POSITIONS = 10;
const MINUTE = 60_000;
/** Minutes between two positions of work that is over, except the last one of a way. */
const EVERY = 3;
/** Metres between two trucks that wait at a site. All of them are in its geofence. */
const GAP = 40;

/**
 * Returns where the driver of a job has been in the last minutes: on the way between two sites, or at one of them, as the job says. A driver who
 * has positions already, and one whose job is not under way, gets none.
 * @param index which truck of its order it is; those at a site wait behind each other
 */
export function positionsOf(job: Job, driver: User, [from, to]: readonly [Site, Site], index: number, now: Date): LocationHistory[] {
  if (driver.lastPingAt || !UNDER_WAY.includes(job.state) || !from.lat || !from.lon || !to.lat || !to.lon) return [];
  const { way, share, minutes } = whereaboutsOf(job.state, index, wayBetween(from, to));
  const moving = minutes !== undefined && !job.pausedAt;
  const positions: LocationHistory[] = [];
  for (let ago = POSITIONS - 1; ago >= 0; ago--) {
    const at = moving ? share - ago / minutes : share;
    const { lat, lon, bearing } = placeOn(way, at);
    const place = { lat: new Decimal(lat).toDecimalPlaces(6), lon: new Decimal(lon).toDecimalPlaces(6) };
    const occurredAt = new Date(now.getTime() - ago * MINUTE);
    positions.push(
      Object.assign(new LocationHistory(), {
        ...place,
        ...{ occurredAt, createdAt: occurredAt, companyId: job.company.id, userId: driver.id, deviceId: 'demo', jobId: job.id },
        ...{ accuracy: 8, bearingDegrees: bearing, equipmentId: driver.equipment?.id ?? null },
        speed: moving && at > 0 ? speedOn(way, minutes) : 0,
      }),
    );
    Object.assign(driver, { lastPingAt: occurredAt, lastLat: place.lat, lastLon: place.lon });
  }
  return positions;
}

interface Whereabouts {
  way: Place[];
  /** How far on it, 0 to 1. */
  share: number;
  /** What the whole way takes; not of a truck that is at a site. */
  minutes?: number;
}

function whereaboutsOf(state: JobState, index: number, there: Place[]): Whereabouts {
  const back = there.toReversed();
  const behindOthers = 1 - (index * GAP) / lengthOf(there);
  if (state === 'to_pickup') return { way: back, share: 0.65, minutes: ON_THE_WAY.pickup };
  if (state === 'arrived_pickup') return { way: back, share: behindOthers };
  // Its driver has left and did not say so, which is what the geofence doubts.
  if (state === 'loaded') return { way: there, share: 0.15, minutes: ON_THE_WAY.dropoff };
  if (state === 'to_dropoff') return { way: there, share: 0.44, minutes: ON_THE_WAY.dropoff };
  return { way: there, share: behindOthers };
}

/** Metres in a second of a truck that drives a way in so many minutes. */
const speedOn = (way: readonly Place[], minutes: number): number => Math.round((lengthOf(way) / minutes / 60) * 10) / 10;

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
  const minutes = (end.getTime() - start.getTime()) / MINUTE;
  const speed = speedOn(way, minutes);
  // The last position is at the site.
  for (const step of Array(Math.ceil(minutes / EVERY) + 1).keys()) {
    const minute = Math.min(step * EVERY, minutes);
    const { lat, lon, bearing } = placeOn(way, minute / minutes);
    const at = start.getTime() + minute * MINUTE;
    const then = new Date(at).toISOString();
    rows.push({
      ...{ id: newId(), created_at: then, occurred_at: then, company_id: job.company.id, user_id: driver.id, device_id: 'demo' },
      ...{ lat: lat.toFixed(6), lon: lon.toFixed(6), accuracy: 8, speed_meters_per_second: speed, bearing_degrees: bearing },
      ...{ job_id: job.id, equipment_id: driver.equipment?.id ?? null },
    });
  }
  return rows;
}
