import { OVER } from '../../dispatch/model/states.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { queryIn } from '../../platform/database/sql.ts';

/*
 * Positions that are nobody's business are dropped (PROOF A7): a position is kept if its person was on duty or on a break then, or a job of theirs
 * was under way; a vehicle's, if that holds for who drives it, or if it is the machine of a moving site, which nobody takes home; and anybody's
 * whose company keeps them at any time (`trackOffDuty`). A vehicle's position gets the job that was under way with it, and so does that of a
 * telephone which names none.
 */

/** A question about positions of vehicles before they are kept. */
interface Seen {
  equipmentId: string;
  jobId: string | null;
  occurredAt: Date;
}

/** A time in which a truck was at work, in milliseconds; without an end it lasts. */
interface Span {
  equipment: string;
  job: string | null;
  from: number;
  until: number | null;
}

/** Drops positions of vehicles that are nobody's business. The others get the job that was under way. */
export async function atWork<T extends Seen>(tx: TxContext, positions: readonly T[]): Promise<T[]> {
  if (positions.length === 0) return [];
  const vehicles = [...new Set(positions.map(({ equipmentId }) => equipmentId))];
  const times = positions.map(({ occurredAt }) => occurredAt.getTime());
  const bounds = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const spans = await queryIn<Span>(tx.em, planOnceForFew(OF_VEHICLES, vehicles.length), [vehicles, ...bounds]);
  const ofVehicle = Map.groupBy(spans, ({ equipment }) => equipment);
  return positions.flatMap((one) => {
    const at = one.occurredAt.getTime();
    const then = (ofVehicle.get(one.equipmentId) ?? []).filter(({ from, until }) => from <= at && (until === null || at <= until));
    if (then.length === 0) return [];
    return [{ ...one, jobId: then.find(({ job }) => job)?.job ?? null }];
  });
}

/** SQL: milliseconds since 1970. */
export const millis = (at: string): string => `(extract(epoch from ${at}) * 1000)::float8`;

/** When positions were measured, from the first to the last, in SQL. */
interface During {
  from: string;
  until: string;
}

/**
 * SQL of the times in which somebody was on duty or on a break, with the columns `from` and `until`, which is null while it lasts. A shift lasts 20
 * hours at most, and who drives a job that was planned for another week is on duty.
 */
export const ON_DUTY = (of: string, { from, until }: During, whose = ''): string => `
  select ${whose}e.started_at as "from", e.ended_at as until
  from ${of} and e.state in ('on_duty', 'break') and (e.ended_at is null or e.ended_at >= ${from})
    and e.started_at between ${from} - interval '2 days' and ${until}`;

const ENDS = `('JobCompleted', 'JobEnded', 'JobCanceled')`;
/** SQL of when work on jobs `j` began, as `w.start`, and of when it was over, as `w.last`, for jobs that are. */
export const UNDER_WAY = `cross join lateral (select min(e.occurred_at) filter (where e.event_name = 'ToPickup') as start, max(e.occurred_at) as last
    from job_event e where e.job_id = j.id and e.undone_at is null and (e.event_name = 'ToPickup' or e.event_name in ${ENDS})) w`;

/** SQL of the times in which jobs `j` were under way, which also have the column `job`. */
export const HAULED = (of: string, { from, until }: During, whose = ''): string => `
  select ${whose}j.id as job, w.start as "from", case when j.state in ${OVER} then w.last end as until
  from job j ${UNDER_WAY}
  where ${of} and j.job_start_at between ${from} - interval '3 days' and ${until} + interval '3 days'
    and w.start <= ${until} and (j.state not in ${OVER} or w.last >= ${from})`;

/** SQL: `of` joined with the settings of a company that keeps the positions of its people and vehicles `u` at any time. */
export const EVERYWHERE = (of: string): string => `${of} join company_settings cs on cs.company_id = u.company_id and cs.track_off_duty`;

const BOUNDS: During = { from: '$2::timestamptz', until: '$3::timestamptz' };
const OF_DRIVERS = 'app_user u join driver_state_event e on e.user_id = u.id where u.equipment_id = any($1::uuid[])';
const OF_VEHICLES = `select s.equipment, s.job, ${millis('s."from"')} as "from", ${millis('s.until')} as until
    from (${ON_DUTY(OF_DRIVERS, BOUNDS, 'u.equipment_id as equipment, null::uuid as job, ')}
      union all ${HAULED('j.equipment_id = any($1::uuid[])', BOUNDS, 'j.equipment_id, ')}) s
  union all select m.equipment_id, null, '-infinity'::float8, null from moving_site m where m.equipment_id = any($1::uuid[])
  union all select u.id, null, '-infinity'::float8, null from ${EVERYWHERE('equipment u')} where u.id = any($1::uuid[])`;
