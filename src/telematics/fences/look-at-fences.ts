import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { LookedAnew } from './disprove.ts';
import { type DriverFence, type FencedJob, type Followed, fencesOfDrivers, jobAt, jobsOfDrivers } from './driver-fences.ts';
import { evaluatedPositions, type Position } from './evaluated-positions.ts';
import { insideAt, type KnownFences, readFences } from './fence-progress.ts';
import { regionOfRow, tracksOf } from './fence-rows.ts';
import { BEGINNING, findTriggers, type Progress, type Trigger } from './find-triggers.ts';

/** Milliseconds before new positions that say which source is the better one. */
const CONTEXT = 10 * 60_000;
/** Milliseconds for which a home base is looked back at. */
const HOME_BACK = 24 * 3_600_000;

/** A geofence with all that is needed to look at positions against it. */
export interface LookedFence {
  fence: DriverFence;
  /** The jobs that go there; none at the home base. */
  jobs: FencedJob[];
  delaySeconds: number;
  /** From when on positions count, in milliseconds. */
  from: number;
  /** From when on crossings say whether the driver was inside at `from`; undefined if nobody was inside before. */
  insideSince: number | undefined;
  /** What is known up to the new positions; undefined if all must be looked at again. */
  known: Progress | undefined;
}

/** What the positions of a driver say of the geofences of the driver's work. */
export interface Look {
  driverId: string;
  /** The geofences, with a row for each job that goes there. */
  rows: DriverFence[];
  /** Of what was known before; null if nothing was. */
  version: number | null;
  /** What is known now, by geofence. */
  fences: Record<string, Progress>;
  found: { one: LookedFence; trigger: Trigger }[];
  lookedAnew: LookedAnew[];
  /** When the oldest position counted, in milliseconds. */
  oldest: number;
}

/**
 * Looks at what came of drivers, with as many statements for many of them as for one. Nothing is written.
 * @param anew all positions of their work are looked at, and not only what is new
 * @returns nothing of drivers whose work has no geofences
 */
export async function lookAtFences(query: Query, followed: readonly Followed[], anew: boolean): Promise<Look[]> {
  const found = await jobsOfDrivers(query, followed);
  const jobs = new Map(followed.map(({ driverId }) => [driverId, found.get(driverId) ?? []]));
  const rows = await fencesOfDrivers(query, jobs);
  const busy = followed.filter(({ driverId }) => rows.has(driverId));
  if (busy.length === 0) return [];
  const stored = await readFences(
    query,
    busy.map(({ driverId }) => driverId),
  );
  const drivers = busy.map(({ driverId, since }): Driver => {
    const mine = { rows: rows.get(driverId)!, jobs: jobs.get(driverId)! };
    const known = stored.get(driverId) ?? { fences: {}, version: null, forgottenAt: null };
    const looked = lookedAt(mine.rows, mine.jobs, known, since.getTime(), anew);
    return { driverId, ...mine, version: known.version, looked, oldest: Math.min(...looked.map((one) => one.known?.at ?? one.from)) };
  });
  const positions = await positionsOf(query, drivers);
  const looks: Look[] = [];
  for (const driver of drivers) looks.push(await lookAt(query, driver, positions.get(driver.driverId) ?? []));
  return looks;
}

interface Driver extends Pick<Look, 'driverId' | 'rows' | 'version' | 'oldest'> {
  jobs: FencedJob[];
  looked: LookedFence[];
}

