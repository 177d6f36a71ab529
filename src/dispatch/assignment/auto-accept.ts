import { LockMode } from '@mikro-orm/core';
import { isConnected } from '../../directory/accounts/connections.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { moveJob, noteJobEvents } from '../jobs/job-effects.ts';
import { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import type { JobEventName } from '../model/states.ts';

/** The jobs whose newest link goes to a connected vendor that accepts automatically. The caller's company holds the vendor's account. */
const AUTOMATIC = `select j.id from job j
  join lateral (select a.vendor_account_id from job_assignment a where a.job_id = j.id order by a.link desc limit 1) l on true
  join account v on v.id = l.vendor_account_id
  where j.order_id = $1 and j.driver_id is null and j.state in ('assigned', 'sent') and ($2::uuid is null or j.id = $2)
    and v.auto_accept_orders and ${isConnected('v')}
  order by j.number`;

/**
 * Sends the jobs of an open order to the vendors that accept automatically (`auto_accept_orders`), and accepts them there (DOMAIN 1.1
 * `accept`). It is for jobs that were assigned before the order was accepted, or while it was on hold. The caller has locked the order.
 * @param only considers this job alone
 */
export async function acceptForVendors(tx: TxContext, order: Pick<Order, 'id' | 'state'>, only?: Job): Promise<void> {
  if (order.state !== 'accepted' && order.state !== 'in_progress') return;
  await tx.em.flush();
  const ids = (await queryIn<{ id: string }>(tx.em, AUTOMATIC, [order.id, only?.id ?? null])).map(({ id }) => id);
  if (ids.length === 0) return;
  const jobs = await tx.em.find(
    Job,
    { id: { $in: ids } },
    { orderBy: { number: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } },
  );
  const notes: Parameters<typeof noteJobEvents>[1][number][] = [];
  for (const job of jobs) {
    acceptForVendor(tx, job, (eventName) => notes.push({ job, state: job.state, eventName }));
  }
  await noteJobEvents(tx, notes);
}

/**
 * Sends a job of an open order to its automatically accepting vendor, unless it was sent before, and accepts it there.
 * @param note called after each step, with the job in its new state
 */
export function acceptForVendor(tx: TxContext, job: Job, note: (eventName: JobEventName) => void): void {
  if (job.state === 'assigned') {
    moveJob(tx, job, 'request', { hasAssignee: true, orderOpen: true });
    note('JobRequested');
    note('JobSent');
  }
  moveJob(tx, job, 'accept', {});
  note('JobAccepted');
}
