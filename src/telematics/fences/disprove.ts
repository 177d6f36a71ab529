import type { EntityManager } from '@mikro-orm/postgresql';
import { loadsAreMeasured } from '../../dispatch/checks/measured-loads.ts';
import { lockJob } from '../../dispatch/jobs/lock-job.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { lockDriver } from '../../dispatch/shifts/begin-state.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { type Query, queryIn } from '../../platform/database/sql.ts';
import type { Trigger } from './find-triggers.ts';
import { stampDay } from './stamps.ts';

/** A geofence whose positions were all looked at anew, from a moment on in milliseconds, and what was found. */
export interface LookedAnew {
  fenceId: string;
  from: number;
  triggers: readonly Trigger[];
}

/** The stored crossings that looking anew may disprove: none, only those that were disproved before, or those that somebody may have seen. */
export type StoredCrossings = 'none' | 'disproved' | 'believed';

const STORED = `select a.driver as id, bool_or(g.state <> 'superseded') as believed from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as a (driver, fence, since)
  join geofence_trigger g on g.asset_id = a.driver and g.fence_id = a.fence and g.occurred_at >= a.since group by a.driver`;

/** Which drivers have crossings of geofences that were looked at anew. Most have none: they begin their work. */
export async function storedCrossings(
  query: Query,
  looks: readonly { driverId: string; lookedAnew: readonly LookedAnew[] }[],
): Promise<(driverId: string) => StoredCrossings> {
  const asked = looks.flatMap(({ driverId, lookedAnew }) =>
    lookedAnew.map(({ fenceId, from }) => ({ driverId, fenceId, since: new Date(from) })),
  );
  if (asked.length === 0) return () => 'none';
  const rows = await query<{ id: string; believed: boolean }>(planOnceForFew(STORED, asked.length), [
    ...[asked.map(({ driverId }) => driverId), asked.map(({ fenceId }) => fenceId), asked.map(({ since }) => since)],
  ]);
  const stored = new Map(rows.map(({ id, believed }) => [id, believed ? ('believed' as const) : ('disproved' as const)]));
  return (driverId) => stored.get(driverId) ?? 'none';
}

const KNOWN = `select g.fence_id || g.geofence_trigger_type || (extract(epoch from g.occurred_at) * 1000)::bigint as key
  from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as a (fence, type, at)
  join geofence_trigger g on g.asset_id = $1 and g.fence_id = a.fence and g.geofence_trigger_type = a.type and g.occurred_at = a.at`;

/** Which of the crossings of a driver are stored: these stay as they are. */
export async function knownCrossings(
  query: Query,
  driverId: string,
  found: readonly { one: { fence: { id: string } }; trigger: Trigger }[],
): Promise<(fenceId: string, trigger: Trigger) => boolean> {
  if (found.length === 0) return () => false;
  const rows = await query<{ key: string }>(planOnceForFew(KNOWN, found.length), [
    ...[driverId, found.map(({ one }) => one.fence.id), found.map(({ trigger }) => trigger.type)],
    found.map(({ trigger }) => new Date(trigger.position.at)),
  ]);
  const known = new Set(rows.map(({ key }) => key));
  return (fenceId, { type, position }) => known.has(`${fenceId}${type}${position.at}`);
}

/** The triggers of somebody and of geofences `$2` from `$3` on, and whether the positions still say so. */
const JUDGED = `select g.id, g.company_id as "companyId", g.job_id as "jobId", g.load_id as "loadId", g.state, g.job_event_id as "jobEventId", g.occurred_at as at,
    (g.fence_id, g.geofence_trigger_type, g.occurred_at) in (select t.fence, t.type, t.at from unnest($4::uuid[], $5::text[], $6::timestamptz[]) as t(fence, type, at)) as found
  from unnest($2::uuid[], $3::timestamptz[]) as a(fence, since) join geofence_trigger g on g.fence_id = a.fence and g.occurred_at >= a.since
  where g.asset_id = $1::uuid`;

