import { afterCommit, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Column, toUnnest } from '../../platform/database/unnest.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import { POSITION_FOLLOWERS } from './position-followers.ts';
import { withMonths } from './position-months.ts';
import { positionWaker } from './position-tasks.ts';
import { atWork } from './whereabouts.ts';

/** A position of a vehicle as a provider of telematics measured it. */
export interface MeasuredPosition {
  companyId: string;
  /** The equipment that the vehicle is. */
  equipmentId: string;
  /** The fleet and the provider's key: positions of one vehicle at one instant are one. */
  deviceId: string;
  /** The provider's name of the vehicle. */
  providerKey: string;
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
 * Stores positions of vehicles, in any order; those that were stored before are left out, and so are those of vehicles that are not at work. What
 * follows from them waits for the worker from the commit on. Call with rows whose companies and machines were checked.
 */
export async function recordPositions(tx: TxContext, positions: readonly MeasuredPosition[]): Promise<void> {
  const kept = await withMonths(tx, await atWork(tx, positions));
  let stored = 0;
  for (let at = 0; at < kept.length; at += BATCH) stored += await store(tx, kept.slice(at, at + BATCH));
  if (stored > 0) afterCommit(tx, () => positionWaker.of(tx.em).wake());
}

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid' },
  { name: 'company_id', type: 'uuid' },
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

/** The kinds of what follows from positions, and milliseconds until each is due: values of `FOLLOWED`. */
export const followers = (): [string[], number[]] => [
  POSITION_FOLLOWERS.map(({ kind }) => kind),
  POSITION_FOLLOWERS.map(({ delay }) => delay),
];

/**
 * SQL that has the worker do what follows from positions.
 * @param assets rows with `company_id`, `asset_id`, and `since`, when the oldest of the new positions was measured
 * @param kinds the places of the values of `followers`
 */
export const FOLLOWED = (assets: string, type: 'User' | 'Equipment', kinds: readonly [string, string]): string => `
  insert into position_task (company_id, asset_id, asset_type, kind, since, due_at)
  select s.company_id, s.asset_id, '${type}', k.kind, s.since, now() + k.delay * interval '1 millisecond'
  from ${assets} s cross join unnest(${kinds[0]}::text[], ${kinds[1]}::float8[]) as k (kind, delay) order by s.asset_id, k.kind
  on conflict (asset_id, kind) do update set since = excluded.since where position_task.since is null or position_task.since > excluded.since`;

/** Stores a batch, and has the worker do what follows from what is new, in one statement. */
async function store(tx: TxContext, positions: readonly MeasuredPosition[]): Promise<number> {
  const { select, from, values } = toUnnest(positions.map(rowOf), COLUMNS);
  const news = '(select company_id, equipment_id as asset_id, min(occurred_at) as since from stored group by 1, 2)';
  const [row] = await queryIn<{ stored: number }>(
    tx.em,
    `with stored as (
       insert into location_history (${COLUMNS.map(({ name }) => name).join(', ')}) select ${select} from ${from}
       on conflict (asset_id, occurred_at, device_id) do nothing returning company_id, equipment_id, occurred_at),
     followed as (${FOLLOWED(news, 'Equipment', [`$${values.length + 1}`, `$${values.length + 2}`])})
     select count(*)::int as stored from stored`,
    [...values, ...followers()],
  );
  return row!.stored;
}

const rowOf = (one: MeasuredPosition) => ({
  id: newId(),
  company_id: one.companyId,
  equipment_id: one.equipmentId,
  device_id: one.deviceId,
  source: 'telematics',
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
