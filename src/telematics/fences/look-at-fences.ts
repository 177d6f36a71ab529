import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { LookedAnew } from './disprove.ts';
import { type DriverFence, type FencedJob, type Followed, fencesOfDrivers, jobAt, jobsOfDrivers } from './driver-fences.ts';
import { type CountedPhone, evaluatedPositions, PHONES_COMPARED, type Position } from './evaluated-positions.ts';
import { type Before, type Inside, insideAt, type KnownFences, readFences } from './fence-progress.ts';
import { regionOfRow, tracksOf } from './fence-rows.ts';
import { BEGINNING, findTriggers, type Progress, type Trigger } from './find-triggers.ts';
import type { Fix } from './region.ts';

/** Minutes before new positions that say which source is the better one, and how many positions are around a crossing. */
const COMPARED = 10;
const AROUND = 1;
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
  /** The progress up to the new positions; undefined if all must be looked at again. */
  known: Progress | undefined;
}

/** The result of looking at the positions of a driver and the geofences of the driver's work. */
export interface Look {
  driverId: string;
  /** The geofences, with a row for each job that goes there. */
  rows: DriverFence[];
  /** Of what was known before; null if nothing was. */
  version: number | null;
  /** The progress now, by geofence. */
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
  const rows = await fencesOfDrivers(query, followed, jobs);
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
    return { driverId, ...mine, version: known.version, looked, ...beginningOf(looked) };
  });
  const positions = await positionsOf(query, drivers);
  const ofDriver = ({ driverId }: Driver) => positions.get(driverId) ?? [];
  const tracks = await tracksOf(
    query,
    drivers.map((driver) => ({ fences: driver.rows, positions: ofDriver(driver) })),
  );
  const inside = await insideAt(query, drivers.flatMap(unknownBefore));
  return drivers.map((driver, i) => lookAt(driver, ofDriver(driver), tracks[i]!, inside));
}

/** The geofences of which it must be found out whether the driver was inside before positions count. */
const unknownBefore = ({ driverId, looked }: Driver): Before[] =>
  looked.flatMap(({ fence, insideSince, from, known }) =>
    insideSince === undefined || known ? [] : { driverId, fenceId: fence.id, since: insideSince, until: from },
  );

interface Driver extends Pick<Look, 'driverId' | 'rows' | 'version' | 'oldest'> {
  jobs: FencedJob[];
  looked: LookedFence[];
  /** The telephone that counted when a geofence was looked at last, as far as it is known: at `oldest`, unless nothing is known of another geofence. */
  counted?: CountedPhone;
}

/** From when on positions count for any of the geofences, and which telephone counted at the first moment of which that is known. */
function beginningOf(looked: readonly LookedFence[]): Pick<Driver, 'oldest' | 'counted'> {
  const oldest = Math.min(...looked.map((one) => one.known?.at ?? one.from));
  const [counted] = looked
    .flatMap(({ known }): CountedPhone[] => (known?.phone === undefined ? [] : [{ phone: known.phone, at: known.at }]))
    .sort((one, other) => one.at - other.at);
  return { oldest, ...(counted ? { counted } : {}) };
}

function lookAt(
  { driverId, rows, version, oldest, looked }: Driver,
  positions: readonly Position[],
  tracks: ReadonlyMap<string, Fix[]>,
  inside: Inside,
): Look {
  const look: Look = { driverId, rows, version, oldest, fences: {}, found: [], lookedAnew: [] };
  for (const one of looked) {
    const { fence, known, from, delaySeconds } = one;
    const region = regionOfRow(fence, tracks.get(fence.machine?.equipmentId ?? ''));
    if (!region) continue;
    const counted = positions.filter(({ at }) => known || at >= from);
    // Nothing is known of a geofence, and nothing disproved, before there are positions to look at.
    if (!known && counted.length === 0) continue;
    const beginning = { ...BEGINNING, inside: inside(driverId, fence.id) };
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
    // Positions that were forgotten disprove nothing: the crossings of before stay.
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

/** A position as an array, which is read in a fraction of the time of a row. */
type Measured = [
  id: string,
  at: number,
  lat: number,
  lon: number,
  accuracy: number | null,
  source: Position['source'],
  jobId: string | null,
  device: string,
];

// Positions from before `$1` are in other months. Devices are compared only where there are two: of most drivers nothing but one telephone reports.
const SINCE = (since: string, minutes: number) => `${since} - interval '${minutes} minutes'`;
const WAY = (
  asset: string,
  since: string,
): string => `(select json_agg(json_build_array(h.id, (extract(epoch from h.occurred_at) * 1000)::float8, h.lat::float8, h.lon::float8,
      h.accuracy, h.source, h.job_id, h.device_id))
    from location_history h where h.asset_id = ${asset} and h.occurred_at > ${since} and h.occurred_at > $1)`;
const POSITIONS = `with trucks as materialized (select a.driver, ${WAY('a.asset', SINCE('a.since', COMPARED))} as way
    from unnest($4::uuid[], $5::uuid[], $6::timestamptz[]) as a (driver, asset, since))
  select driver as "driverId", false as own, way from trucks where way is not null union all
  select d.asset, true, ${WAY('d.asset', 'd.since')} from (select p.asset, p.since - interval '1 minute' *
      case when exists (select from location_history h where h.asset_id = p.asset and h.occurred_at > ${SINCE('p.since', AROUND)} and h.occurred_at > $1
          and h.device_id is distinct from p.phone) then ${PHONES_COMPARED}
        when exists (select from trucks t where t.driver = p.asset and t.way is not null) then ${COMPARED} else ${AROUND} end as since
    from unnest($2::uuid[], $3::timestamptz[], $7::text[]) as p (asset, since, phone) offset 0) d`;

/** The positions of the drivers' telephones, and of the trucks of their jobs while nobody else had them, by driver. */
async function positionsOf(query: Query, drivers: readonly Driver[]): Promise<Map<string, Position[]>> {
  const trucks = drivers.flatMap(({ driverId, jobs, oldest }) =>
    [...new Set(jobs.flatMap(({ equipmentId }) => equipmentId ?? []))].map((asset) => ({ driverId, asset, since: new Date(oldest) })),
  );
  const found = await query<{ driverId: string; own: boolean; way: Measured[] | null }>(
    planOnceForFew(POSITIONS, drivers.length + trucks.length),
    [
      new Date(Math.min(...drivers.map(({ oldest }) => oldest)) - PHONES_COMPARED * 60_000),
      ...[drivers.map(({ driverId }) => driverId), drivers.map(({ oldest }) => new Date(oldest))],
      ...[trucks.map(({ driverId }) => driverId), trucks.map(({ asset }) => asset), trucks.map(({ since }) => since)],
      drivers.map(({ counted }) => counted?.phone ?? null),
    ],
  );
  const ofDriver = Map.groupBy(found, ({ driverId }) => driverId);
  return new Map(
    drivers.map(({ driverId, jobs, oldest, counted }) => {
      const had = new Set(jobs.map(({ id }) => id));
      const ways = (ofDriver.get(driverId) ?? []).flatMap(({ own, way }) =>
        own ? (way ?? []) : (way ?? []).filter(([, , , , , , jobId]) => jobId === null || had.has(jobId)),
      );
      const positions = ways.map(
        ([id, at, lat, lon, accuracy, source, , device]): Position => ({ id, at, lat, lon, accuracy, source, device }),
      );
      return [driverId, evaluatedPositions(positions, counted, oldest)];
    }),
  );
}
