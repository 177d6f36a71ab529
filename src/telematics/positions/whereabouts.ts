import { OVER } from '../../dispatch/model/states.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** What is asked about positions before they are kept. */
interface Seen {
  userId: string | null;
  equipmentId: string | null;
  jobId: string | null;
  occurredAt: Date;
}

/** A time in which a person, a truck or both were at work, in milliseconds; without an end it lasts. */
interface Span {
  user: string | null;
  equipment: string | null;
  job: string | null;
  from: number;
  until: number | null;
}

/**
 * Drops positions that are nobody's business (PROOF A7): a position is kept if its person was on duty or on a break then, or a job of theirs
 * was under way; a vehicle's, if that holds for who drives it, or if it is the machine of a moving site, which nobody takes home; and anybody's
 * whose company keeps them at any time (`trackOffDuty`). A vehicle's position gets the job that was under way with it, and so does that of a
 * telephone which names none.
 */
export async function atWork<T extends Seen>(tx: TxContext, positions: readonly T[]): Promise<T[]> {
  if (positions.length === 0) return [];
  const users = idsOf(positions, ({ userId }) => userId);
  const vehicles = idsOf(positions, ({ userId, equipmentId }) => (userId ? null : equipmentId));
  const times = positions.map(({ occurredAt }) => occurredAt.getTime());
  const bounds = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const spansOf = async (sql: string, ids: string[]) =>
    ids.length > 0 ? queryIn<Span>(tx.em, planOnceForFew(sql, ids.length), [ids, ...bounds]) : [];
  const ofUser = Map.groupBy(await spansOf(OF_PERSONS, users), ({ user }) => user);
  const ofVehicle = Map.groupBy(await spansOf(OF_VEHICLES, vehicles), ({ equipment }) => equipment);
  return positions.flatMap((one) => {
    const mine = (one.userId ? ofUser.get(one.userId) : one.equipmentId && ofVehicle.get(one.equipmentId)) || [];
    const at = one.occurredAt.getTime();
    const then = mine.filter(({ from, until }) => from <= at && (until === null || at <= until));
    if (then.length === 0) return [];
    const underWay = then.find(({ job }) => job)?.job ?? null;
    return [{ ...one, jobId: one.userId ? (one.jobId ?? underWay) : underWay }];
  });
}

const idsOf = <T>(ones: readonly T[], idOf: (one: T) => string | null): string[] => [
  ...new Set(ones.map(idOf).filter((id) => id !== null)),
];

const millis = (at: string): string => `(extract(epoch from ${at}) * 1000)::float8`;

// A shift lasts 20 hours at most, and who drives a job that was planned for another week is on duty.
const onDuty = (user: string, equipment: string, of: string): string => `
  select ${user} as "user", ${equipment} as equipment, null::uuid as job, ${millis('e.started_at')} as "from", ${millis('e.ended_at')} as until
  from ${of} and e.state in ('on_duty', 'break') and (e.ended_at is null or e.ended_at >= $2::timestamptz)
    and e.started_at between $2::timestamptz - interval '2 days' and $3::timestamptz`;
const underWay = (of: string): string => `
  select j.driver_id, j.equipment_id, j.id, ${millis('w.start')}, case when j.state in ${OVER} then ${millis('w.last')} end
  from job j cross join lateral (select min(e.occurred_at) filter (where e.event_name = 'ToPickup') as start, max(e.occurred_at) as last
    from job_event e where e.job_id = j.id and e.undone_at is null and e.event_name in ('ToPickup', 'JobCompleted', 'JobEnded', 'JobCanceled')) w
  where ${of} = any($1::uuid[]) and j.job_start_at between $2::timestamptz - interval '3 days' and $3::timestamptz + interval '3 days'
    and w.start <= $3::timestamptz and (j.state not in ${OVER} or w.last >= $2::timestamptz)`;

// A company may keep the positions of its people and vehicles at any time.
const everywhere = (of: string): string =>
  `${of} join company_settings cs on cs.company_id = u.company_id and cs.track_off_duty where u.id = any($1::uuid[])`;

const OF_PERSONS = `${onDuty('e.user_id', 'null::uuid', 'driver_state_event e where e.user_id = any($1::uuid[])')}
  union all ${underWay('j.driver_id')}
  union all select u.id, null, null, '-infinity'::float8, null from ${everywhere('app_user u')}`;

const OF_VEHICLES = `${onDuty('null::uuid', 'u.equipment_id', 'app_user u join driver_state_event e on e.user_id = u.id where u.equipment_id = any($1::uuid[])')}
  union all ${underWay('j.equipment_id')}
  union all select null, m.equipment_id, null, '-infinity'::float8, null from moving_site m where m.equipment_id = any($1::uuid[])
  union all select null, u.id, null, '-infinity'::float8, null from ${everywhere('equipment u')}`;
