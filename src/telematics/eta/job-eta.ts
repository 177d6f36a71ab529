import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Job } from '../../dispatch/model/job.entity.ts';
import { type JobState, WaypointType } from '../../dispatch/model/states.ts';
import { RouteEstimateSource, roadBetween } from '../../dispatch/orders/estimates/route-estimate.ts';
import { perApplication } from '../../platform/application.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { DateTime } from '../../platform/scalars.ts';
import { arrivalOf } from './eta.ts';

@ObjectType({ simpleResolvers: true, description: 'When the truck of a job will probably be at its next site.' })
export class JobEta {
  @Field(() => ID, { description: 'Where it goes.' }) siteId!: string;
  @Field(() => WaypointType, { description: 'The activity there.' }) waypointType!: WaypointType;
  @Field(() => DateTime, { description: 'When the truck was where the estimate begins.' }) positionAt!: Date;
  @Field(() => DateTime, { description: 'When it will probably be there.' }) arrivesAt!: Date;
  @Field(() => DateTime, { description: 'If it takes a fifth less time.' }) earliestAt!: Date;
  @Field(() => DateTime, { description: 'If it takes a fifth more time.' }) latestAt!: Date;
  @Field(() => Int, { description: 'Of the way that is left.' }) remainingMeters!: number;
  @Field(() => RouteEstimateSource, { description: 'Whether the way is that of a routing service or a straight line times a road factor.' })
  basis!: RouteEstimateSource;
}

/** Where a truck goes in a state of its job, and whether it is still at the pickup. */
const NEXT: Partial<Record<JobState, { to: WaypointType; loading?: true }>> = {
  to_pickup: { to: 'pickup' },
  arrived_pickup: { to: 'drop_off', loading: true },
  loaded: { to: 'drop_off' },
  to_dropoff: { to: 'drop_off' },
};

/** The newest position of the job, the place it goes to, how fast it was, and how long loading takes on the order. Times in milliseconds. */
const FACTS = `select (extract(epoch from h.occurred_at) * 1000)::float8 as at, h.lat::float8 as lat, h.lon::float8 as lon, s.id as "siteId", s.lat::float8 as "siteLat", s.lon::float8 as "siteLon",
    array(select x.speed_meters_per_second from location_history x where x.job_id = j.id and x.occurred_at > h.occurred_at - interval '10 minutes'
      and x.occurred_at <= h.occurred_at and x.speed_meters_per_second is not null) as speeds,
    (extract(epoch from (select l.summary_arrived_pickup_at from load l where l.job_id = j.id and l.state = 'arrived_pickup' order by l.ordinality desc limit 1)) * 1000)::float8 as "arrivedAt",
    (select avg(extract(epoch from l.summary_loaded_at - l.summary_arrived_pickup_at))::float8 from load l where l.order_id = j.order_id
      and l.summary_loaded_at > l.summary_arrived_pickup_at) as "loadingSeconds"
  from job j
    cross join lateral (select h.occurred_at, h.lat, h.lon from location_history h where h.job_id = j.id and h.occurred_at > present_time() - interval '5 minutes'
      order by h.occurred_at desc, h.id desc limit 1) h
    cross join lateral (select s.id, s.lat, s.lon from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id and w.type = $2 order by w.ordinality limit 1) s
  where j.id = $1 and s.lat is not null and s.lon is not null`;

interface Facts {
  at: number;
  lat: number;
  lon: number;
  siteId: string;
  siteLat: number;
  siteLon: number;
  speeds: number[];
  arrivedAt: number | null;
  loadingSeconds: number | null;
}

/** Milliseconds for which an estimate is good enough: a way is not looked up with every position. */
const FRESH = 60_000;
/** Estimates that are remembered; the oldest goes first. */
const REMEMBERED = 10_000;
const known = perApplication('estimated arrivals', () => new Map<string, { made: number; eta: JobEta }>());

/**
 * Returns when the truck of a job will be at its next site, worked out at most once a minute; null if its job does not go anywhere now, or
 * nobody has heard of it for five minutes.
 * @throws Missing
 */
export async function etaOfJob(ctx: Context, jobId: string, companyId?: string | null): Promise<JobEta | null> {
  const job = await find(ctx, Job, jobId, { companyId });
  const next = job.pausedAt ? undefined : NEXT[job.state];
  if (!next) return null;
  const pool = await poolOf(ctx.em);
  // The job was checked already; a vendor's truck and the customer's site are part of it.
  const { rows } = await withPartnerVisibility(() => pool.query<Facts>(FACTS, [job.id, next.to]));
  const [facts] = rows;
  if (!facts) return null;
  const remembered = known.of(ctx.em);
  const key = `${job.id} ${job.state}`;
  const last = remembered.get(key);
  if (last && Date.now() - last.made < FRESH) return last.eta;
  const { at, lat, lon, siteId, siteLat, siteLon, speeds, arrivedAt, loadingSeconds } = facts;
  const road = await roadBetween(ctx, { lat, lon }, { lat: siteLat, lon: siteLon });
  const stays = next.loading && arrivedAt !== null && loadingSeconds !== null ? Math.max(0, loadingSeconds - (at - arrivedAt) / 1000) : 0;
  const { arrivesAt, earliestAt, latestAt } = arrivalOf({ at, route: road, speeds, stays });
  const eta: JobEta = {
    ...{ siteId, waypointType: next.to, remainingMeters: Math.round(road.metres), basis: road.source, positionAt: new Date(at) },
    ...{ arrivesAt: new Date(arrivesAt), earliestAt: new Date(earliestAt), latestAt: new Date(latestAt) },
  };
  remembered.delete(key);
  remembered.set(key, { made: Date.now(), eta });
  if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value!);
  return eta;
}
