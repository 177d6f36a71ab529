import { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { mayHaulJob } from '../access/job.policy.ts';
import { assignDriverWithin, assignVendorWithin } from '../jobs/job-events.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { shareLacks, stepsTo } from './shared-crew.ts';

/** Who has a truck instead of the order's own driver or vendor. */
export type Hand = { driverId: string } | { vendorId: string };

/**
 * Who has each truck of an order, by its place; undefined where that is the order's own, or nobody. A vendor's driver is the vendor's
 * choice, so that the vendor stands for them, unless they are shared to be planned with. Canceled trucks had no work, unless all were.
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
 * Gives trucks of a new order, by their places, to those who had them before. What speaks against assigning one of them speaks against it.
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
    // A vendor's trucks of the day are counted in the database.
    if ('vendorId' in hand) await tx.em.flush();
  }
  if (items.length > 0) throw new Invalid(items);
}

/**
 * Gives trucks to the shared driver that their order was made for, each as if it were assigned: hired along the shares.
 * @param field of the request that is told what speaks against it
 * @param made with the order: who is no longer shared then is refused, and leaves trucks that are added later to be assigned
 * @throws Denied without `assign_job` for those made with the order, Invalid
 */
export async function giveToLent(tx: TxContext, order: Order, ids: readonly string[], field: string, made = false): Promise<void> {
  const id = order.sharedDriver?.id;
  const driver = id && (await tx.em.findOne(User, id, { filters: { tenant: false } }));
  if (!driver) return;
  for (const job of await tx.em.find(Job, { id: { $in: [...ids] } }, { orderBy: { number: 'asc' } })) {
    if (made) mayHaulJob(tx, job, 'assign_job');
    else if (driver.discardedAt || !(await isLent(tx, order.company.id, driver, job))) continue;
    try {
      await assignDriverWithin(tx, job, { driverId: driver.id }, order.company.id);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      throw new Invalid(error.items.map((item) => ({ ...item, model: 'Order', field })));
    }
  }
}

async function isLent(tx: TxContext, companyId: string, { id }: User, { jobStartAt }: Job): Promise<boolean> {
  const steps = await stepsTo(tx, companyId, 'User', id, jobStartAt);
  return steps.length > 0 && !shareLacks(steps);
}

/** Drivers whom a company plans with itself: its own, and shared ones. */
async function plannedBy(tx: TxContext, companyId: string, ids: readonly string[]): Promise<Set<string>> {
  const drivers = await tx.em.find(User, { id: { $in: [...new Set(ids)] } }, { filters: { tenant: false } });
  const planned = new Set<string>();
  for (const { id, company } of drivers)
    if (company.id === companyId || (await stepsTo(tx, companyId, 'User', id)).length > 0) planned.add(id);
  return planned;
}