const DISPROVED = `select * from (${JUDGED}) s where not found and state = 'applied' and "jobEventId" is not null and "loadId" is not null`;
const CHANGED = `select id, "companyId", "jobId", "loadId", at from (${JUDGED}) s where found <> (state <> 'superseded') and ("jobId" is null or "loadId" is not null)`;

/** The state that a trigger had before later positions disproved it. */
const STATE_BEFORE = `case when g.skip_reason is null then 'applied' when g.skip_reason in ('uncertain', 'too_short', 'overlap') then 'proposed' else 'skipped' end`;

/**
 * Marks stored triggers that later positions disprove, and those that they confirm after all. What was applied is not undone by it: the load
 * is marked for somebody to look at, who can undo it (PROOF A5).
 */
export async function supersede(em: EntityManager, query: Query, driverId: string, looked: readonly LookedAnew[]): Promise<void> {
  if (looked.length === 0) return;
  const found = looked.flatMap(({ fenceId, triggers }) => triggers.map(({ type, position }) => ({ fenceId, type, at: iso(position.at) })));
  const values = [
    ...[driverId, looked.map(({ fenceId }) => fenceId), looked.map(({ from }) => iso(from))],
    ...[found.map(({ fenceId }) => fenceId), found.map(({ type }) => type), found.map(({ at }) => at)],
  ];
  type Row = { id: string; companyId: string; jobId: string | null; loadId: string | null };
  const disproved = await query<Row>(planOnceForFew(DISPROVED, looked.length), values);
  // First, so that a worker that ends here finds them again.
  for (const { companyId, jobId, loadId } of disproved) await markLoad(em, companyId, jobId!, loadId!);
  await judgeWithWork(em, query, driverId, { values, fences: looked.length });
  await query(planOnceForFew(JUDGE_ALL, looked.length), values);
}

const JUDGE = `update geofence_trigger g set updated_at = present_time(), state = case when s.found then ${STATE_BEFORE} else 'superseded' end from (${JUDGED}) s`;
const JUDGE_ALL = `${JUDGE} where g.id = s.id and s.found <> (s.state <> 'superseded')`;

/**
 * Judges crossings together with what comes of them, so that none is left behind: at the home base, the times of the day; of loads, what is paid by
 * the time between the sites.
 */
async function judgeWithWork(
  em: EntityManager,
  query: Query,
  driverId: string,
  { values, fences }: { values: readonly unknown[]; fences: number },
): Promise<void> {
  type Row = { id: string; companyId: string; jobId: string | null; loadId: string | null; at: string | Date };
  const changed = await query<Row>(planOnceForFew(CHANGED, fences), [...values]);
  for (const [companyId, ones] of Map.groupBy(changed, (one) => one.companyId))
    await asSystem(em, companyId, async (tx) => {
      const atHome = ones.filter(({ jobId }) => jobId === null);
      if (atHome.length > 0) await lockDriver(tx, driverId);
      await queryIn(tx.em, `${JUDGE} where g.id = s.id and g.id = any($7::uuid[])`, [...values, ones.map(({ id }) => id)]);
      for (const { at } of atHome) await stampDay(tx, { assetId: driverId, occurredAt: new Date(at) });
      const loadIds = [...new Set(ones.flatMap(({ loadId }) => loadId ?? []))];
      if (loadIds.length > 0) await loadsAreMeasured(tx.em, loadIds);
    });
}

const iso = (at: number): string => new Date(at).toISOString();

/** Has somebody look at a load, unless it is approved. */
function markLoad(em: EntityManager, companyId: string, jobId: string, loadId: string): Promise<void> {
  return asSystem(em, companyId, async (tx) => {
    await lockJob(tx, { id: jobId, companyId: null }, () => undefined);
    const load = await tx.em.findOne(Load, { id: loadId }, { filters: { tenant: false } });
    if (load && !load.approvedAt) load.doubted = true;
  });
}
