import type { EntityManager } from '@mikro-orm/postgresql';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { type Query, queryOf } from '../../platform/database/sql.ts';
import type { PositionFollower, PositionTask } from '../positions/position-follower.ts';
import { lookBackTo } from '../positions/position-tasks.ts';
import { applyCrossing } from './apply-trigger.ts';
import { type LookedAnew, supersede } from './disprove.ts';
import { type DriverFence, type FencedJob, fencesOfDriver, jobAt, jobsOfDriver } from './driver-fences.ts';
import { evaluatedPositions, type Position } from './evaluated-positions.ts';
import { insideAt, type KnownFences, keepFences, readFences } from './fence-progress.ts';
import { FENCES } from './fence-purpose.ts';
import { regionOfRow, tracksOf } from './fence-rows.ts';
import { BEGINNING, findTriggers, type Progress, type Trigger } from './find-triggers.ts';

/** Milliseconds before new positions that say which source is the better one. */
const CONTEXT = 10 * 60_000;
/** Milliseconds for which a home base is looked back at. */
const HOME_BACK = 24 * 3_600_000;

/** Works out who entered and left the geofences of their work, and moves the work by it, in the background. */
export const fenceFollower: PositionFollower = {
  kind: 'fences',
  delay: 200,
  slots: 4,
  async work(em, task, lease) {
    for (const driverId of await driversOf(em, task)) {
      await followDriver(em, driverId, task);
      await lease.renew();
    }
  },
};

const asFences =
  (em: EntityManager): Query =>
  (sql, parameters) =>
    runAsPurpose(FENCES, () => queryOf({ em }, sql, parameters));

const DRIVERS = `select distinct j.driver_id as id from job j where j.equipment_id = $1 and j.driver_id is not null and j.state not in ('created', 'rejected')
  and j.job_start_at between $2::timestamptz - interval '36 hours' and now() + interval '3 hours'`;

/** The person of a telephone, or those who drive with a truck. */
async function driversOf(em: EntityManager, { assetId, assetType, since }: PositionTask): Promise<string[]> {
  if (assetType === 'User') return [assetId];
  const rows = await asFences(em)<{ id: string }>(planOnceForFew(DRIVERS, 1), [assetId, since]);
  return rows.map(({ id }) => id);
}

/** A geofence with all that is needed to look at positions against it. */
interface Looked {
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

async function followDriver(em: EntityManager, driverId: string, task: PositionTask): Promise<void> {
  // The telephone and the truck of a driver have tasks of their own. Of two that end at once, one did not have the positions of the other.
  for (let anew = false; !(await lookOnce(em, driverId, task, anew)); ) anew = true;
}

/** @returns false if somebody else was faster: then all must be looked at again, because what was written may be wrong */
async function lookOnce(em: EntityManager, driverId: string, task: PositionTask, anew: boolean): Promise<boolean> {
  const { companyId, since } = task;
  const query = asFences(em);
  const jobs = await jobsOfDriver(query, driverId, since);
  const rows = await fencesOfDriver(query, driverId, jobs);
  if (rows.length === 0) return true;
  const stored = await readFences(query, driverId);
  const looked = lookedAt(rows, jobs, stored, since.getTime(), anew);
  const oldest = (one: Looked) => one.known?.at ?? one.from;
  const positions = await positionsOf(query, driverId, jobs, Math.min(...looked.map(oldest)) - CONTEXT);
  const tracks = await tracksOf(query, rows, positions);
  const inside = await insideAt(
    query,
    driverId,
    looked.flatMap(({ fence, insideSince, from, known }) =>
      insideSince === undefined || known ? [] : { fenceId: fence.id, since: insideSince, until: from },
    ),
  );
  const found: { one: Looked; trigger: Trigger }[] = [];
  const progress: Record<string, Progress> = {};
  const lookedAnew: LookedAnew[] = [];
  for (const one of looked) {
    const { fence, known, from, delaySeconds } = one;
    const region = regionOfRow(fence, tracks.get(fence.machine?.equipmentId ?? ''));
    if (!region) continue;
    const counted = positions.filter(({ at }) => known || at >= from);
    // Nothing is known of a geofence, and nothing disproved, before there are positions to look at.
    if (!known && counted.length === 0) continue;
    const beginning = { ...BEGINNING, inside: inside.has(fence.id) };
    const result = findTriggers(region, counted, { strategy: 'live', delaySeconds }, known ?? beginning);
    progress[fence.id] = result.progress;
    found.push(...result.triggers.map((trigger) => ({ one, trigger })));
    if (!known) lookedAnew.push({ fenceId: fence.id, from, triggers: result.triggers });
  }
  // If this process ends before what it knows is kept, whoever comes next finds out what was written and is not so.
  if (found.length > 0 || lookedAnew.length > 0) await lookBackTo(em, task, new Date(Math.min(...looked.map(oldest))));
  await supersede(em, query, driverId, lookedAnew);
  // At one moment somebody leaves a place before they enter the next one.
  found.sort((a, b) => a.trigger.position.at - b.trigger.position.at || (a.trigger.type === 'exit' ? -1 : 1));
  for (const { one, trigger } of found) {
    const now = one.jobs.length > 1 ? await jobsOfDriver(query, driverId, since) : one.jobs;
    const job = jobAt(
      now.filter(({ id }) => one.jobs.some((known) => known.id === id)),
      trigger.position.at,
    );
    const waypointType = rows.find(({ id, jobId }) => id === one.fence.id && jobId === job?.id)?.waypointType ?? one.fence.waypointType;
    const fence = { ...one.fence, waypointType };
    await applyCrossing(em, { trigger, fence, driverId, companyId: job?.companyId ?? companyId, jobId: job?.id ?? null });
  }
  return keepFences(query, { driverId, companyId }, progress, stored.version);
}

function lookedAt(
  rows: readonly DriverFence[],
  jobs: readonly FencedJob[],
  { fences: known, forgottenAt }: KnownFences,
  since: number,
  anew: boolean,
): Looked[] {
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

const POSITIONS = `select id, (extract(epoch from occurred_at) * 1000)::float8 as at, lat::float8 as lat, lon::float8 as lon, accuracy, source
  from location_history where occurred_at > $1 and asset_id = any($2::uuid[]) and (asset_id = $3 or job_id is null or job_id = any($4::uuid[]))`;

/** The positions of the driver's telephone, and of the trucks of the jobs while nobody else had them. */
async function positionsOf(query: Query, driverId: string, jobs: readonly FencedJob[], from: number): Promise<Position[]> {
  const trucks = jobs.flatMap(({ equipmentId }) => equipmentId ?? []);
  const rows = await query<Position>(planOnceForFew(POSITIONS, trucks.length), [
    new Date(from),
    [driverId, ...trucks],
    driverId,
    jobs.map(({ id }) => id),
  ]);
  return evaluatedPositions(rows);
}
