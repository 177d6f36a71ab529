import type { EntityManager } from '@mikro-orm/postgresql';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { type Query, queryOf } from '../../platform/database/sql.ts';
import type { PositionSetFollower, PositionTask } from '../positions/position-follower.ts';
import { lookBackTo } from '../positions/position-tasks.ts';
import { applyCrossing } from './apply-trigger.ts';
import { knownCrossings, type StoredCrossings, storedCrossings, supersede } from './disprove.ts';
import { BEFORE_ANY_CLOCK, EARLY_HOURS, type Followed, jobAt, jobsOfDrivers, UNBEGUN } from './driver-fences.ts';
import { keepFences } from './fence-progress.ts';
import { FENCES } from './fence-purpose.ts';
import { type Look, lookAtFences } from './look-at-fences.ts';

/** Assets of a set whose work moves at a time. */
const AT_ONCE = 4;

/**
 * Works out who entered and left the geofences of their work, and moves the work by it, in the background. Most positions are far from any
 * geofence: these are looked at and settled together, and only drivers who crossed one are followed by themselves.
 */
export const fenceFollower: PositionSetFollower = {
  kind: 'fences',
  delay: 200,
  // The more wait, the more are looked at together, and the less each of them costs.
  most: 200,
  slots: 2,
  async workTogether(em, tasks, end) {
    const query = asFences(em);
    const drivers = await driversOf(query, tasks);
    const { settled, crossed } = await followTogether(query, drivers);
    const left = [...Map.groupBy(drivers, ({ task }) => task)].flatMap(([task, ofTask]) => {
      const rest = ofTask.filter(({ driverId }) => !settled.has(driverId));
      return rest.length > 0 ? [{ task, rest }] : [];
    });
    const unsettled = new Set(left.map(({ task }) => task));
    await end(tasks.filter((task) => !unsettled.has(task)));
    await lookBackTo(em, earliestOf(left, crossed));
    const failed = new Map<(typeof tasks)[number], unknown>();
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const { task, rest } = next;
        try {
          await asCompanies([task.companyId], async () => {
            for (const { driverId } of rest) await followDriver(em, driverId, task, crossed.get(driverId));
          });
          await end([task]);
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
    and j.job_start_at between a.since - interval '3 days' and ${BEFORE_ANY_CLOCK}
    and (j.job_start_at <= company_now(j.company_id) + interval '${EARLY_HOURS} hours' or j.state not in ${UNBEGUN}) offset 0) d`;

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

/** Somebody of whom more follows than what is known now. */
interface Crossed {
  look: Look;
  stored: StoredCrossings;
}

/**
 * Looks at all drivers together, and keeps what is known now of those who crossed nothing.
 * @returns the drivers of whom nothing is left to do, and what was seen of those who crossed a geofence
 */
async function followTogether(
  query: Query,
  drivers: readonly FollowedBy<PositionTask>[],
): Promise<{ settled: Set<string>; crossed: Map<string, Crossed> }> {
  if (drivers.length === 0) return { settled: new Set(), crossed: new Map() };
  // The telephone and the truck of a driver have tasks of their own.
  const followed = [...Map.groupBy(drivers, ({ driverId }) => driverId)].map(([driverId, same]) => ({
    driverId,
    companyId: same[0]!.task.companyId,
    since: new Date(Math.min(...same.map(({ since }) => since.getTime()))),
  }));
  const companies = new Map(followed.map(({ driverId, companyId }) => [driverId, companyId]));
  const looks = await lookAtFences(query, followed, false);
  const stored = await storedCrossings(query, looks);
  const isQuiet = ({ found, driverId }: Look) => found.length === 0 && stored(driverId) !== 'believed';
  const quiet = looks.filter(isQuiet);
  const kept = await keepFences(
    query,
    quiet.map(({ driverId, fences, version }) => ({ driverId, companyId: companies.get(driverId)!, fences, version })),
  );
  // Of whom it was not kept, somebody else knows more now.
  const seen = new Set(looks.map(({ driverId }) => driverId));
  return {
    settled: new Set(followed.flatMap(({ driverId }) => (!seen.has(driverId) || kept.has(driverId) ? driverId : []))),
    crossed: new Map(looks.flatMap((look) => (isQuiet(look) ? [] : [[look.driverId, { look, stored: stored(look.driverId) }] as const]))),
  };
}

/** From when on whoever does tasks again must look, to find what was written of them and is not so. */
function earliestOf<T extends PositionTask>(
  left: readonly { task: T; rest: readonly { driverId: string }[] }[],
  crossed: ReadonlyMap<string, Crossed>,
): Map<T, number> {
  const moments = left.map(
    ({ task, rest }) => [task, Math.min(...rest.map(({ driverId }) => crossed.get(driverId)?.look.oldest ?? Infinity))] as const,
  );
  return new Map(moments.filter(([, at]) => at < Infinity));
}

/** @param crossed what was seen of the driver just now, if it was */
async function followDriver(em: EntityManager, driverId: string, task: PositionTask, crossed: Crossed | undefined): Promise<void> {
  // The telephone and the truck of a driver have tasks of their own. Of two that end at once, one did not have the positions of the other.
  if (crossed && (await follow(em, task, crossed))) return;
  for (let anew = crossed !== undefined; ; anew = true) {
    const query = asFences(em);
    const [look] = await lookAtFences(query, [{ driverId, since: task.since }], anew);
    if (!look) return;
    // If this process ends before what it knows is kept, whoever comes next finds out what was written and is not so.
    if (look.found.length > 0 || look.lookedAnew.length > 0) await lookBackTo(em, new Map([[task, look.oldest]]));
    if (await follow(em, task, { look, stored: 'believed' })) return;
  }
}

/** @returns false if somebody else was faster: then all must be looked at again, because what was written may be wrong */
async function follow(em: EntityManager, task: PositionTask, { look, stored }: Crossed): Promise<boolean> {
  const { companyId, since } = task;
  const { driverId, found, lookedAnew, rows, fences, version } = look;
  const query = asFences(em);
  if (stored !== 'none') await supersede(em, query, driverId, lookedAnew);
  // A look at everything anew finds again what was found before.
  const known = stored === 'none' ? undefined : await knownCrossings(query, driverId, found);
  for (const { one, trigger } of found) {
    if (known?.(one.fence.id, trigger)) continue;
    const now = one.jobs.length > 1 ? ((await jobsOfDrivers(query, [{ driverId, since }])).get(driverId) ?? []) : one.jobs;
    const job = jobAt(
      now.filter(({ id }) => one.jobs.some((job) => job.id === id)),
      trigger.position.at,
    );
    const waypointType = rows.find(({ id, jobId }) => id === one.fence.id && jobId === job?.id)?.waypointType ?? one.fence.waypointType;
    const fence = { ...one.fence, waypointType };
    await applyCrossing(em, { trigger, fence, driverId, companyId: job?.companyId ?? companyId, jobId: job?.id ?? null });
  }
  return (await keepFences(query, [{ driverId, companyId, fences, version }])).has(driverId);
}
