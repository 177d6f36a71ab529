import { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { mayHaulJob } from '../access/job.policy.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { assignDriverWithin, assignVendorWithin } from './assign-job.ts';
import { shareLacks, stepsTo } from './shared-crew.ts';

/** The driver or vendor who has a truck instead of the one that the order names. */
export type Hand = { driverId: string } | { vendorId: string };

/**
 * Returns who has each truck of an order, by its place; undefined if it is the order's own driver or vendor, or nobody. A vendor chooses
 * its drivers itself, so the vendor is returned for them unless they are shared and dispatchable. Canceled trucks are left out, unless all
 * of them are canceled.
 */
export async function handsOf(tx: TxContext, order: Order): Promise<(Hand | undefined)[]> {
  const all = await tx.em.find(Job, { order: order.id }, { orderBy: { number: 'asc' } });
  const live = all.filter(({ state }) => state !== 'canceled');
  const jobs = live.length > 0 ? live : all;
  const owner = order.company.id;
  const links = await tx.em.find(
    JobAssignment,
    { job: { $in: jobs.map(({ id }) => id) }, customerCompanyId: owner },
    { orderBy: { link: 'desc' } },
  );
  const vendors = new Map(links.map((link) => [link.job.id, link.vendorAccount?.id]));
  const planned = await plannedBy(
    tx,
    owner,
    jobs.flatMap(({ driver }) => driver?.id ?? []),
  );
  return jobs.map(({ id, driver }) => {
    if (driver && planned.has(driver.id)) return driver.id === order.driver?.id ? undefined : { driverId: driver.id };
    const vendorId = vendors.get(id);
    return vendorId && (order.driver || vendorId !== order.vendor?.id) ? { vendorId } : undefined;
  });
}

/**
 * Assigns trucks of a new order, by their places, to the drivers and vendors that had them before. All checks of an assignment apply.
 * @throws Denied without `assign_job`, Invalid naming the trucks
 */
export async function handOut(tx: TxContext, ids: readonly string[], hands: readonly (Hand | undefined)[]): Promise<void> {
  const wishes = ids.flatMap((id, place) => (hands[place] ? [{ id, place, hand: hands[place] }] : []));
  if (wishes.length === 0) return;
  const found = await tx.em.find(Job, { id: { $in: wishes.map(({ id }) => id) } });
  const jobs = new Map(found.map((job) => [job.id, job]));
  const items: ErrorItem[] = [];
  for (const { id, place, hand } of wishes) {
    const job = jobs.get(id)!;
    mayHaulJob(tx, job, 'assign_job');
    try {
      if ('driverId' in hand) await assignDriverWithin(tx, job, hand);
      else await assignVendorWithin(tx, job, hand);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      items.push(...error.items.map((item) => ({ ...item, model: 'Order', field: `jobs.${place}.${item.field}` })));
    }
    // The trucks that a vendor has on the day are counted in the database.
    if ('vendorId' in hand) await tx.em.flush();
  }
  if (items.length > 0) throw new Invalid(items);
}

/**
 * Assigns trucks to the shared driver for whom their order was made. As in an assignment, the companies along the shares are hired.
 * @param field of the request that gets the errors
 * @param made true when the order is created, which refuses a driver who is no longer shared; false when trucks are added later, which then
 * stay unassigned
 * @throws Denied without `assign_job` for those made with the order, Invalid
 */
export async function assignToSharedDriver(
  tx: TxContext,
  order: Order,
  ids: readonly string[],
  field: string,
  made = false,
): Promise<void> {
  const id = order.sharedDriver?.id;
  const driver = id && (await tx.em.findOne(User, id, { filters: { tenant: false } }));
  if (!driver) return;
  for (const job of await tx.em.find(Job, { id: { $in: [...ids] } }, { orderBy: { number: 'asc' } })) {
    if (made) mayHaulJob(tx, job, 'assign_job');
    else if (driver.discardedAt || !(await isShared(tx, order.company.id, driver, job))) continue;
    try {
      await assignDriverWithin(tx, job, { driverId: driver.id }, order.company.id);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      throw new Invalid(error.items.map((item) => ({ ...item, model: 'Order', field })));
    }
  }
}

async function isShared(tx: TxContext, companyId: string, { id }: User, { jobStartAt }: Job): Promise<boolean> {
  const steps = await stepsTo(tx, companyId, 'User', id, jobStartAt);
  return steps.length > 0 && !shareLacks(steps);
}

/** The ids of the drivers with whom a company may plan: its own and the shared ones. */
async function plannedBy(tx: TxContext, companyId: string, ids: readonly string[]): Promise<Set<string>> {
  const drivers = await tx.em.find(User, { id: { $in: [...new Set(ids)] } }, { filters: { tenant: false } });
  const planned = new Set<string>();
  for (const { id, company } of drivers)
    if (company.id === companyId || (await stepsTo(tx, companyId, 'User', id)).length > 0) planned.add(id);
  return planned;
}
