import { perApplication } from '../../platform/application.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { Invalid } from '../../platform/errors.ts';
import type { Position } from '../fences/evaluated-positions.ts';
import type { TriggeringLocation } from './found-trigger.ts';

/**
 * Positions of one calculation (`most`: a hundred drivers for a day, with one every twenty seconds), and those that are in memory at a time,
 * unless a single way has more.
 */
export const calculationLimits = perApplication('limits of calculations', () => ({ most: 500_000, inMemory: 20_000 }));

/** Positions `h` of which the ways are asked for, in SQL. */
export interface Ways {
  /** The column of the asset that moves. */
  asset: 'h.asset_id' | 'h.user_id' | 'h.equipment_id';
  where: string;
  values: readonly unknown[];
  limits: { most: number; inMemory: number };
  /** Makes the error for ways that are too long. */
  tooMany(most: number): Invalid;
}

/**
 * Reads the way of each asset, some ways at a time: a week of a company does not fit into memory. The positions of a way are in no order.
 * @throws what `tooMany` returns, before anything is read
 */
export async function* readWays(query: Query, { asset, where, values, limits, tooMany }: Ways): AsyncGenerator<Position[][]> {
  const counts = await query<{ asset: string; count: number }>(
    `select ${asset} as asset, count(*)::int as count from location_history h where ${where} group by 1 order by 1`,
    [...values],
  );
  if (counts.reduce((sum, { count }) => sum + count, 0) > limits.most) throw tooMany(limits.most);
  for (const assets of partsOf(counts, limits.inMemory)) {
    const rows = await query<Position & { asset: string }>(
      `select ${asset} as asset, h.id, (extract(epoch from h.occurred_at) * 1000)::float8 as at, h.lat::float8 as lat, h.lon::float8 as lon, h.accuracy, h.source, h.device_id as device
       from location_history h where ${where} and ${asset} = any($${values.length + 1}::uuid[])`,
      [...values, assets],
    );
    yield [...Map.groupBy(rows, (row) => row.asset).values()];
  }
}

function partsOf(counts: readonly { asset: string; count: number }[], most: number): string[][] {
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const { asset, count } of counts) {
    if (size + count > most) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(asset);
    size += count;
  }
  return parts;
}

const PLACES = `select h.id, h.occurred_at as "occurredAt", h.lat::text, h.lon::text,
    case when u.id is not null then json_build_object('id', u.id, 'firstName', u.first_name, 'lastName', u.last_name) end as driver,
    case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'externalId', e.external_id) end as equipment,
    case when o.id is not null then json_build_object('id', o.id, 'orderId', o.order_id) end as "order",
    case when j.id is not null then json_build_object('id', j.id, 'jobId', j.job_id) end as job
  from location_history h left join app_user u on u.id = h.user_id left join equipment e on e.id = h.equipment_id
    left join job j on j.id = h.job_id left join orders o on o.id = j.order_id
  where h.id = any($1::uuid[]) and h.occurred_at >= $2 and h.occurred_at <= $3`;

/** Positions as answers have them, with the driver, the equipment and the work, by their ids. */
export async function placesOf(query: Query, positions: readonly { id: string; at: number }[]): Promise<Map<string, TriggeringLocation>> {
  if (positions.length === 0) return new Map();
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of positions) [from, until] = [Math.min(from, at), Math.max(until, at)];
  const ids = [...new Set(positions.map(({ id }) => id))];
  const rows = await query<TriggeringLocation>(PLACES, [ids, new Date(Math.floor(from)), new Date(Math.ceil(until))]);
  return new Map(rows.map((row) => [row.id, row]));
}
