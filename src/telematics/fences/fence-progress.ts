import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import { SEEN } from './earlier-triggers.ts';
import type { Progress } from './find-triggers.ts';

/** The knowledge about a driver and the geofences of their work. */
export interface KnownFences {
  fences: Record<string, Progress>;
  /** Null if nothing is stored. */
  version: number | null;
  /** Milliseconds: positions from before were deleted, and disprove nothing any more. Null if they were not. */
  forgottenAt: number | null;
}

const KNOWN = `select u.id, p.fences, p.version, (extract(epoch from u.positions_forgotten_at) * 1000)::float8 as "forgottenAt"
  from app_user u left join fence_progress p on p.asset_id = u.id where u.id = any($1::uuid[])`;

/** Reads that of drivers. */
export async function readFences(query: Query, driverIds: readonly string[]): Promise<Map<string, KnownFences>> {
  type Row = { id: string; fences: KnownFences['fences'] | null } & Omit<KnownFences, 'fences'>;
  const found = await query<Row>(planOnceForFew(KNOWN, driverIds.length), [driverIds]);
  return new Map(found.map(({ id, fences, ...others }) => [id, { fences: fences ?? {}, ...others }]));
}

/** The knowledge about a driver now. */
export interface KeptFences {
  driverId: string;
  companyId: string;
  fences: Record<string, Progress>;
  /** Of what was read before. */
  version: number | null;
}

// A driver of whom nothing was known begins with version 1.
const KEEP = `insert into fence_progress as p (asset_id, company_id, fences, version)
    select k.driver, k.company, k.fences::jsonb, k.version from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as k (driver, company, fences, version) order by 1
  on conflict (asset_id) do update set fences = excluded.fences, version = excluded.version, updated_at = now() where p.version = excluded.version - 1
  returning asset_id as id`;

/**
 * Keeps what is known of drivers and geofences, unless it was changed since it was read: by the task of the driver's telephone or of the
 * truck, or because positions were forgotten.
 * @returns the drivers of whom it was kept
 */
export async function keepFences(query: Query, known: readonly KeptFences[]): Promise<Set<string>> {
  if (known.length === 0) return new Set();
  const values = [
    ...[known.map(({ driverId }) => driverId), known.map(({ companyId }) => companyId)],
    ...[known.map(({ fences }) => JSON.stringify(fences)), known.map(({ version }) => (version ?? 0) + 1)],
  ];
  const kept = await query<{ id: string }>(planOnceForFew(KEEP, known.length), values);
  return new Set(kept.map(({ id }) => id));
}

/** A time before which nothing of a driver is looked at, and from when on a crossing before it counts, in milliseconds. */
export interface Before {
  driverId: string;
  fenceId: string;
  since: number;
  until: number;
}

/** Whether a driver was in a geofence at the end of a time. */
export type Inside = (driverId: string, fenceId: string) => boolean;

const INSIDE = `select a.driver || ' ' || a.fence as key from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) as a (driver, fence, since, until)
  where (select g.geofence_trigger_type from geofence_trigger g where g.asset_id = a.driver and g.fence_id = a.fence
    and g.occurred_at >= a.since and g.occurred_at < a.until and ${SEEN('g')} order by g.occurred_at desc, g.id desc limit 1) = 'enter'`;

/** Where drivers were at the end of times, by the crossings that are stored: who was inside entered as the last thing. */
export async function insideAt(query: Query, times: readonly Before[]): Promise<Inside> {
  if (times.length === 0) return () => false;
  const rows = await query<{ key: string }>(planOnceForFew(INSIDE, times.length), [
    ...[times.map(({ driverId }) => driverId), times.map(({ fenceId }) => fenceId)],
    ...[times.map(({ since }) => new Date(since)), times.map(({ until }) => new Date(until))],
  ]);
  const inside = new Set(rows.map(({ key }) => key));
  return (driverId, fenceId) => inside.has(`${driverId} ${fenceId}`);
}
