import { LockMode } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Along } from '../../platform/database/connection/together.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { entityOfRow } from '../../platform/database/rows.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { foresee, queryIn } from '../../platform/database/sql.ts';
import { jobFactsOf } from '../jobs/order-work.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import { JOB_TERMINAL } from '../model/states.ts';

/** Returns the order of a job, locked. Access was checked with the job. */
export async function lockOrder(tx: TxContext, orderId: string): Promise<Order> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } } as const;
  const own = await tx.em.findOne(Order, { id: orderId }, locked);
  if (own) return own;
  // A vendor's driver may move the owner's order.
  const passed = await tx.em.findOneOrFail(Order, { id: orderId }, { filters: { tenant: false } });
  actOnBehalfOf(passed.company.id);
  return tx.em.findOneOrFail(Order, { id: orderId }, { ...locked, refresh: true });
}

/**
 * Locks the order of a job without loading it. Access was checked with the job.
 * @param behind what is asked once it is locked (`askAhead`), if it is the order of a company of the viewer
 */
export async function lockOrderRow(tx: TxContext, orderId: string, behind: readonly Along[] = []): Promise<void> {
  const [own] = await queryIn(tx.em, LOCK_ROW, [orderId], behind);
  if (!own) await lockOrder(tx, orderId);
}

const LOCK_ROW = 'select from orders where id = $1 for update';
// By their ids, as in all statements that lock orders.
const LOCK_MANY = 'select t.* from orders t where t.id = any($1::uuid[]) order by t.id for update';

/**
 * Locks and loads at once what `lockOrderRow` will lock one by one; those of others, which are locked in another way, are left.
 * @param orderIds each as often as it will be locked
 */
export async function foreseeOrders({ em }: TxContext, orderIds: readonly string[]): Promise<void> {
  const different = [...new Set(orderIds)];
  const rows = await queryIn<Record<string, unknown>>(em, planOnceForFew(LOCK_MANY, different.length), [different]);
  for (const row of rows) entityOfRow(em, Order, row, true);
  const locked = new Set(rows.map(({ id }) => id));
  for (const id of orderIds) if (locked.has(id)) foresee(em, LOCK_ROW, [id], [{}]);
}

/** Starts an accepted order when its first truck leaves (DOMAIN 1.1). */
export async function startOrderIfAccepted(tx: TxContext, order: Order): Promise<void> {
  if (order.state === 'accepted') orderMachine.fire(tx, order, 'start', await jobFactsOf(tx, order));
}

/** Completes the order if its company chose that (`auto_complete_order`) and all of its jobs are terminal. */
export async function completeOrderIfDone(tx: TxContext, order: Order): Promise<void> {
  if (!orderMachine.can(order, 'complete')) return;
  const company = await tx.em.findOneOrFail(Company, { id: order.company.id }, { filters: { tenant: false } });
  if (!company.autoCompleteOrder) return;
  // The job's change is not in the database yet, so the unit of work's records are read.
  const jobs = await tx.em.find(Job, { order: order.id }, { filters: { tenant: false } });
  if (jobs.length === 0 || !jobs.every((job) => JOB_TERMINAL.includes(job.state))) return;
  // No job is open any more that would have to be closed with it.
  orderMachine.fire(tx, order, 'complete', { jobsHauling: false });
}
