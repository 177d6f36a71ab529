import { ref } from '@mikro-orm/core';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference, resolveReferences } from '../../platform/authz/references.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { beforeCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorCollector, type ErrorItem, Invalid, refusalOf } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { isOwnersSide, mayDriveJob, mayHaulJob, mayWithJob } from '../access/job.policy.ts';
import { removeFilesOf } from '../attachments/attachment-commands.ts';
import { isWorkApproved } from '../checks/approved-work.ts';
import { refuseBilled, refuseBilledLoad } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { isTicketed } from '../checks/ticketed.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { type NewRoute, newStops } from '../fields/new-parts.ts';
import { syncWaypoints } from '../fields/order-parts.ts';
import type { UpdateWaypointInput } from '../fields/part.inputs.ts';
import { writeRoute } from '../fields/write-parts.ts';
import type { CreateLoadInput, UpdateLoadInput } from '../jobs/job.inputs.ts';
import { moveJob, noteJobEvent } from '../jobs/job-effects.ts';
import { withJob } from '../jobs/lock-job.ts';
import { keepOwn } from '../jobs/overridden-terms.ts';
import { Job } from '../model/job.entity.ts';
import { jobMachine } from '../model/job.machine.ts';
import { Load } from '../model/load.entity.ts';
import { ACTIVE_LOAD, loadMachine } from '../model/load.machine.ts';
import { Phase } from '../model/phase.entity.ts';
import { JOB_TERMINAL } from '../model/states.ts';
import { lockOrder } from '../orders/order-progress.ts';
import { PRICE_COLUMNS } from '../pricing/material-price.ts';
import { appendLoad, appendRecurring } from './append-load.ts';
import { applyMaterialRate, setPhase } from './part-terms.ts';
import { refuseProven } from './refuse-proven.ts';
import { earliestOf, stampLoad } from './stamp-load.ts';

/** Adds a load to a job that can still be driven. @throws Missing, Denied, Invalid; Conflict if it cannot */
export async function createLoad(ctx: Context, path: RecordPath, input: CreateLoadInput): Promise<{ id: string }> {
  let made: Load | undefined;
  await withJob(
    ctx,
    path,
    (tx, job) => void mayWithJob(tx, job, 'create_loads'),
    async (tx, job) => {
      if (JOB_TERMINAL.includes(job.state)) throw conflict('Job', job, 'create_load', 'illegal_event');
      const items: ErrorItem[] = [];
      const to: ErrorCollector = { model: 'Load', items };
      const load = await appendLoad(tx, job);
      await applyLoadFields(tx, load, input, to);
      let route: NewRoute | undefined;
      if (input.waypoints?.length) {
        const { sites } = await resolveReferences(
          tx,
          input,
          { sites: [Site, 'waypoints.*.siteId'] },
          { model: 'Load', companyId: job.company.id, shared: true, items },
        );
        route = newStops(input.waypoints, sites as unknown as (Site | undefined)[], to);
        load.routeId = route.routeId;
      }
      if (items.length > 0) throw new Invalid(items);
      if (route) await writeRoute(setTxOf(tx), job.company.id, tx.tx, route);
      emitEvent(tx, 'load.created', load);
      made = load;
    },
  );
  return { id: made!.id };
}

