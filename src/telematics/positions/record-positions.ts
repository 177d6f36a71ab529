import { afterCommit, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Column, toUnnest } from '../../platform/database/unnest.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { PositionSource } from './location-history.entity.ts';
import { POSITION_FOLLOWERS } from './position-followers.ts';
import { withMonths } from './position-months.ts';
import { positionWaker } from './position-tasks.ts';
import { atWork } from './whereabouts.ts';

/** A position as a telephone or a provider of telematics measured it. */
export interface MeasuredPosition {
  companyId: string;
  /** Whose telephone it was; null for vehicles. */
  userId: string | null;
  /** The truck of the person, or the vehicle; null if nobody said which equipment it is. */
  equipmentId: string | null;
  /** Tells the devices of one asset apart. For vehicles, the fleet and the provider's key: positions of one device at one instant are one. */
  deviceId: string;
  source: PositionSource;
  /** What the provider calls the vehicle. */
  providerKey: string | null;
  occurredAt: Date;
  /** Degrees, WGS 84. */
  lat: Decimal | number | string;
  lon: Decimal | number | string;
  /** Metres; null if unknown. */
  accuracy: number | null;
  speedMetersPerSecond: number | null;
  /** Degrees clockwise from north. */
  bearingDegrees: number | null;
  jobId: string | null;
  /** Whether it waited for a network. */
  offlineMode: boolean;
}

/** Positions of one statement. */
const BATCH = 500;

/**
 * Stores positions of telephones and vehicles, in any order; those that were stored before are left out, and so are those of people who are
 * not at work. What follows from them waits for the worker from the commit on. Call with rows whose companies, people and machines were checked.
 * @returns those that are anybody's business, whether they are new or not
 */
export async function recordPositions(tx: TxContext, positions: readonly MeasuredPosition[]): Promise<MeasuredPosition[]> {
  const kept = await withMonths(tx, await atWork(tx, positions));
  let stored = 0;
  for (let at = 0; at < kept.length; at += BATCH) stored += await store(tx, kept.slice(at, at + BATCH));
  if (stored > 0) afterCommit(tx, () => positionWaker.of(tx.em).wake());
  return kept;
}

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid' },
  { name: 'company_id', type: 'uuid' },
  { name: 'user_id', type: 'uuid' },
  { name: 'equipment_id', type: 'uuid' },
  { name: 'device_id', type: 'text' },
  { name: 'source', type: 'text' },
  { name: 'provider_key', type: 'text' },
  { name: 'occurred_at', type: 'timestamptz' },
  { name: 'lat', type: 'numeric' },
  { name: 'lon', type: 'numeric' },
  { name: 'accuracy', type: 'double precision' },
  { name: 'speed_meters_per_second', type: 'double precision' },
  { name: 'bearing_degrees', type: 'double precision' },
  { name: 'job_id', type: 'uuid' },
  { name: 'offline_mode', type: 'boolean' },
];

/** Stores a batch, and has the worker do what follows from what is new, in one statement. */
async function store(tx: TxContext, positions: readonly MeasuredPosition[]): Promise<number> {
  const { select, from, values } = toUnnest(positions.map(rowOf), COLUMNS);
  const kinds = `$${values.length + 1}::text[], $${values.length + 2}::float8[]`;
  const [row] = await queryIn<{ stored: number }>(
    tx.em,
    `with stored as (
       insert into location_history (${COLUMNS.map(({ name }) => name).join(', ')}) select ${select} from ${from}
       on conflict (asset_id, occurred_at, device_id) do nothing returning company_id, user_id, equipment_id, occurred_at),
     followed as (
       insert into position_task (company_id, asset_id, asset_type, kind, since, due_at)
       select s.company_id, coalesce(s.user_id, s.equipment_id), case when s.user_id is null then 'Equipment' else 'User' end, k.kind,
         min(s.occurred_at), now() + min(k.delay) * interval '1 millisecond'
       from stored s cross join unnest(${kinds}) as k (kind, delay)
       where coalesce(s.user_id, s.equipment_id) is not null group by 1, 2, 3, 4 order by 2, 4
       on conflict (asset_id, kind) do update set since = least(position_task.since, excluded.since))
     select count(*)::int as stored from stored`,
    [...values, POSITION_FOLLOWERS.map(({ kind }) => kind), POSITION_FOLLOWERS.map(({ delay }) => delay)],
  );
  return row!.stored;
}

const rowOf = (one: MeasuredPosition) => ({
  id: newId(),
  company_id: one.companyId,
  user_id: one.userId,
  equipment_id: one.equipmentId,
  device_id: one.deviceId,
  source: one.source,
  provider_key: one.providerKey,
  occurred_at: one.occurredAt,
  lat: one.lat,
  lon: one.lon,
  accuracy: one.accuracy,
  speed_meters_per_second: one.speedMetersPerSecond,
  bearing_degrees: one.bearingDegrees,
  job_id: one.jobId,
  offline_mode: one.offlineMode,
});
