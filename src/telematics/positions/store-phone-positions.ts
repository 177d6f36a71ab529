import { newIdsArray } from '../../platform/database/binary-array.ts';
import { arrayOf } from '../../platform/database/unnest.ts';
import { newId } from '../../platform/ids.ts';
import type { GpsLocationInput } from './position.inputs.ts';
import { FOLLOWED, followers } from './record-positions.ts';
import { EVERYWHERE, HAULED, ON_DUTY } from './whereabouts.ts';

/** Metres per second below which a telephone counts as not moving (DOMAIN section 4). */
const STANDING = 1;

/** Milliseconds after which a position must have been waiting for a network. */
const LATE = 5 * 60_000;

/** Positions of a telephone in the order in which they were measured, of which there is one at least. */
export interface FromPhone {
  personId: string;
  deviceId: string;
  positions: readonly GpsLocationInput[];
  /** The present time, in milliseconds. */
  now: number;
  /** The jobs of which it is not known whether the person sees them. */
  jobIds: readonly string[];
  /** Whether somebody keeps positions of that time; unless given, of any. */
  isKept?: (occurredAt: Date) => boolean;
}

/** The values of the statements: columns, which are made at once, because a request may have a thousand positions. */
export function valuesOf({ personId, deviceId, positions, now, jobIds, isKept }: FromPhone): unknown[] {
  const column = (of: (one: GpsLocationInput) => unknown, type?: string) => arrayOf(positions.map(of), type);
  const ids = isKept ? column(({ occurredAt }) => (isKept(occurredAt) ? newId() : null), 'uuid') : newIdsArray(positions.length);
  return [
    ...[personId, deviceId, ids, column(({ occurredAt }) => occurredAt, 'timestamptz'), column(({ lat }) => lat), column(({ lon }) => lon)],
    ...[
      column(({ accuracy }) => known(accuracy), 'double precision'),
      column(({ speedMetersPerSecond }) => known(speedMetersPerSecond), 'double precision'),
      column(({ bearingDegrees }) => known(bearingDegrees), 'double precision'),
      column(({ jobId }) => jobId, 'uuid'),
      column(({ occurredAt }) => now - occurredAt.getTime() > LATE, 'boolean'),
    ],
    ...[positions[0]!.occurredAt, positions.at(-1)!.occurredAt, jobIds],
    ...followers(),
  ];
}

/** Telephones say -1 for what they do not know. */
const known = (value: number | null | undefined): number | null => (value === null || value === undefined || value < 0 ? null : value);

const DURING = { from: '$12::timestamptz', until: '$13::timestamptz' };
const THEN = (span: string) => `${span}."from" <= g.occurred_at and (${span}.until is null or g.occurred_at <= ${span}.until)`;

// Times in which the person was at work are read only as far as they decide: who is on duty, and names the job, is not asked for others. Nearly always one
// shift has all positions of a request, and then not each of them is compared with it.
const KEPT = `me as materialized (select u.id, u.company_id, u.equipment_id, u.last_ping_at, u.still_since, u.positions_forgotten_at
    from app_user u where u.id = $1 for no key update),
  others as materialized (select 1 from unnest($14::uuid[]) as x (id) where not exists (select from job j where j.id = x.id and j.driver_id = $1)),
  given as materialized (select g.*, g.job_id is not null or g.speed is null or g.speed >= ${STANDING} as moves
    from unnest($3::uuid[], $4::timestamptz[], $5::numeric[], $6::numeric[], $7::float8[], $8::float8[], $9::float8[], $10::uuid[], $11::boolean[])
      as g (id, occurred_at, lat, lon, accuracy, speed, bearing, job_id, offline)
    where not exists (select from others)),
  on_duty as materialized (${ON_DUTY('driver_state_event e where e.user_id = $1', DURING)}),
  hauled as materialized (${HAULED('j.driver_id = $1', DURING)}),
  kept as materialized (select g.id, g.occurred_at, g.lat, g.lon, g.accuracy, g.speed, g.bearing, g.offline,
      case when g.job_id is null and (select exists (select from hauled)) then (select h.job from hauled h where ${THEN('h')} limit 1) else g.job_id end as job_id
    from me cross join given g where g.id is not null and g.occurred_at > coalesce(me.positions_forgotten_at, '-infinity')
      and case when (select exists (select from on_duty d where d."from" <= ${DURING.from} and (d.until is null or d.until >= ${DURING.until}))) then true
        when exists (select from on_duty d where ${THEN('d')}) then true when exists (select from hauled h where ${THEN('h')}) then true
        else exists (select from ${EVERYWHERE('app_user u')} where u.id = $1) end)`;

/** The newest position of each month that is anybody's business. */
export const MONTHS_OF_KEPT = `with ${KEPT} select max(occurred_at) as "occurredAt" from kept
  where ($2::text, $15::text[], $16::float8[]) is not null group by date_trunc('month', occurred_at, 'UTC')`;

export interface Stored {
  /** Whether the person is there, and how many positions were new. */
  known: boolean;
  stored: number;
  /** Positions name jobs that somebody else drives, or nobody: nothing was stored, and they are to be looked at one by one. */
  others: boolean;
}

/**
 * Stores positions of a telephone that are anybody's business and new, has the worker do what follows from them, and notes that the person is
 * connected. Somebody off duty is connected, but where they are is nobody's business. A person who hauls a job works, and one whose speed is not
 * known may be driving: others have not moved since the first of their last positions that say so.
 */
export const STORE = `with ${KEPT},
  stored as (insert into location_history (id, company_id, user_id, equipment_id, device_id, source, occurred_at, lat, lon, accuracy,
      speed_meters_per_second, bearing_degrees, job_id, offline_mode)
    select k.id, me.company_id, me.id, me.equipment_id, $2, 'phone', k.occurred_at, k.lat, k.lon, k.accuracy, k.speed, k.bearing, k.job_id, k.offline
    from me cross join kept k order by k.occurred_at
    on conflict (asset_id, occurred_at, device_id) do nothing returning occurred_at),
  followed as (${FOLLOWED('(select me.company_id, me.id as asset_id, min(n.occurred_at) as since from stored n cross join me group by 1, 2)', 'User', ['$15', '$16'])}),
  newer as (select max(g.occurred_at) as last, min(g.occurred_at) as first, max(g.occurred_at) filter (where g.moves) as moved
    from me cross join given g where g.occurred_at > coalesce(me.last_ping_at, '-infinity')),
  seen as (update app_user u set last_ping_at = n.last, last_lat = p.lat, last_lon = p.lon,
      still_since = case when n.moved is null then coalesce(me.still_since, n.first)
        else (select min(g.occurred_at) from given g where g.occurred_at > n.moved and not g.moves) end
    from newer n cross join me left join lateral (select k.lat, k.lon from kept k where k.occurred_at = n.last limit 1) p on true
    where u.id = $1 and n.last is not null)
  select exists (select from me) as known, exists (select from others) as others, (select count(*)::int from stored) as stored`;
