import { ref } from '@mikro-orm/core';
import { User } from '../../directory/people/user.entity.ts';
import { mayHaulJob } from '../../dispatch/access/job.policy.ts';
import { assignDriverWithin } from '../../dispatch/assignment/assign-job.ts';
import { plannerOf } from '../../dispatch/assignment/shared-crew.ts';
import { endLinks, linksOf } from '../../dispatch/assignment/take-back.ts';
import { addTruckLike } from '../../dispatch/jobs/copy-job.ts';
import { loadsOf, moveJob, noteJobEvent, resumeWithin } from '../../dispatch/jobs/job-effects.ts';
import { completeJob } from '../../dispatch/jobs/job-events.ts';
import { applyTrucks } from '../../dispatch/jobs/job-trucks.ts';
import { provenLoads } from '../../dispatch/loads/proven-loads.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { ACTIVE_LOAD, loadMachine } from '../../dispatch/model/load.machine.ts';
import { LoadSummary } from '../../dispatch/model/load-summary.ts';
import { orderMachine } from '../../dispatch/model/order.machine.ts';
import { type JobEventName, type JobState, type JobStateEvent, UNDER_WAY } from '../../dispatch/model/states.ts';
import { lockOrder } from '../../dispatch/orders/order-progress.ts';
import { lockDriver } from '../../dispatch/shifts/begin-state.ts';
import { hangOnDay } from '../../dispatch/shifts/day-of-work.ts';
import { find } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { Ticket } from '../ticket.entity.ts';

export interface HandOver {
  driverId: string;
  /** The truck of the second driver; by default the one they come with. */
  equipmentId?: string | null;
}

/** The steps of a truck until it is where the truck was whose material it takes over, and the events that the job's timeline gets of them. */
const ON_BOARD: Partial<Record<JobState, { steps: readonly Step[]; noted: JobEventName }>> = {
  loaded: { steps: ['enroute', 'load_material'], noted: 'Loaded' },
  to_dropoff: { steps: ['enroute', 'load_material', 'enroute'], noted: 'ToDropoff' },
  arrived_dropoff: { steps: ['enroute', 'load_material', 'enroute', 'arrive'], noted: 'AtDropoff' },
};
type Step = Extract<JobStateEvent, 'enroute' | 'load_material' | 'arrive'>;

/**
 * Hands the rest of a job over to another driver, in the middle of the work (PROOF A8): the job is completed, and a truck is added to its order
 * that has the loads which are left. The load under way is canceled; its times, quantity and tickets go to the first load of the new job,
 * which continues it, so that it is counted once. If its material was on board, the new job goes on where the truck was. The job may be one
 * that a vendor hauls. If the owner hands it over, a driver of the owner, or one shared with it, hauls what is left; if the vendor does so, a
 * driver of the vendor, and the new job is passed on along the same links down to it (D-PROOF-28).
 * @returns the id of the new job
 * @throws Missing; Denied without `assign_job` and `edit_job`; Conflict for a job that nobody drives, or that has nothing left;
 * Invalid for a driver or a truck that cannot be assigned
 */
export function handOverJob(ctx: Context, path: RecordPath, input: HandOver): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Job, path.id, { companyId: path.companyId });
    mayHaulJob(tx, seen, 'assign_job', 'edit_job');
    const second = await driverOf(tx, input);
    const order = await lockOrder(tx, seen.order.id);
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    if (job.driver?.id === second.id) throw new Invalid([{ model: 'Job', field: 'driverId', key: 'drives_it_already' }]);
    if (!UNDER_WAY.includes(job.state) || orderMachine.isTerminal(order)) throw conflict('Job', job, 'hand_over', 'job_not_begun');
    if (job.pausedAt) await resumeWithin(tx, job);
    const loads = await loadsOf(tx, job);
    // An unloaded load is the first driver's, and is completed with the job.
    const underWay = loads.find(({ state }) => ACTIVE_LOAD.includes(state) && state !== 'unloaded');
    // The tickets of loads that nobody began in the product prove that the first driver hauled them.
    const proven = new Set(await provenLoads(tx, [job]));
    const left = loads.filter((load) => load.state === 'created' && !proven.has(load)).length + (underWay ? 1 : 0);
    if (left === 0 && !job.recurringLoads) throw conflict('Job', job, 'hand_over', 'nothing_left');
    await tx.em.flush();

    const id = await addTruckLike(tx, order, job, Math.max(left, 1));
    const next = await tx.em.findOneOrFail(Job, { id }, { filters: { tenant: false } });
    await subcontractLike(tx, job, next, path.companyId);
    emitEvent(tx, 'job.created', next, { handed_over_from: job.id });
    const items: ErrorItem[] = [];
    if (input.equipmentId) await applyTrucks(tx, next, { equipmentId: input.equipmentId }, { model: 'Job', items });
    if (items.length > 0) throw new Invalid(items);
    await assignDriverWithin(tx, next, input, path.companyId);
    if (underWay) await carryOn(tx, { job, underWay, next, second });
    noteJobEvent(tx, job, 'JobDriverChanged', { payload: { driver_id: second.id, handed_over_to: id } });
    await completeJob(tx, path);
    return { id };
  });
}

