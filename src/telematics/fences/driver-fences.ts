import { ON_THE_ROAD } from '../../dispatch/jobs/drive.ts';
import { type JobState, NOT_STARTED, OVER, UNDER_WAY, type WaypointType } from '../../dispatch/model/states.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import { FENCES_OF_SITE, type FenceRow } from './fence-rows.ts';

/** Hours before its start in which a job's geofences are looked at. */
export const EARLY_HOURS = 3;
/**
 * A start by which every clock of a sandbox has the job's geofences looked at: it is ahead by 60 days at most. The time of a company differs by row,
 * so that no index is read up to it; up to this one is, and the jobs behind it, of months to come, are not read.
 */
export const BEFORE_ANY_CLOCK = `now() + interval '61 days'`;
/** Minutes that positions of a job which is over may still be late. */
const LATE_MINUTES = 15;
/** Jobs of a driver whose geofences are looked at. */
const MOST_JOBS = 20;

/** A job of a driver, as far as geofences are concerned. */
export interface FencedJob {
  id: string;
  companyId: string;
  state: JobState;
  equipmentId: string | null;
  /** Seconds; the order's, otherwise the company's. */
  delaySeconds: number;
  /** Milliseconds: from when positions are looked at, when the driver left for it, and when it was over. */
  from: number;
  began: number | null;
  ended: number | null;
}

/** A geofence of a job, or the driver's home base. */
export interface DriverFence extends FenceRow {
  id: string;
  /** Null for the home base. */
  jobId: string | null;
  waypointType: WaypointType | null;
  /** Seconds, of the home base; null for jobs, which have their own. */
  delaySeconds: number | null;
}

/** For SQL: a job that its driver has begun has its geofences looked at, however long before its planned start. */
export const UNBEGUN = `('${NOT_STARTED.join("', '")}')`;

const ms = (sql: string): string => `(extract(epoch from ${sql}) * 1000)::float8`;

// These are asked for every position, and take longer to plan than to run. A job is over when its driver says, and not when a telephone that was offline reports it.
const JOBS = `select a.driver as "driverId", f.* from unnest($1::uuid[], $2::timestamptz[]) as a (driver, since)
  cross join lateral (select j.id, j.company_id as "companyId", j.state, j.equipment_id as "equipmentId",
      coalesce(o.geofence_delay_seconds, c.default_geofence_delay_seconds) as "delaySeconds",
      ${ms(`least(j.job_start_at, e.began) - interval '${EARLY_HOURS} hours'`)} as "from", ${ms('e.began')} as began,
      case when j.state in ${OVER} then ${ms('coalesce(e.ended, j.state_changed_at)')} end as ended
    from job j join orders o on o.id = j.order_id join company c on c.id = j.company_id
      cross join lateral (select min(e.occurred_at) filter (where e.event_name = any($3::text[])) as began, max(e.occurred_at) filter (where e.event_name <> all($3::text[])) as ended
        from job_event e where e.job_id = j.id and e.event_name = any($3::text[] || '{JobCompleted,JobEnded,JobCanceled}'::text[]) and e.undone_at is null) e
    where j.driver_id = a.driver and j.state not in ('created', 'rejected') and j.job_start_at < ${BEFORE_ANY_CLOCK}
      and (j.job_start_at < company_now(j.company_id) + interval '${EARLY_HOURS} hours' or j.state not in ${UNBEGUN})
      and (j.state not in ${OVER} or j.state_changed_at > a.since - interval '${LATE_MINUTES} minutes')
    order by j.job_start_at desc, j.id limit ${MOST_JOBS}) f`;

/** Home bases of a company that are all looked at; of more only those near the positions that came, and the one that the truck is in. */
const FEW_BASES = 20;
/** Home bases of a driver that are looked at in any case. */
const MOST_BASES = 100;
/** Degrees around positions in which a home base is near, more than the radius that a geofence may have. */
const NEAR = { lat: 0.25, lon: 0.5 };
// The truck's home: drivers of one company may drive trucks that another one shares.
const IS_BASE = `b.company_id = any(c.ids) and b.site_type = 'EquipmentHomeBase' and b.discarded_at is null`;

