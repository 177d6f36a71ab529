import type { EntityManager } from '@mikro-orm/postgresql';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { loadsAreMeasured } from '../../dispatch/checks/measured-loads.ts';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Column, toUnnest } from '../../platform/database/unnest.ts';
import { Decimal } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { MeasuredDay, MeasuredJob } from './measured-day.ts';
import type { Track, Travelled } from './travel.ts';

/** The measures of a day by its positions. */
interface Measured {
  distances: readonly Travelled[];
  /** Metres over gaps. */
  unmeasured: number;
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
    jobs,
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
  const [driven, gaps] = ofDay.pings > 0 ? [metresOf(distances), new Decimal(measured.unmeasured).toFixed(1)] : [null, null];
  await queryIn(em, UPDATE_DAY, [day.id, ofDay.minutes, driven, gaps]);
  const mine = Map.groupBy(distances, ({ jobId }) => jobId);
  const changedJobs = await writeRows(
    em,
    'job',
    JOB_COLUMNS,
    UPDATE_JOBS,
    jobs.map((job) => {
      const { pings, offlinePings, longestGapSeconds } = trackOf(job);
      if (pings === 0) return { id: job.id, pings: null, offline: null, gap: null, metres: null };
      return { id: job.id, pings, offline: offlinePings, gap: longestGapSeconds, metres: metresOf(mine.get(job.id) ?? []) };
    }),
  );
  const changedLoads = await writeRows(
    em,
    'load',
    LOAD_COLUMNS,
    UPDATE_LOADS,
    jobs.flatMap((job) =>
      job.loads.map((load) => {
        const { pings, minutes } = trackOf(load);
        const ofLoad = (mine.get(job.id) ?? []).filter(({ loadId }) => loadId === load.id);
        return { id: load.id, minutes, known: pings > 0, metres: pings > 0 ? metresOf(ofLoad) : null };
      }),
    ),
  );
  if (changedLoads.length > 0)
    await loadsAreMeasured(
      em,
      changedLoads.map(({ id }) => id),
    );
  const [row] = await queryIn<{ now: string | Date }>(em, 'select now() as now');
  const updated = (topic: 'Job' | 'Load') => (record: Changed) => ({ ...record, topic, happening: 'update' as const });
  await noteHappened({ em, now: new Date(row!.now), query: (sql, values) => queryIn(em, sql, values) }, [
    ...changedJobs.map(updated('Job')),
    ...changedLoads.map(updated('Load')),
  ]);
}

interface Changed {
  id: string;
  companyId: string;
}

/**
 * Writes rows of jobs or loads in one statement, after they are locked in the order in which everybody locks them.
 * @returns those that have changed
 */
async function writeRows(
  em: EntityManager,
  table: 'job' | 'load',
  columns: readonly Column[],
  update: string,
  rows: readonly ({ id: string } & Record<string, unknown>)[],
): Promise<Changed[]> {
  if (rows.length === 0) return [];
  await queryIn(em, `select from ${table} where id = any($1::uuid[]) order by id for no key update`, [rows.map(({ id }) => id)]);
  const { select, from, values } = toUnnest(rows, columns);
  const names = columns.map(({ name }) => name).join(', ');
  const written = update.replace('$rows', `(select ${select} from ${from}) as v (${names})`);
  return queryIn<Changed>(em, `${written} returning ${table}.id, ${table}.company_id as "companyId"`, values);
}

const metresOf = (ones: readonly Travelled[]): string =>
  new Decimal(ones.reduce((sum, { decimetres }) => sum + decimetres, 0)).div(10).toFixed(1);

/** SQL: a day, a job or a load was measured and then approved. What is known of it stays (PROOF A2). */
const APPROVED = {
  day: '(approved_totals is not null and gps_minutes is not null)',
  job: '(approved_at is not null and gps_total_pings is not null)',
  load: '(approved_at is not null and summary_has_gps_data)',
};
const APPROVED_OF_DAY = `select id from driver_day where id = $1 and ${APPROVED.day}
  union all select id from job where id = any($2::uuid[]) and ${APPROVED.job}
  union all select id from load where job_id = any($2::uuid[]) and ${APPROVED.load}`;

