import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { mayWithJob } from '../access/job.policy.ts';
import { removeFilesOf } from '../attachments/attachment-commands.ts';
import { refuseProven } from '../loads/refuse-proven.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { completeOrderIfDone, lockOrder } from '../orders/order-progress.ts';
import { factsOfJob, loadsOf } from './job-effects.ts';
import { lockJob } from './lock-job.ts';

/**
 * Takes a deleted job from the trucks of its order. A canceled one may have been taken from them before, by a lower count: then it was none of them any more.
 */
async function countWithout(tx: TxContext, order: Order, { state }: Job): Promise<void> {
  if (!order.truckCount) return;
  const left = await tx.em.count(Job, { order: order.id }, { filters: { tenant: false } });
  order.truckCount = state === 'canceled' ? Math.min(order.truckCount, left) : order.truckCount - 1;
}

/** Deletes a job none of whose loads has started (DOMAIN 1.2). */
export function deleteJob(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const job = await lockJob(tx, path, (_, seen) => void mayWithJob(tx, seen, 'delete_job'));
    const order = await lockOrder(tx, job.order.id);
    if ((await factsOfJob(tx, job)).loadStarted) throw new Invalid([{ model: 'Job', field: '', key: 'started_not_deletable' }]);
    await refuseProven(tx, 'Job', 'job_id', job.id);
    emitEvent(tx, 'job.deleted', job, { job_id: job.jobId });
    const loads = await loadsOf(tx, job);
    await removeFilesOf(tx, 'Job', [job.id]);
    await removeFilesOf(
      tx,
      'Load',
      loads.map((load) => load.id),
    );
    for (const load of loads) tx.em.remove(load);
    await tx.em.nativeDelete(JobEvent, { job: job.id }, { filters: { tenant: false } });
    await tx.em.nativeDelete(JobAssignment, { job: job.id });
    await tx.em.flush();
    tx.em.remove(job);
    await tx.em.flush();
    await countWithout(tx, order, job);
    await tx.em.flush();
    await completeOrderIfDone(tx, order);
  });
}
