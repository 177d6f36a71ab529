import { Job } from '../../dispatch/model/job.entity.ts';
import { resolveReferences, viewerOf } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import type { GpsLocationInput } from './position.inputs.ts';
import { recordPositions } from './record-positions.ts';

/** The most positions of one request: two hours with one every seven seconds. */
export const MOST_POSITIONS = 1_000;
/** Milliseconds that a telephone's clock may be ahead of ours. */
const AHEAD = 5 * 60_000;
/** Milliseconds after which a position must have been waiting for a network. */
const LATE = 5 * 60_000;
/** Metres per second below which a telephone counts as not moving (DOMAIN section 4). */
const STANDING = 1;

/**
 * Stores positions of the caller's telephone: they come late, out of order and more than once. Measurements, which no audit row repeats.
 * @param path of the positions in the input, for errors: `location`, `locations`
 * @throws Missing for machine clients, Invalid with every wrong position
 */
export function recordPhonePositions(ctx: Context, deviceId: string, path: 'location' | 'locations', input: object): Promise<void> {
  return transact(ctx, async (tx) => {
    const many = path === 'locations';
    const given = [(input as Record<string, unknown>)[path]].flat() as GpsLocationInput[];
    const report = (field: string, key: string, params?: ErrorItem['params']) =>
      items.push({ model: 'MobileDeviceLocation', field, key, params });
    const items: ErrorItem[] = [];
    if (given.length > MOST_POSITIONS) report(path, 'too_many_positions', { most: MOST_POSITIONS });
    if (items.length > 0) throw new Invalid(items);
    for (const [at, { occurredAt }] of given.entries())
      if (occurredAt.getTime() > tx.tx.now.getTime() + AHEAD) report(`${many ? `${path}.${at}` : path}.occurredAt`, 'in_the_future');
    await resolveReferences(
      tx,
      input,
      { jobs: [Job, many ? 'locations.*.jobId' : 'location.jobId'] },
      { model: 'MobileDeviceLocation', items },
    );
    if (items.length > 0) throw new Invalid(items);
    await keep(
      tx,
      deviceId,
      given.toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime()),
    );
  });
}

/** The person who makes the request. @throws Unauthenticated, Missing for machines */
export function personOf(ctx: Context): { id: string; companyId: string } {
  const viewer = viewerOf(ctx);
  if (viewer.type !== 'User' && viewer.type !== 'Impersonation') throw new Missing();
  return viewer;
}

interface Before {
  company_id: string;
  equipment_id: string | null;
  last_ping_at: Date | null;
  still_since: Date | null;
  positions_forgotten_at: Date | null;
}

async function keep(tx: TxContext, deviceId: string, positions: readonly GpsLocationInput[]): Promise<void> {
  const { id } = personOf(tx);
  // Not through the unit of work: what changes several times a minute is no change of the person.
  const [before] = await queryIn<Before>(
    tx.em,
    'select company_id, equipment_id, last_ping_at, still_since, positions_forgotten_at from app_user where id = $1 for no key update',
    [id],
  );
  const last = positions.at(-1);
  if (!before) throw new Missing();
  if (!last) return;
  const now = tx.tx.now.getTime();
  const forgotten = timeOf(before.positions_forgotten_at);
  const remembered = positions.filter(({ occurredAt }) => occurredAt.getTime() > forgotten);
  const kept = await recordPositions(
    tx,
    remembered.map((one) => ({
      companyId: before.company_id,
      userId: id,
      equipmentId: before.equipment_id,
      deviceId,
      source: 'phone',
      providerKey: null,
      occurredAt: one.occurredAt,
      lat: one.lat,
      lon: one.lon,
      accuracy: known(one.accuracy),
      speedMetersPerSecond: known(one.speedMetersPerSecond),
      bearingDegrees: known(one.bearingDegrees),
      jobId: one.jobId?.toLowerCase() ?? null,
      offlineMode: now - one.occurredAt.getTime() > LATE,
    })),
  );
  const newer = positions.filter(({ occurredAt }) => occurredAt.getTime() > timeOf(before.last_ping_at));
  if (newer.length === 0) return;
  const still = newer.reduce(stillSince, before.still_since ? new Date(before.still_since) : null);
  // Somebody off duty is connected, but where they are is nobody's business.
  const place = kept.find(({ occurredAt }) => occurredAt.getTime() === last.occurredAt.getTime());
  await queryIn(tx.em, 'update app_user set last_ping_at = $2, still_since = $3, last_lat = $4, last_lon = $5 where id = $1', [
    id,
    last.occurredAt,
    still,
    place ? String(place.lat) : null,
    place ? String(place.lon) : null,
  ]);
}

/**
 * Since when a person has not moved, after one more position. A person who hauls a job works, and one whose speed is not known may be
 * driving.
 */
function stillSince(since: Date | null, { jobId, speedMetersPerSecond, occurredAt }: GpsLocationInput): Date | null {
  const speed = known(speedMetersPerSecond);
  return jobId || speed === null || speed >= STANDING ? null : (since ?? occurredAt);
}

/** Telephones say -1 for what they do not know. */
const known = (value: number | null | undefined): number | null => (value === null || value === undefined || value < 0 ? null : value);
const timeOf = (value: Date | string | null): number => (value === null ? Number.NEGATIVE_INFINITY : new Date(value).getTime());
