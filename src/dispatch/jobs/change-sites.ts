import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { isTicketed } from '../checks/ticketed.ts';
import { syncWaypoints } from '../fields/order-parts.ts';
import type { UpdateWaypointInput } from '../fields/part.inputs.ts';
import { appendLoad, appendRecurring } from '../loads/append-load.ts';
import { earliestOf, stampLoad } from '../loads/stamp-load.ts';
import type { Job } from '../model/job.entity.ts';
import { jobMachine } from '../model/job.machine.ts';
import type { Load } from '../model/load.entity.ts';
import { ACTIVE_LOAD, loadMachine } from '../model/load.machine.ts';
import { type LoadState, UNDER_WAY } from '../model/states.ts';
import { loadsOf, moveJob, noteJobEvent, resumeWithin } from './job-effects.ts';

/** States of a load that has been at its pickup, that has its material, and that has been at its drop-off. */
const AT_DROPOFF: readonly LoadState[] = ['arrived_dropoff', 'unloaded'];
const LOADED: readonly LoadState[] = ['loaded', 'to_dropoff', ...AT_DROPOFF];
const AT_PICKUP: readonly LoadState[] = ['arrived_pickup', ...LOADED];

/**
 * Changes the stops of a locked job. Its loads follow, except those that were hauled while the job is under way. A load that is under way
 * goes on to the new sites, unless it has been at one that is none any more: then it is closed in the same transaction (PROOF A8), because
 * nothing that happens at the new sites would ever end it.
 */
export async function changeSites(tx: TxContext, job: Job, inputs: UpdateWaypointInput[], to: ErrorCollector): Promise<void> {
  const before = job.routeId;
  // Other jobs may use the order's route. The first change makes a copy.
  const { routeId, isChanged } = await syncWaypoints(tx, { routeId: before, companyId: job.company.id, copy: true }, inputs, to);
  job.routeId = routeId;
  if (to.items.length > 0 || !isChanged) return;
  await tx.em.flush();
  const loads = await loadsOf(tx, job);
  const underWay = loads.find(({ state }) => ACTIVE_LOAD.includes(state));
  const left = underWay?.routeId === before && (await hasLeft(tx, underWay, job.routeId)) ? underWay : undefined;
  const follows = ({ state, routeId }: Load) => routeId === before && (!UNDER_WAY.includes(job.state) || state === 'created');
  for (const load of loads) if (load !== left && (load === underWay ? load.routeId === before : follows(load))) load.routeId = job.routeId;
  if (left) await close(tx, job, left, loads);
}

const SITES = `select coalesce(array_agg(site_id order by ordinality) filter (where type = 'pickup'), '{}') as pickup,
    coalesce(array_agg(site_id order by ordinality) filter (where type = 'drop_off'), '{}') as dropoff
  from waypoint where route_id = $1`;

/** Whether a load has been at a site that is not on the new route. */
async function hasLeft(tx: TxContext, load: Load, routeId: string): Promise<boolean> {
  const sitesOf = async (route: string) => (await queryIn<{ pickup: string[]; dropoff: string[] }>(tx.em, SITES, [route]))[0]!;
  const [was, is] = [await sitesOf(load.routeId), await sitesOf(routeId)];
  const state = load.pausedFrom ?? load.state;
  const changed = (stop: 'pickup' | 'dropoff') => was[stop].join() !== is[stop].join();
  return (AT_PICKUP.includes(state) && changed('pickup')) || (AT_DROPOFF.includes(state) && changed('dropoff'));
}

/**
 * Closes a load at the sites where it was. One that has material is completed, and somebody looks at where that went if it was not unloaded;
 * an empty one is canceled, and another one takes its place.
 */
async function close(tx: TxContext, job: Job, load: Load, loads: readonly Load[]): Promise<void> {
  const payload = { reason: 'site_changed' };
  if (job.pausedAt) await resumeWithin(tx, job);
  // A ticket proves that the material is on board, whatever the driver has pressed.
  if (LOADED.includes(load.state) || (await isTicketed(tx, load))) {
    if (load.state !== 'unloaded') load.doubted = true;
    loadMachine.fire(tx, load, 'complete');
    // The clock of the telephone that reported the last step may be ahead.
    const last = earliestOf(load, 'loadCompletedAt');
    const occurredAt = last && last > tx.tx.now ? last : tx.tx.now;
    stampLoad(load, 'loadCompletedAt', occurredAt, false);
    moveJob(tx, job, 'complete_load', { byHand: true });
    noteJobEvent(tx, job, 'LoadCompleted', { loadId: load.id, occurredAt, payload });
    return appendRecurring(tx, job);
  }
  loadMachine.fire(tx, load, 'cancel');
  jobMachine.fire(tx, job, 'turn_back', { hauled: loads.some(({ state }) => state === 'completed') });
  job.stateChangedAt = tx.tx.now;
  noteJobEvent(tx, job, 'LoadCanceled', { loadId: load.id, payload });
  await appendLoad(tx, job);
}