async function lookAt(query: Query, { driverId, rows, version, oldest, looked }: Driver, positions: readonly Position[]): Promise<Look> {
  const tracks = await tracksOf(query, rows, positions);
  const inside = await insideAt(
    query,
    driverId,
    looked.flatMap(({ fence, insideSince, from, known }) =>
      insideSince === undefined || known ? [] : { fenceId: fence.id, since: insideSince, until: from },
    ),
  );
  const look: Look = { driverId, rows, version, oldest, fences: {}, found: [], lookedAnew: [] };
  for (const one of looked) {
    const { fence, known, from, delaySeconds } = one;
    const region = regionOfRow(fence, tracks.get(fence.machine?.equipmentId ?? ''));
    if (!region) continue;
    const counted = positions.filter(({ at }) => known || at >= from);
    // Nothing is known of a geofence, and nothing disproved, before there are positions to look at.
    if (!known && counted.length === 0) continue;
    const beginning = { ...BEGINNING, inside: inside.has(fence.id) };
    const result = findTriggers(region, counted, { strategy: 'live', delaySeconds }, known ?? beginning);
    look.fences[fence.id] = result.progress;
    look.found.push(...result.triggers.map((trigger) => ({ one, trigger })));
    if (!known) look.lookedAnew.push({ fenceId: fence.id, from, triggers: result.triggers });
  }
  // At one moment somebody leaves a place before they enter the next one.
  look.found.sort((a, b) => a.trigger.position.at - b.trigger.position.at || (a.trigger.type === 'exit' ? -1 : 1));
  return look;
}

function lookedAt(
  rows: readonly DriverFence[],
  jobs: readonly FencedJob[],
  { fences: known, forgottenAt }: KnownFences,
  since: number,
  anew: boolean,
): LookedFence[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((same) => {
    const fence = same[0]!;
    const ofFence = jobs.filter(({ id }) => same.some(({ jobId }) => jobId === id));
    const before = known[fence.id];
    const isWork = ofFence.length > 0;
    const start = isWork ? Math.min(...ofFence.map(({ from }) => from)) : since - HOME_BACK;
    // What was forgotten disproves nothing: the crossings of before stay.
    const from = Math.max(start, (forgottenAt ?? Number.NEGATIVE_INFINITY) + 1);
    return {
      fence,
      jobs: ofFence,
      delaySeconds: jobAt(ofFence, since)?.delaySeconds ?? fence.delaySeconds ?? 0,
      from,
      // A truck is at its home base all night.
      insideSince: isWork ? (from > start ? start : undefined) : start - HOME_BACK,
      known: !anew && before && before.at > BEGINNING.at && before.at < since ? before : undefined,
    };
  });
}

// What was measured before `$1` is in other months.
const POSITIONS = `select a.driver as "driverId", h.* from unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as a (driver, asset, since)
  cross join lateral (select h.id, (extract(epoch from h.occurred_at) * 1000)::float8 as at, h.lat::float8 as lat, h.lon::float8 as lon, h.accuracy, h.source,
      h.asset_id as "assetId", h.job_id as "jobId"
    from location_history h where h.asset_id = a.asset and h.occurred_at > a.since and h.occurred_at > $1 offset 0) h`;

/** The positions of the drivers' telephones, and of the trucks of their jobs while nobody else had them, by driver. */
async function positionsOf(query: Query, drivers: readonly Driver[]): Promise<Map<string, Position[]>> {
  const assets = drivers.flatMap(({ driverId, jobs, oldest }) =>
    [driverId, ...new Set(jobs.flatMap(({ equipmentId }) => equipmentId ?? []))].map((asset) => ({
      driverId,
      asset,
      from: oldest - CONTEXT,
    })),
  );
  const found = await query<Position & { driverId: string; assetId: string; jobId: string | null }>(
    planOnceForFew(POSITIONS, assets.length),
    [
      new Date(Math.min(...assets.map(({ from }) => from))),
      ...[assets.map(({ driverId }) => driverId), assets.map(({ asset }) => asset), assets.map(({ from }) => new Date(from))],
    ],
  );
  const ofDriver = Map.groupBy(found, ({ driverId }) => driverId);
  return new Map(
    drivers.map(({ driverId, jobs }) => {
      const had = new Set(jobs.map(({ id }) => id));
      const own = (ofDriver.get(driverId) ?? []).filter(({ assetId, jobId }) => assetId === driverId || jobId === null || had.has(jobId));
      return [driverId, evaluatedPositions(own.map(({ driverId: _, assetId, jobId, ...position }) => position))];
    }),
  );
}