const FENCES = `select null::uuid as "driverId", j.id as "jobId", w.type as "waypointType", null::int as "delaySeconds", f.* from job j join company c on c.id = j.company_id
    join waypoint w on w.route_id = j.route_id join site s on s.id = w.site_id
    cross join lateral ${FENCES_OF_SITE('c.site_radius')} f
  where j.id = any($1::uuid[])
  union all
  select u.id, null, null, s.delay, f.* from unnest($2::uuid[], $3::timestamptz[]) as a (driver, since) join app_user u on u.id = a.driver
    cross join lateral (select array_remove(array(select j.equipment_id from job j where j.id = any($1::uuid[]) and j.driver_id = u.id) || u.equipment_id, null) as ids) t
    cross join lateral (select array(select u.company_id union select e.company_id from equipment e where e.id = any(t.ids)) as ids) c
    cross join lateral (select count(*) > ${FEW_BASES} as many from (select from site b where ${IS_BASE} limit ${FEW_BASES + 1}) x) n
    left join lateral (select min(h.lat) - ${NEAR.lat} as south, max(h.lat) + ${NEAR.lat} as north, min(h.lon) - ${NEAR.lon} as west, max(h.lon) + ${NEAR.lon} as east
      from location_history h where h.asset_id = any(t.ids || u.id) and h.occurred_at >= a.since) p on n.many
    cross join lateral (
      select b.id, b.name, b.lat, b.lon, b.routing_geofence_id, bc.site_radius, bc.default_geofence_delay_seconds as delay from site b join company bc on bc.id = b.company_id
      where ${IS_BASE} and (not n.many or b.lat is null or (b.lat between p.south and p.north and b.lon between p.west and p.east)
        or exists (select from fence_progress k where k.asset_id = u.id and (k.fences -> coalesce(b.routing_geofence_id, b.id)::text -> 'inside')::boolean))
      order by b.id limit ${MOST_BASES}) s
    cross join lateral ${FENCES_OF_SITE('s.site_radius')} f`;

/** A driver of whom positions came, and when the oldest of them was measured that is not worked out yet. */
export interface Followed {
  driverId: string;
  since: Date;
}

/** The jobs of drivers that positions since a moment may move, by driver. */
export async function jobsOfDrivers(query: Query, followed: readonly Followed[]): Promise<Map<string, FencedJob[]>> {
  const values = [followed.map(({ driverId }) => driverId), followed.map(({ since }) => since), ON_THE_ROAD];
  const found = await query<FencedJob & { driverId: string }>(planOnceForFew(JOBS, followed.length), values);
  return new Map([...Map.groupBy(found, ({ driverId }) => driverId)].map(([id, jobs]) => [id, jobs.map(({ driverId: _, ...job }) => job)]));
}

/**
 * The geofences of jobs, and of home bases, by driver.
 * @param jobs by driver; of drivers without any there is an empty list
 */
export async function fencesOfDrivers(
  query: Query,
  followed: readonly Followed[],
  jobs: ReadonlyMap<string, readonly FencedJob[]>,
): Promise<Map<string, DriverFence[]>> {
  const drivers = new Map([...jobs].flatMap(([driverId, ofDriver]) => ofDriver.map(({ id }) => [id, driverId])));
  const values = [[...drivers.keys()], followed.map(({ driverId }) => driverId), followed.map(({ since }) => since)];
  const found = await query<DriverFence & { driverId: string | null }>(
    planOnceForFew(FENCES, Math.max(drivers.size, followed.length)),
    values,
  );
  const all = found.map(({ driverId, ...fence }) => ({ fence, of: driverId ?? drivers.get(fence.jobId!)! }));
  return new Map([...Map.groupBy(all, ({ of }) => of)].map(([id, ones]) => [id, ones.map(({ fence }) => fence)]));
}

/**
 * Milliseconds after which a job that nobody began is none of today any more: its driver is off duty by then, or on another shift.
 */
const STALE = 24 * 3_600_000;
const EARLY = EARLY_HOURS * 3_600_000;

/** True while the driver works on it. */
const isUnderWay = ({ state }: Pick<FencedJob, 'state'>): boolean => UNDER_WAY.includes(state);

/**
 * Returns the job to which a crossing at a moment belongs: the one that was under way then, otherwise the next one that was accepted, otherwise the next
 * one that waits for that, otherwise the last one of earlier days that nobody began, otherwise the last one that is over.
 */
export function jobAt(jobs: readonly FencedJob[], at: number): FencedJob | undefined {
  const rank = (job: FencedJob): number => {
    if (job.began !== null && job.began <= at && (job.ended === null || at <= job.ended)) return 0;
    if (isUnderWay(job)) return 1;
    if (job.ended !== null) return 5;
    if (at - job.from > STALE + EARLY) return 4;
    return job.state === 'accepted' ? 2 : 3;
  };
  return jobs.toSorted((a, b) => rank(a) - rank(b) || (rank(a) >= 4 ? b.from - a.from : a.from - b.from))[0];
}