/** Changes a load (PATCH): absent fields are kept. @throws Missing, Denied; Invalid, also if it is approved, or an invoice with it is and more than notes change */
export async function updateLoad(ctx: Context, path: RecordPath, sent: UpdateLoadInput): Promise<{ id: string }> {
  const seen = onlySeen(viewerOf(ctx), sent);
  return transact(ctx, async (tx) => {
    const { load, job } = await lockLoad(tx, path);
    mayHaulJob(tx, job, 'edit_load');
    const input = isOwnersSide(viewerOf(tx), job) ? seen : withoutNoPrice(seen);
    // A vendor reports what it hauled; only the owner sets prices and phases.
    if (input.materialRateAssignment !== undefined || input.phaseId !== undefined) mayWithJob(tx, job, 'edit_load');
    // Foremen and drivers report, too, but the price of the material is not part of their own records.
    if (input.materialRateAssignment !== undefined) allow(tx, 'edit_load');
    if (load.approvedAt) throw new Invalid([{ model: 'Load', field: '', key: 'load_not_editable' }]);
    await refuseReviewed(tx, { model: 'Load' }, { companyId: job.company.id, at: job.jobStartAt });
    const comparator = tx.em.getComparator();
    const before = comparator.prepareEntity(load);
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Load', items };
    await applyLoadFields(tx, load, input, to);
    if (input.waypoints === null) items.push({ model: 'Load', field: 'waypoints', key: 'required' });
    const hasNewStops = input.waypoints ? await changeStops(tx, load, job, input.waypoints, to) : false;
    const changed = Object.keys(comparator.diffEntities(Load, before, comparator.prepareEntity(load)));
    // Clients send the whole load back to change its notes.
    if (hasNewStops || items.length > 0 || changed.some((name) => !UNBILLED.has(name)))
      await refuseBilledLoad(tx, { job, loadId: load.id }, path.companyId);
    if (items.length > 0) throw new Invalid(items);
    // Stops are rows of their own, and the load changes with them.
    if (hasNewStops) load.updatedAt = tx.tx.now;
    noteJobEvent(tx, job, 'LoadUpdated', { loadId: load.id });
    emitEvent(tx, 'load.updated', load);
    return { id: load.id };
  });
}

/** What moves with every change, and what no invoice says anything of. */
const UNBILLED = new Set(['notes', 'updatedAt', 'version']);

/** An input without a price of null: vendors are shown that, whatever the price, and send it back with the rest. */
function withoutNoPrice(input: UpdateLoadInput): UpdateLoadInput {
  const { materialRateAssignment: price, ...rest } = input;
  return price === null ? rest : input;
}

/**
 * Changes the stops of a load alone. Its route is copied first if it is not its own: a load that is over keeps the route at which it was hauled, which its order,
 * other jobs and other loads may use. A vendor does not see whether they do.
 * @returns whether anything changed
 */
async function changeStops(tx: TxContext, load: Load, job: Job, inputs: UpdateWaypointInput[], to: ErrorCollector): Promise<boolean> {
  const isShared =
    load.routeId === job.routeId ||
    !isOwnersSide(viewerOf(tx), job) ||
    (await queryIn(tx.em, SHARING, [load.orderId, load.routeId, load.id])).length > 0;
  const { routeId, isChanged } = await syncWaypoints(tx, { routeId: load.routeId, companyId: load.company.id, copy: isShared }, inputs, to);
  load.routeId = routeId;
  return isChanged;
}

/** The order of a load, or another job or load of it, if they have its route. */
const SHARING = `select 1 from orders where id = $1 and route_id = $2 union all select 1 from job where order_id = $1 and route_id = $2
  union all select 1 from load where order_id = $1 and route_id = $2 and id <> $3 limit 1`;

async function applyLoadFields(tx: TxContext, load: Load, input: UpdateLoadInput | CreateLoadInput, to: ErrorCollector): Promise<void> {
  for (const field of ['quantity', 'unitOfMeasure', 'notes'] as const)
    if (input[field] !== undefined) Object.assign(load, { [field]: input[field] });
  const options = { model: 'Load', companyId: load.company.id, items: to.items };
  const fields = { materialId: input.materialId, phaseId: input.phaseId };
  const material = await resolveReference(tx, Material, fields as { materialId: string }, 'materialId', options);
  if (material && material.id !== load.material?.id) collectUnusable(material, 'materialId', to);
  if (input.materialId !== undefined) load.material = material ? ref(material) : null;
  const phase = await resolveReference(tx, Phase, fields as { phaseId: string }, 'phaseId', options);
  if (input.phaseId !== undefined) setPhase(load, phase, load.orderId, to);
  if (input.materialRateAssignment !== undefined) await applyMaterialRate(tx, load, input.materialRateAssignment, to);
  const own = OWN.flatMap(([field, columns]) => (input[field] === undefined ? [] : columns));
  if (own.length > 0) beforeCommit(tx, () => keepOwn((sql, parameters) => queryIn(tx.em, sql, parameters), 'load', load.id, own));
}

