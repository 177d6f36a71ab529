import type { EntityManager } from '@mikro-orm/postgresql';
import { OVER } from '../../dispatch/model/states.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { evaluatedPositions } from '../fences/evaluated-positions.ts';
import type { PositionFollower, PositionTask } from '../positions/position-follower.ts';
import { millis, UNDER_WAY } from '../positions/whereabouts.ts';
import type { MeasuredDay, MeasuredJob } from './measured-day.ts';
import { type TrackPosition, trackOf, travelledBy, unmeasuredIn } from './travel.ts';
import { writeMeasured } from './write-measured.ts';

// A day whose first positions may be gone already is not measured again: its figures would shrink.
const DAYS = `select d.id, d.company_id as "companyId", d.driver_id as "driverId", ${millis('d.started_shift_at')} as "from", ${millis('d.ended_shift_at')} as until
  from driver_day d where d.started_shift_at is not null and coalesce(d.ended_shift_at, present_time()) >= $2::timestamptz
    and d.started_shift_at > present_time() - interval '29 days'
    and not exists (select from app_user u where u.id = d.driver_id and u.positions_forgotten_at >= d.started_shift_at)
    and d.driver_day_date >= ($2::timestamptz - interval '2 days')::date
    and d.driver_id = any(case when $3 = 'User' then array[$1::uuid] else array(
      select u.id from app_user u where u.equipment_id = $1::uuid
      union select j.driver_id from job j where j.equipment_id = $1::uuid and j.job_start_at >= $2::timestamptz - interval '3 days' and j.driver_id is not null) end)`;

const JOBS = `select j.id, j.company_id as "companyId", j.order_id as "orderId", j.equipment_id as "equipmentId",
    ${millis('w.start')} as "from", case when j.state in ${OVER} then ${millis('w.last')} end as until,
    coalesce((select json_agg(json_build_object('id', l.id, 'from', ${millis('x.start')}, 'until', ${millis('coalesce(l.summary_load_completed_at, x.canceled)')},
        'loadedAt', ${millis('l.summary_loaded_at')}, 'unloadedAt', ${millis('l.summary_unloaded_at')}) order by l.ordinality)
      from load l cross join lateral (select min(e.occurred_at) as start, max(e.occurred_at) filter (where e.event_name = 'LoadCanceled') as canceled
        from job_event e where e.job_id = j.id and e.load_id = l.id and e.undone_at is null and e.event_name in ('ToPickup', 'AtPickup', 'Loaded', 'ToDropoff', 'AtDropoff', 'Unloaded', 'LoadCompleted', 'LoadCanceled')) x
      where l.job_id = j.id and x.start is not null), '[]') as loads
  from job j ${UNDER_WAY}
  where j.driver_day_id = $1 and w.start is not null`;

const POSITIONS = `select h.id, ${millis('h.occurred_at')} as at, h.lat::float8 as lat, h.lon::float8 as lon, h.accuracy, h.source, h.device_id as device, h.offline_mode as offline,
    h.equipment_id as "equipmentId", h.user_id is not null as own
  from location_history h where h.asset_id = any($1::uuid[])
    and h.occurred_at >= to_timestamp($2::float8 / 1000) and h.occurred_at <= coalesce(to_timestamp($3::float8 / 1000), present_time())`;

/** Distances, minutes and counts of the positions of shifts. */
export const DISTANCES: PositionFollower = {
  kind: 'distances',
  // A whole shift is measured anew each time, so not with every position. Five minutes of 2,000 trucks are seven shifts a second.
  delay: 5 * 60_000,
  slots: 1,
  async work(em, task, lease) {
    const pool = await poolOf(em);
    const { rows: days } = await pool.query<MeasuredDay>(DAYS, [task.assetId, task.since, task.assetType]);
    for (const day of days) {
      await measure(em, day, task);
      await lease.renew();
    }
  },
};

async function measure(em: EntityManager, day: MeasuredDay, { companyId }: PositionTask): Promise<void> {
  const pool = await poolOf(em);
  const { rows } = await pool.query<{ company_id: string }>('select distinct company_id from job where driver_day_id = $1', [day.id]);
  // The measures of a job are written to the job, whose owner may have passed it on to the driver's company.
  const companies = new Set([companyId, day.companyId, ...rows.map((row) => row.company_id)]);
  await asCompanies([...companies], () => em.fork().transactional((tx) => measureIn(tx, day)));
}

async function measureIn(em: EntityManager, day: MeasuredDay): Promise<void> {
  // The telephone and the truck of a day have tasks of their own.
  await queryIn(em, "select pg_advisory_xact_lock(hashtext('haulgate:day:' || $1))", [day.id]);
  const jobs = await queryIn<MeasuredJob>(em, JOBS, [day.id]);
  const trucks = jobs.map(({ equipmentId }) => equipmentId).filter((id) => id !== null);
  const found = await queryIn<TrackPosition & { own: boolean }>(em, POSITIONS, [[day.driverId, ...trucks], day.from, day.until]);
  const withJob = ({ equipmentId, at }: TrackPosition) =>
    jobs.some((job) => job.equipmentId === equipmentId && job.from <= at && (job.until === null || at <= job.until));
  // A truck that two drivers share belongs to who had a job with it.
  const positions = evaluatedPositions(found.filter((one) => one.own || withJob(one))) as TrackPosition[];
  await writeMeasured(em, day, jobs, {
    distances: travelledBy(positions, jobs),
    unmeasured: unmeasuredIn(positions),
    trackOf: (during) => trackOf(positions, during),
  });
}