async function writeDistances(
  em: EntityManager,
  day: MeasuredDay,
  jobs: readonly MeasuredJob[],
  found: readonly Record<string, unknown>[],
): Promise<void> {
  const approved = (await queryIn<{ id: string }>(em, APPROVED_OF_DAY, [day.id, jobs.map(({ id }) => id)])).map(({ id }) => id);
  const rows = found.filter(({ traveller_id }) => !approved.includes(traveller_id as string));
  const ids = rows.map(({ traveller_id }) => traveller_id);
  if (rows.length > 0) {
    const { select, from, values } = toUnnest(rows, COLUMNS);
    await queryIn(
      em,
      `insert into travelled_distance (${COLUMNS.map(({ name }) => name).join(', ')}) select ${select} from ${from}
       on conflict (${KEY.join(', ')}) do update set travelled_distance_meters = excluded.travelled_distance_meters,
         driver_day_id = excluded.driver_day_id, updated_at = present_time()
       where (travelled_distance.travelled_distance_meters, travelled_distance.driver_day_id)
         is distinct from (excluded.travelled_distance_meters, excluded.driver_day_id)`,
      values,
    );
  }
  await queryIn(
    em,
    `delete from travelled_distance t where t.driver_day_id = $1 and t.traveller_id <> all($6::uuid[]) and not exists (select from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) as k (a, b, c, d)
       where (t.traveller_id, t.administrative_area, t.travelled_distance_type) = (k.a, k.b, k.c) and t.equipment_id is not distinct from k.d)`,
    [
      day.id,
      ids,
      rows.map((row) => row.administrative_area),
      rows.map((row) => row.travelled_distance_type),
      rows.map((row) => row.equipment_id),
      approved,
    ],
  );
}

// It is seen that late positions would have changed what was approved.
const UPDATE_DAY = `update driver_day set updated_at = present_time(), measured_after_approval = ${APPROVED.day},
    gps_minutes = case when ${APPROVED.day} then gps_minutes else $2 end,
    gps_distance_meters = case when ${APPROVED.day} then gps_distance_meters else $3::numeric end,
    gps_unmeasured_meters = case when ${APPROVED.day} then gps_unmeasured_meters else $4::numeric end
  where id = $1 and (gps_minutes, gps_distance_meters, gps_unmeasured_meters) is distinct from ($2::int, $3::numeric, $4::numeric)
    and not (${APPROVED.day} and measured_after_approval)`;

const JOB_COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid' },
  { name: 'pings', type: 'integer' },
  { name: 'offline', type: 'integer' },
  { name: 'gap', type: 'integer' },
  { name: 'metres', type: 'numeric(12,1)' },
];

const UPDATE_JOBS = `update job set updated_at = present_time(), gps_total_pings = v.pings, gps_offline_pings = v.offline, gps_longest_gap_seconds = v.gap, gps_distance_meters = v.metres,
    gps_interval_seconds = (select ${settingSql('cs', 'positionIntervalSeconds')} from (select) one left join company_settings cs on cs.id = job.company_id)
  from $rows where job.id = v.id and not ${APPROVED.job} and (job.gps_total_pings, job.gps_offline_pings, job.gps_longest_gap_seconds, job.gps_distance_meters)
    is distinct from (v.pings, v.offline, v.gap, v.metres)`;

const LOAD_COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid' },
  { name: 'minutes', type: 'integer' },
  { name: 'known', type: 'boolean' },
  { name: 'metres', type: 'numeric(12,1)' },
];

const UPDATE_LOADS = `update load set updated_at = present_time(), summary_gps_minutes = v.minutes, summary_has_gps_data = v.known, summary_travelled_distance_meters = v.metres
  from $rows where load.id = v.id and not ${APPROVED.load}
    and (load.summary_gps_minutes, load.summary_has_gps_data, load.summary_travelled_distance_meters) is distinct from (v.minutes, v.known, v.metres)`;