/** The columns that a load may set differently from its job. */
const OWN = [
  ['materialId', ['material_id']],
  ['unitOfMeasure', ['unit_of_measure']],
  ['materialRateAssignment', PRICE_COLUMNS],
] as const;

/**
 * Completes one load by hand, which overrides the geofence (DOMAIN 1.3). Missing times stay null. A load that nobody began is completed if its job is over and a
 * ticket proves it; by the owner's office also if the job is approved, because the ticket may have come after that.
 * @throws Missing, Denied; Conflict if it cannot be completed, or if its job is over, and approved or of a week that is reviewed
 */
export function completeLoad(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const { load, job } = await lockLoad(tx, path);
    mayDriveJob(tx, job);
    const underWay = ACTIVE_LOAD.includes(load.state);
    const attempt = { state: load.state, event: 'complete' };
    // Its shift is over, and its ticket came afterwards: nobody will begin it any more.
    const isProven = load.state === 'created' && JOB_TERMINAL.includes(job.state) && (await isTicketed(tx, load));
    if (isProven) loadMachine.fire(tx, load, 'enroute');
    loadMachine.fire(tx, load, 'complete');
    if (JOB_TERMINAL.includes(job.state)) {
      // No invoice of it is approved as long as a load is open, unless the ticket came later. Then the invoice is stale, or a supplement bills the load.
      const mayAdd = isProven && isOwnersSide(viewerOf(tx), job) && viewerOf(tx).can('edit_job');
      if (!mayAdd && (await isWorkApproved(tx, job))) throw refusalOf({ model: 'Load', field: '', key: 'job_is_approved' }, attempt);
      await refuseReviewed(tx, { model: 'Load', attempt }, { companyId: job.company.id, at: job.jobStartAt });
    }
    // The clock of the telephone that reported the last step may be ahead.
    const last = earliestOf(load, 'loadCompletedAt');
    const occurredAt = last && last > tx.tx.now ? last : tx.tx.now;
    stampLoad(load, 'loadCompletedAt', occurredAt, false);
    // Only one load of a job is under way, so the job moves with it.
    if (underWay && jobMachine.can(job, 'complete_load', { byHand: true })) moveJob(tx, job, 'complete_load', { byHand: true });
    noteJobEvent(tx, job, 'LoadCompleted', { loadId: load.id, occurredAt });
    await appendRecurring(tx, job);
    return { id: load.id };
  });
}

async function lockLoad(tx: TxContext, path: RecordPath): Promise<{ load: Load; job: Job }> {
  const seen = await find(tx, Load, path.id, { companyId: path.companyId });
  const { order } = await find(tx, Job, seen.job.id);
  await lockOrder(tx, order.id);
  const job = await find(tx, Job, seen.job.id, { lock: true });
  return { load: await find(tx, Load, path.id, { companyId: path.companyId, lock: true }), job };
}

/** Deletes a load that has not started, and of whose job no invoice is approved (BILLING B5). @throws Missing, Denied, Invalid */
export function deleteLoad(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const { load, job } = await lockLoad(tx, path);
    mayWithJob(tx, job, 'delete_load');
    if (load.state !== 'created' && load.state !== 'canceled')
      throw new Invalid([{ model: 'Load', field: '', key: 'started_not_deletable' }]);
    await refuseProven(tx, 'Load', 'load_id', load.id);
    await refuseBilled(tx, { model: 'Load' }, job, path.companyId);
    emitEvent(tx, 'load.deleted', load, { load_id: load.loadId });
    await removeFilesOf(tx, 'Load', [load.id]);
    job.lastLoadNumber = Math.max(job.lastLoadNumber ?? 0, load.ordinality);
    tx.em.remove(load);
  });
}
