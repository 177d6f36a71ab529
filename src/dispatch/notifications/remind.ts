import type { EntityManager } from '@mikro-orm/postgresql';
import { anyCompanyContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { inEachTime, inPresentTime, PRESENT } from '../../platform/database/time/sandbox-time.ts';
import { HAULING } from '../model/states.ts';
import { NOTIFYING, type NotificationName, officesOf } from './notification-kinds.ts';
import { type Notice, notify } from './notify.ts';

/** Minutes before its start at which a driver is reminded of a job. */
const BEFORE_START = 30;
/** Hours after which an unanswered job is one to be reminded of. */
const UNANSWERED = 2;
/** Minutes without a position on a job. */
const SILENT = 15;
/** Reminders of a shift that is open, an hour apart, the first an hour after its planned end. */
const END_REMINDERS = 3;
/** Minutes that a shift lasts that is planned nowhere, unless its company says otherwise. */
const USUAL_SHIFT = 480;
/** Seconds for which reminders are worth sending. */
const HALF_AN_HOUR = 1_800;
const HALF_A_DAY = 12 * 3_600;
/** Found by one statement. */
const BATCH = 200;

interface Due {
  /** Of the job or day, by which the next page begins. */
  id: string;
  at: string;
  key: string;
  driver: string;
  companyId: string;
  job: string | null;
  startsAt: string | Date | null;
}

const epoch = (at: string) => `floor(extract(epoch from ${at}))::bigint`;
const hauling = HAULING.map((state) => `'${state}'`).join(', ');
const unnoted = (who: string, key: string) => `not exists (select from notification n where n.user_id = ${who} and n.key = ${key})`;
/** Pages in the order of `at` and `id`; `$1` and `$2` are those of the last row. */
const paged = (rows: string) => `select * from (${rows}) due
  where ${unnoted('due.driver', 'due.key')} and ($1::timestamptz is null or (due.at, due.id) > ($1, $2::uuid)) order by due.at, due.id limit ${BATCH}`;

const ofJob = `j.id, j.driver_id as driver, u.company_id as "companyId", j.id as job, j.job_start_at as "startsAt"
  from job j join app_user u on u.id = j.driver_id and u.discarded_at is null`;
const open = `exists (select from orders o where o.id = j.order_id and o.state in ('accepted', 'in_progress'))`;

interface Reminder {
  name: NotificationName;
  sql: string;
  toOffice?: boolean;
  notice: Partial<Notice> & { worthSeconds: number };
}

/** Shifts `d` of drivers `u` that are open; `idle` are those of which no job is under way. */
const openShift = `driver_state_event s join driver_day d on d.id = s.driver_day_id and d.ended_shift_at is null
      join app_user u on u.id = d.driver_id and u.discarded_at is null`;
const onShift = `s.ended_at is null and s.state <> 'off_duty'`;
const idle = `${onShift}
        and not exists (select from job j where j.driver_id = d.driver_id and j.driver_day_id = d.id and j.state in (${hauling}))`;
const ofShift = `d.id, d.driver_id as driver, u.company_id as "companyId", null::uuid as job, null::timestamptz as "startsAt"`;

const REMINDERS: readonly Reminder[] = [
  {
    name: 'start_job_reminder',
    sql: paged(`select j.job_start_at as at, 'start_job_reminder:' || j.id || ':' || ${epoch('j.job_start_at')} as key, ${ofJob}
      where ${inPresentTime('j.company_id')} and j.state in ('sent', 'accepted') and j.job_start_at > ${PRESENT} and j.job_start_at <= ${PRESENT} + ${BEFORE_START} * interval '1 minute' and ${open}`),
    notice: { atOnce: true, worthSeconds: HALF_AN_HOUR },
  },
  {
    name: 'pending_job_reminder',
    sql: paged(`select j.state_changed_at as at, 'pending_job_reminder:' || j.id || ':' || ${epoch('j.state_changed_at')} as key, ${ofJob}
      where ${inPresentTime('j.company_id')} and j.state = 'sent' and j.state_changed_at <= ${PRESENT} - ${UNANSWERED} * interval '1 hour'
        and j.job_start_at > ${PRESENT} - interval '12 hours' and j.job_start_at < ${PRESENT} + interval '31 days' and ${open}`),
    notice: { worthSeconds: HALF_A_DAY },
  },
  // A driver without a network is not heard of either; so the gap is what counts, and each has one notice. The truck of the job speaks for its driver
  // since the job was begun, so that whoever has no telephone that does has gaps, too.
  {
    name: 'no_location_alert',
    sql: paged(`select h.heard as at, 'no_location_alert:' || j.id || ':' || ${epoch('h.heard')} as key, ${ofJob}
      cross join lateral (select min(e.occurred_at) as began from job_event e where e.job_id = j.id and e.event_name = 'ToPickup' and e.undone_at is null) b
      cross join lateral (select greatest(u.last_ping_at, b.began) as heard) t
      cross join lateral (select case when t.heard <= ${PRESENT} - ${SILENT} * interval '1 minute' then greatest(t.heard, (
          select l.occurred_at from location_history l where l.asset_id = j.equipment_id and l.occurred_at between b.began and ${PRESENT}
          order by l.occurred_at desc limit 1)) end as heard) h
      where ${inPresentTime('j.company_id')} and j.state in (${hauling}) and j.paused_at is null and j.job_start_at between ${PRESENT} - interval '3 days' and ${PRESENT} + interval '2 days'
        and h.heard <= ${PRESENT} - ${SILENT} * interval '1 minute'`),
    toOffice: true,
    notice: { worthSeconds: HALF_AN_HOUR },
  },
  {
    name: 'end_shift_reminder',
    sql: paged(`select p.planned as at, 'end_shift_reminder:' || d.id || ':' || n.number as key, ${ofShift}
      from ${openShift}
      left join company_settings c on c.id = u.company_id
      cross join lateral (select coalesce(max(j.job_start_at + coalesce(j.job_time, o.job_time) * interval '1 minute'),
          greatest(d.started_shift_at + coalesce(c.overtime_after_minutes, ${USUAL_SHIFT}) * interval '1 minute', max(j.job_start_at))) as planned
        from job j join orders o on o.id = j.order_id
        where j.driver_id = d.driver_id and j.state not in ('canceled', 'rejected')
          and (j.driver_day_id = d.id or (j.driver_day_id is null and j.job_start_at >= d.starts_at and j.job_start_at < d.ends_at))) p
      cross join lateral (select floor(extract(epoch from ${PRESENT} - p.planned) / 3600)::int as number) n
      where ${inPresentTime('d.company_id')} and n.number between 1 and ${END_REMINDERS} and ${onShift}`),
    notice: { atOnce: true, worthSeconds: HALF_AN_HOUR },
  },
  {
    // Finds drivers who are back at the home base and have nothing left to do today (PROOF A5, the table of triggers).
    name: 'end_shift_reminder',
    sql: paged(`select d.last_homebase_entry_at as at, 'end_shift_reminder:' || d.id || ':home:' || ${epoch('d.last_homebase_entry_at')} as key, ${ofShift}
      from ${openShift}
      where ${inPresentTime('d.company_id')} and d.last_homebase_entry_at > ${PRESENT} - ${HALF_AN_HOUR} * interval '1 second' and ${idle}
        and exists (select from job j where j.driver_day_id = d.id)
        and not exists (select from job j where j.driver_id = d.driver_id and j.state in ('assigned', 'sent', 'accepted')
          and j.job_start_at < greatest(d.ends_at, ${PRESENT} + interval '4 hours') and j.job_start_at > ${PRESENT} - interval '12 hours')
        and not exists (select from job j join load l on l.job_id = j.id and l.state = 'created' where j.driver_day_id = d.id and j.state = 'load_completed')`),
    notice: { atOnce: true, worthSeconds: HALF_AN_HOUR },
  },
];

/**
 * Reminds people of what time brings (PROOF A9): of a job that begins, or that they have not answered, of a telephone that is silent on a job,
 * of a shift that is still open. Whoever looks a second time finds the notice there.
 * @returns how many notices were due
 */
export async function remind(em: EntityManager): Promise<number> {
  return inEachTime(em, NOTIFYING, async () => {
    const pool = await poolOf(em);
    let due = 0;
    for (const { name, sql, toOffice, notice } of REMINDERS) {
      for (let last: Due | undefined, rows: Due[] = []; !last || rows.length === BATCH; last = rows.at(-1)) {
        ({ rows } = await pool.query<Due>(sql, [last?.at ?? null, last?.id ?? null]));
        if (rows.length === 0) break;
        due += rows.length;
        await transact(anyCompanyContext(em), async (tx) => notify(tx, await noticesOf(tx, rows, name, notice, toOffice)));
      }
    }
    return due;
  });
}

async function noticesOf(
  tx: TxContext,
  rows: readonly Due[],
  name: NotificationName,
  more: Partial<Notice> & { worthSeconds: number },
  toOffice = false,
): Promise<Notice[]> {
  const office = await officesOf(tx, toOffice ? rows : []);
  return rows.flatMap(({ id, key, driver, companyId, job, startsAt }) => {
    const notice = { name, key, jobId: job, startsAt: startsAt === null ? null : new Date(startsAt), ...more };
    const about: Record<string, string> = job ? {} : { day: id };
    return [
      // Drivers are at work; the office may sleep.
      // Whoever cannot be reached would be found again by every look of every process.
      { ...notice, userId: driver, about, noted: true, ...(toOffice ? { atOnce: true } : {}) },
      ...(office.get(companyId) ?? []).map((one) => ({ ...notice, userId: one.id, about: { ...about, driver } })),
    ];
  });
}
