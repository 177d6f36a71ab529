import { foreseeIssues } from '../../directory/compliance/issues.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { foreseeFinds, viewerOf } from '../../platform/authz/authorization.ts';
import { foreseeReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { grants } from '../access/job.policy.ts';
import { foreseeHeld } from '../checks/refuse-held.ts';
import { Job } from '../model/job.entity.ts';
import { foreseeOrders } from '../orders/order-progress.ts';
import { foreseeLinks } from './take-back.ts';

/** A job, and the driver that it is to get; ids as records have them. */
export interface DriverWish {
  jobId: string;
  driverId: string;
}

/**
 * Locks and reads at once, for many jobs, what `updateJob` with a driver locks and reads for each: orders, jobs, drivers with their trucks, links, invoices and
 * documents. What is not foreseen, such as jobs of others and shares, is asked by itself. Whoever may not assign a job does not lock it.
 * @param companyId of a scoped path
 */
export async function foreseeAssignments(tx: TxContext, wishes: readonly DriverWish[], companyId: string | null): Promise<void> {
  const viewer = viewerOf(tx);
  const seen = await foreseeFinds(
    tx,
    Job,
    wishes.map(({ jobId }) => jobId),
    { companyId },
  );
  const may = (job: Job) =>
    viewer.companyIds.includes(job.company.id) && ['edit_job', 'assign_job'].every((permission) => grants(viewer, permission, job));
  const own = (seen ?? []).filter(may);
  if (own.length === 0) return;
  await foreseeOrders(
    tx,
    own.map(({ order }) => order.id),
  );
  const ids = own.map(({ id }) => id);
  const jobs = (await foreseeFinds(tx, Job, ids, { companyId, lock: true })) ?? [];
  await foreseeHeld(
    tx,
    jobs.map(({ id, company }) => ({ jobId: id, companyId: company.id })),
  );
  await foreseeLinks(tx, ids);
  await foreseeCrews(tx, new Map(jobs.map((job) => [job.id, job])), wishes, companyId?.toLowerCase());
}

async function foreseeCrews(
  tx: TxContext,
  jobs: ReadonlyMap<string, Job>,
  wishes: readonly DriverWish[],
  companyId: string | undefined,
): Promise<void> {
  const ofOwn = wishes.filter(({ jobId }) => jobs.has(jobId));
  const sought = ofOwn.map(({ driverId }) => driverId);
  const drivers = new Map((await foreseeReferences(tx, User, sought, { shared: true }))?.map((driver) => [driver.id, driver]));
  // Those who leave a job may leave it with their trucks.
  const leaving = [...jobs.values()].flatMap(({ driver, equipment }) => (driver && equipment ? driver.id : []));
  await keep(tx, User, leaving);
  const crews = ofOwn.flatMap(({ jobId, driverId }) => {
    const [job, driver] = [jobs.get(jobId)!, drivers.get(driverId)];
    return driver ? [{ job, driver, truck: (driver.equipment ?? driver.defaultEquipment ?? job.equipment)?.id }] : [];
  });
  // The history names the truck of before, too.
  const named = crews.flatMap(({ truck, job }) => [truck, job.equipment?.id].filter((id) => id !== undefined));
  const trucks = new Set((await keep(tx, Equipment, named)).map(({ id }) => id));
  const now = tx.tx.now;
  for (const [planner, of] of Map.groupBy(crews, ({ job }) => companyId ?? job.company.id)) {
    const sendings = of.map(({ job, driver, truck }) => ({
      at: job.jobStartAt > now ? job.jobStartAt : now,
      subjects: [
        { as: driver.company.id === planner ? ('internal_driver' as const) : ('shared_driver' as const), id: driver.id },
        ...(truck && trucks.has(truck) ? [{ as: 'equipment' as const, id: truck }] : []),
      ],
    }));
    await foreseeIssues(tx, planner, sendings);
  }
}

/** Has the unit of work hold records, so that it does not ask for each of them. */
const keep = async <T extends User | Equipment>(tx: TxContext, entity: new () => T, ids: readonly string[]): Promise<T[]> =>
  ids.length === 0 ? [] : tx.em.find<T>(entity, { id: { $in: [...new Set(ids)] } } as never, { filters: { tenant: false } });
