import type { EntityManager } from '@mikro-orm/postgresql';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { type Query, queryOf } from '../../platform/database/sql.ts';
import type { PositionSetFollower, PositionTask } from '../positions/position-follower.ts';
import { lookBackTo } from '../positions/position-tasks.ts';
import { applyCrossing } from './apply-trigger.ts';
import { supersede } from './disprove.ts';
import { BEFORE_ANY_CLOCK, EARLY_HOURS, type Followed, jobAt, jobsOfDrivers } from './driver-fences.ts';
import { keepFences } from './fence-progress.ts';
import { FENCES } from './fence-purpose.ts';
import { type Look, lookAtFences } from './look-at-fences.ts';

/** Assets of a set whose work moves at a time. */
const AT_ONCE = 4;

/**
 * Works out who entered and left the geofences of their work, and moves the work by it, in the background. Most positions are far from any
 * geofence: these are looked at together, and only drivers who crossed one, or of whom nothing is known yet, are followed by themselves.
 */
export const fenceFollower: PositionSetFollower = {
  kind: 'fences',
  delay: 200,
  most: 50,
  slots: 2,
  async workTogether(em, tasks) {
    const query = asFences(em);
    const drivers = await driversOf(query, tasks);
    const settled = await followTogether(query, drivers);
    const failed = new Map<(typeof tasks)[number], unknown>();
    const rest = drivers.filter(({ driverId }) => !settled.has(driverId));
    const left = [...Map.groupBy(rest, ({ task }) => task)];
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [task, ofTask] = next;
        try {
          await asCompanies([task.companyId], async () => {
            for (const { driverId } of ofTask) await followDriver(em, driverId, task);
          });
        } catch (error) {
          failed.set(task, error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return failed;
  },
};

const asFences =
  (em: EntityManager): Query =>
  (sql, parameters) =>
    runAsPurpose(FENCES, () => queryOf({ em }, sql, parameters));

/** A driver whom a task is about. */
interface FollowedBy<T extends PositionTask> extends Followed {
  task: T;
}

const DRIVERS = `select a.truck, d.driver from unnest($1::uuid[], $2::timestamptz[]) as a (truck, since)
  cross join lateral (select distinct j.driver_id as driver from job j where j.equipment_id = a.truck and j.driver_id is not null and j.state not in ('created', 'rejected')
    and j.job_start_at between a.since - interval '36 hours' and ${BEFORE_ANY_CLOCK}
    and j.job_start_at <= company_now(j.company_id) + interval '${EARLY_HOURS} hours' offset 0) d`;

/** The persons of telephones, and those who drive with trucks. */
async function driversOf<T extends PositionTask>(query: Query, tasks: readonly T[]): Promise<FollowedBy<T>[]> {
  const trucks = tasks.filter(({ assetType }) => assetType === 'Equipment');
  const values = [trucks.map(({ assetId }) => assetId), trucks.map(({ since }) => since)];
  const found = trucks.length > 0 ? await query<{ truck: string; driver: string }>(planOnceForFew(DRIVERS, trucks.length), values) : [];
  const ofTruck = Map.groupBy(found, ({ truck }) => truck);
  return tasks.flatMap((task) => {
    const { assetId, assetType, since } = task;
    const drivers = assetType === 'User' ? [assetId] : (ofTruck.get(assetId) ?? []).map(({ driver }) => driver);
    return drivers.map((driverId) => ({ driverId, since, task }));
  });
}

/**
 * Looks at all drivers together, and keeps what is known now of those who crossed nothing.
 * @returns the drivers of whom nothing is left to do
 */
async function followTogether(query: Query, drivers: readonly FollowedBy<PositionTask>[]): Promise<Set<string>> {
  if (drivers.length === 0) return new Set();
  // The telephone and the truck of a driver have tasks of their own.
  const followed = [...Map.groupBy(drivers, ({ driverId }) => driverId)].map(([driverId, same]) => ({
    driverId,
    companyId: same[0]!.task.companyId,
    since: new Date(Math.min(...same.map(({ since }) => since.getTime()))),
  }));
  const looks = new Map((await lookAtFences(query, followed, false)).map((look) => [look.driverId, look]));
  const quiet = followed.flatMap(({ driverId, companyId }) => {
    const look = looks.get(driverId);
    return look && isQuiet(look) ? { driverId, companyId, fences: look.fences, version: look.version } : [];
  });
  const kept = await keepFences(query, quiet);
  return new Set(followed.flatMap(({ driverId }) => (!looks.has(driverId) || kept.has(driverId) ? driverId : [])));
}

/** True if nothing follows from what was seen. */
const isQuiet = ({ found, lookedAnew }: Look): boolean => found.length === 0 && lookedAnew.length === 0;

async function followDriver(em: EntityManager, driverId: string, task: PositionTask): Promise<void> {
  // The telephone and the truck of a driver have tasks of their own. Of two that end at once, one did not have the positions of the other.
  for (let anew = false; !(await lookOnce(em, driverId, task, anew)); ) anew = true;
}

/** @returns false if somebody else was faster: then all must be looked at again, because what was written may be wrong */
async function lookOnce(em: EntityManager, driverId: string, task: PositionTask, anew: boolean): Promise<boolean> {
  const { companyId, since } = task;
  const query = asFences(em);
  const [look] = await lookAtFences(query, [{ driverId, since }], anew);
  if (!look) return true;
  const { found, lookedAnew, oldest, rows, fences, version } = look;
  // If this process ends before what it knows is kept, whoever comes next finds out what was written and is not so.
  if (!isQuiet(look)) await lookBackTo(em, task, new Date(oldest));
  await supersede(em, query, driverId, lookedAnew);
  for (const { one, trigger } of found) {
    const now = one.jobs.length > 1 ? ((await jobsOfDrivers(query, [{ driverId, since }])).get(driverId) ?? []) : one.jobs;
    const job = jobAt(
      now.filter(({ id }) => one.jobs.some((known) => known.id === id)),
      trigger.position.at,
    );
    const waypointType = rows.find(({ id, jobId }) => id === one.fence.id && jobId === job?.id)?.waypointType ?? one.fence.waypointType;
    const fence = { ...one.fence, waypointType };
    await applyCrossing(em, { trigger, fence, driverId, companyId: job?.companyId ?? companyId, jobId: job?.id ?? null });
  }
  return (await keepFences(query, [{ driverId, companyId, fences, version }])).has(driverId);
}