/** Passes the new job on as the first one was, down to the company that hands over. What was passed on further ends there. */
async function subcontractLike(tx: TxContext, job: Job, next: Job, companyId?: string | null): Promise<void> {
  const { companyId: planner } = await plannerOf(tx, job, companyId);
  if (planner === job.company.id) return;
  // A truck of an order that names a vendor is passed on to it when it is made.
  endLinks(tx, await linksOf(tx, next));
  await tx.em.flush();
  for (let customer: string | null | undefined = job.company.id; customer && customer !== planner; ) {
    // Each link is written in the books of the company that made it, which the vendor below may not see.
    actOnBehalfOf(customer);
    const link: JobAssignment = await tx.em.findOneOrFail(JobAssignment, { job: job.id, customerCompanyId: customer });
    const { vendorCompanyId, customerAccount, vendorAccount, rate, rateValue, rateType, ownRate, commissionRateValue, commissionRateType } =
      link;
    const terms = { customerAccount, vendorAccount, rate, rateValue, rateType, ownRate, commissionRateValue, commissionRateType };
    const place = { job: ref(next), link: link.link, customerCompanyId: customer, vendorCompanyId };
    tx.em.persist(Object.assign(new JobAssignment(), { ...place, ...terms }));
    customer = vendorCompanyId;
  }
  await tx.em.flush();
}

/** Returns the second driver, locked: that comes before orders and jobs, because they may have to be put on duty. */
async function driverOf(tx: TxContext, input: HandOver): Promise<User> {
  const items: ErrorItem[] = [];
  const driver = await resolveReference(tx, User, input, 'driverId', { model: 'Job', items, shared: true });
  if (items.length > 0 || !driver) throw new Invalid(items.length > 0 ? items : [{ model: 'Job', field: 'driverId', key: 'required' }]);
  return lockDriver(tx, driver.id);
}

interface Carried {
  job: Job;
  underWay: Load;
  next: Job;
  second: User;
}

/** Has the first load of the new job continue the load under way, which is canceled. */
async function carryOn(tx: TxContext, { job, underWay, next, second }: Carried): Promise<void> {
  const load = (await loadsOf(tx, next))[0]!;
  const { quantity, unitOfMeasure, material, notes, loadedInferred, state } = underWay;
  Object.assign(load, { quantity, unitOfMeasure, material, notes, loadedInferred, continued: ref(underWay) });
  const { arrivedPickupAt, loadedAt, arrivedDropoffAt } = underWay.loadSummary;
  Object.assign(load.loadSummary, { arrivedPickupAt, loadedAt, arrivedDropoffAt });
  Object.assign(underWay.loadSummary, NO_TIMES);
  const tickets = await tx.em.find(Ticket, { load: underWay.id }, { filters: { tenant: false } });
  // A load has one ticket at a time, in the database: the old load gives it away before the new one gets it.
  loadMachine.fire(tx, underWay, 'cancel');
  for (const ticket of tickets) Object.assign(ticket, { job: ref(next), load: ref(load) });
  noteJobEvent(tx, job, 'LoadCanceled', { loadId: underWay.id, payload: { reason: 'handed_over', continued_by: load.id } });
  const reached = ON_BOARD[state as JobState];
  if (!reached) return;
  for (const step of reached.steps) {
    moveJob(tx, next, step, { orderOpen: true, hasDriver: true, hasNextLoad: true });
    loadMachine.fire(tx, load, step);
  }
  // The work of a job begins with its departure: its hours and positions count from it.
  noteJobEvent(tx, next, 'ToPickup', { loadId: load.id, payload: { handed_over_from: job.id } });
  noteJobEvent(tx, next, reached.noted, { loadId: load.id, payload: { handed_over_from: job.id } });
  await hangOnDay(tx, second, next, tx.tx.now);
}

const NO_TIMES: Partial<LoadSummary> = { arrivedPickupAt: null, loadedAt: null, arrivedDropoffAt: null };
