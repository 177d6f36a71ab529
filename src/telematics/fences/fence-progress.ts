import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import { SEEN } from './earlier-triggers.ts';
import type { Progress } from './find-triggers.ts';

/** What is known of a driver and the geofences of their work. */
export interface KnownFences {
  fences: Record<string, Progress>;
  /** Null if nothing is stored. */
  version: number | null;
  /** Milliseconds: positions from before were deleted, and disprove nothing any more. Null if they were not. */
  forgottenAt: number | null;
}

const KNOWN = `select p.fences, p.version, (extract(epoch from u.positions_forgotten_at) * 1000)::float8 as "forgottenAt"
  from app_user u left join fence_progress p on p.asset_id = u.id where u.id = $1`;

export async function readFences(query: Query, driverId: string): Promise<KnownFences> {
  const [row] = await query<{ fences: KnownFences['fences'] | null } & Omit<KnownFences, 'fences'>>(planOnceForFew(KNOWN, 1), [driverId]);
  return { fences: row?.fences ?? {}, version: row?.version ?? null, forgottenAt: row?.forgottenAt ?? null };
}

/**
 * Keeps what is known of a driver and geofences, unless it was changed since it was read: by the task of the driver's telephone or of the
 * truck, or because positions were forgotten.
 * @returns false if it was changed, and nothing was kept
 */
export async function keepFences(
  query: Query,
  { driverId, companyId }: { driverId: string; companyId: string },
  fences: Record<string, Progress>,
  version: number | null,
): Promise<boolean> {
  const rows = await query(
    namedStatement(`insert into fence_progress as p (asset_id, company_id, fences) values ($1, $2, $3)
     on conflict (asset_id) do update set fences = excluded.fences, version = p.version + 1, updated_at = now() where p.version = $4
     returning version`),
    [driverId, companyId, JSON.stringify(fences), version],
  );
  return rows.length > 0;
}

/** A time before which nothing is looked at, and from when on a crossing before it counts, in milliseconds. */
export interface Before {
  fenceId: string;
  since: number;
  until: number;
}

/** The geofences in which a driver was at the end of a time, by the crossings that are stored: their last one was an entry. */
export async function insideAt(query: Query, driverId: string, times: readonly Before[]): Promise<Set<string>> {
  if (times.length === 0) return new Set();
  const rows = await query<{ fence: string }>(
    `select a.fence from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as a(fence, since, until)
     where (select g.geofence_trigger_type from geofence_trigger g where g.asset_id = $1 and g.fence_id = a.fence
       and g.occurred_at >= a.since and g.occurred_at < a.until and ${SEEN('g')} order by g.occurred_at desc, g.id desc limit 1) = 'enter'`,
    [driverId, times.map(({ fenceId }) => fenceId), times.map(({ since }) => iso(since)), times.map(({ until }) => iso(until))],
  );
  return new Set(rows.map(({ fence }) => fence));
}

const iso = (at: number): string => new Date(at).toISOString();
