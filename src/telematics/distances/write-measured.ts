import type { EntityManager } from '@mikro-orm/postgresql';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Column, toUnnest } from '../../platform/database/unnest.ts';
import { Decimal } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { MeasuredDay, MeasuredJob } from './measured-day.ts';
import type { Track, Travelled } from './travel.ts';

/** What the positions of a day say. */
interface Measured {
  distances: readonly Travelled[];
  trackOf(during: { from: number; until: number | null }): Track;
}

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid' },
  { name: 'company_id', type: 'uuid' },
  { name: 'traveller_type', type: 'text' },
  { name: 'traveller_id', type: 'uuid' },
  { name: 'driver_day_id', type: 'uuid' },
  { name: 'job_id', type: 'uuid' },
  { name: 'order_id', type: 'uuid' },
  { name: 'administrative_area', type: 'text' },
  { name: 'travelled_distance_type', type: 'text' },
  { name: 'equipment_id', type: 'uuid' },
  { name: 'travelled_distance_meters', type: 'numeric(12,1)' },
];

const KEY = ['traveller_id', 'administrative_area', 'travelled_distance_type', 'equipment_id'];

/** Replaces what was measured of a day, its jobs and their loads; what did not change is not written. Approved loads keep what they have. */
export async function writeMeasured(em: EntityManager, day: MeasuredDay, jobs: readonly MeasuredJob[], measured: Measured): Promise<void> {
  const { distances, trackOf } = measured;
  const orders = new Map(jobs.map((job) => [job.id, job.orderId]));
  const rows = distances.flatMap((one) => {
    const orderId = (one.jobId && orders.get(one.jobId)) || null;
    const of = (type: string, id: string | null, more = { jobId: one.jobId, orderId }) => (id ? [{ type, id, ...more, one }] : []);
    return [...of('DriverDay', day.id, { jobId: null, orderId: null }), ...of('Job', one.jobId), ...of('Load', one.loadId)];
  });
  const sums = Map.groupBy(rows, ({ id, one }) => [id, one.area, one.type, one.equipmentId].join());
  await writeDistances(
    em,
    day,
    [...sums.values()].map((same) => {
      const [{ type, id, jobId, orderId, one }] = same as [(typeof rows)[0]];
      return {
        id: newId(),
        ...{ company_id: day.companyId, traveller_type: type, traveller_id: id, driver_day_id: day.id, job_id: jobId, order_id: orderId },
        ...{ administrative_area: one.area, travelled_distance_type: one.type, equipment_id: one.equipmentId },
        travelled_distance_meters: metresOf(same.map((each) => each.one)),
      };
    }),
  );
  const ofDay = trackOf(day);
  await queryIn(em, UPDATE_DAY, [day.id, ofDay.minutes, ofDay.pings > 0 ? metresOf(distances) : null]);
  for (const job of jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const track = trackOf(job);
    const known = track.pings > 0;
    const mine = distances.filter(({ jobId }) => jobId === job.id);
    await queryIn(em, UPDATE_JOB, [
      job.id,
      ...(known ? [track.pings, track.offlinePings, track.longestGapSeconds, metresOf(mine)] : [null, null, null, null]),
    ]);
    for (const load of job.loads) {
      const { pings, minutes } = trackOf(load);
      const metres = pings > 0 ? metresOf(mine.filter(({ loadId }) => loadId === load.id)) : null;
      await queryIn(em, UPDATE_LOAD, [load.id, minutes, pings > 0, metres]);
    }
  }
}

const metresOf = (ones: readonly Travelled[]): string =>
  new Decimal(ones.reduce((sum, { decimetres }) => sum + decimetres, 0)).div(10).toFixed(1);

async function writeDistances(em: EntityManager, day: MeasuredDay, rows: readonly Record<string, unknown>[]): Promise<void> {
  const ids = rows.map(({ traveller_id }) => traveller_id);
  if (rows.length > 0) {
    const { select, from, values } = toUnnest(rows, COLUMNS);
    await queryIn(
      em,
      `insert into travelled_distance (${COLUMNS.map(({ name }) => name).join(', ')}) select ${select} from ${from}
       on conflict (${KEY.join(', ')}) do update set travelled_distance_meters = excluded.travelled_distance_meters,
         driver_day_id = excluded.driver_day_id, updated_at = now()
       where (travelled_distance.travelled_distance_meters, travelled_distance.driver_day_id)
         is distinct from (excluded.travelled_distance_meters, excluded.driver_day_id)`,
      values,
    );
  }
  await queryIn(
    em,
    `delete from travelled_distance t where t.driver_day_id = $1 and not exists (select from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as k (a, b, c, d)
       where (t.traveller_id, t.administrative_area, t.travelled_distance_type) = (k.a, k.b, k.c) and t.equipment_id is not distinct from k.d)`,
    [
      day.id,
      ids,
      rows.map((row) => row.administrative_area),
      rows.map((row) => row.travelled_distance_type),
      rows.map((row) => row.equipment_id),
    ],
  );
}

const UPDATE_DAY = `update driver_day set gps_minutes = $2, gps_distance_meters = $3::numeric
  where id = $1 and (gps_minutes, gps_distance_meters) is distinct from ($2::int, $3::numeric)`;

const UPDATE_JOB = `update job set gps_total_pings = $2, gps_offline_pings = $3, gps_longest_gap_seconds = $4, gps_distance_meters = $5::numeric,
    gps_interval_seconds = (select ${settingSql('cs', 'positionIntervalSeconds')} from (select) one left join company_settings cs on cs.id = job.company_id)
  where id = $1 and (gps_total_pings, gps_offline_pings, gps_longest_gap_seconds, gps_distance_meters)
    is distinct from ($2::int, $3::int, $4::int, $5::numeric)`;

const UPDATE_LOAD = `update load set summary_gps_minutes = $2, summary_has_gps_data = $3, summary_travelled_distance_meters = $4::numeric
  where id = $1 and (approved_at is null or not summary_has_gps_data)
    and (summary_gps_minutes, summary_has_gps_data, summary_travelled_distance_meters) is distinct from ($2::int, $3::boolean, $4::numeric)`;
