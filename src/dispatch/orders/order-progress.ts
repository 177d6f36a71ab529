import { LockMode } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { jobFactsOf } from '../jobs/order-work.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { JOB_TERMINAL, orderMachine } from '../model/order.machine.ts';
import { closeUnstarted } from './order-events.ts';

/** The order of a job, locked; fences were passed with the job. */
export async function lockOrder(tx: TxContext, orderId: string): Promise<Order> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } } as const;
  const own = await tx.em.findOne(Order, { id: orderId }, locked);
  if (own) return own;
  // A vendor's driver moves the owner's order along.
  const passed = await tx.em.findOneOrFail(Order, { id: orderId }, { filters: { tenant: false } });
  actOnBehalfOf(passed.company.id);
  return tx.em.findOneOrFail(Order, { id: orderId }, { ...locked, refresh: true });
}

/** The first truck that leaves starts the order (DOMAIN 1.1). */
export async function startOrderIfAccepted(tx: TxContext, order: Order): Promise<void> {
  if (order.state === 'accepted') orderMachine.fire(tx, order, 'start', await jobFactsOf(tx, order));
}

/** Completes the order when its company wants that (`auto_complete_order`) and every job of it is terminal. */
export async function completeOrderIfDone(tx: TxContext, order: Order): Promise<void> {
  if (!orderMachine.can(order, 'complete')) return;
  const company = await tx.em.findOneOrFail(Company, { id: order.company.id }, { filters: { tenant: false } });
  if (!company.autoCompleteOrder) return;
  // What the job's command changed is not in the database yet: the unit of work's own records decide.
  const jobs = await tx.em.find(Job, { order: order.id }, { filters: { tenant: false } });
  if (jobs.length === 0 || !jobs.every((job) => JOB_TERMINAL.includes(job.state))) return;
  orderMachine.fire(tx, order, 'complete', { jobsHauling: false });
  await closeUnstarted(tx, order);
}
