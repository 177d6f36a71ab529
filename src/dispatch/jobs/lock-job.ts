import { allow, find, findAhead, viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import type { Along } from '../../platform/database/connection/together.ts';
import { lockBeforeOrders } from '../checks/lock-around.ts';
import { Job } from '../model/job.entity.ts';
import { expectArrivals } from '../orders/order-arrival.ts';
import { lockOrderRow } from '../orders/order-progress.ts';

/**
 * Finds and locks a job, its order before it, as everywhere: two commands that lock both never deadlock. The job is found twice. The first time
 * says which order it belongs to and whether the caller may, so that nobody locks what they may not change; the second time reads it again
 * under the lock, because it may have changed meanwhile.
 * @param may throws Denied if the caller may not
 * @param moves the job may come to another day, for which tickets wait
 * @param next what is asked once it is locked (`askAhead`)
 * @throws Missing, Denied
 */
export async function lockJob(
  tx: TxContext,
  path: RecordPath,
  may: (tx: TxContext, job: Job) => void,
  { moves = false, next = () => [] }: { moves?: boolean; next?: (job: Job) => Along[] } = {},
): Promise<Job> {
  const seen = await find(tx, Job, path.id, { companyId: path.companyId });
  may(tx, seen);
  if (moves) await expectArrivals(setTxOf(tx), seen.company.id);
  // The order of others is locked in another way, and the job must not be before it.
  const own = viewerOf(tx).companyIds.includes(seen.company.id);
  await lockOrderRow(tx, seen.order.id, own ? [...findAhead(tx, tx.em, Job, path, true), ...next(seen)] : []);
  return find(tx, Job, path.id, { companyId: path.companyId, lock: true });
}

/** Runs a command on a locked job in one transaction. The parameters are those of `lockJob`. */
export function withJob(
  ctx: Context,
  path: RecordPath,
  may: (tx: TxContext, job: Job) => void,
  act: (tx: TxContext, job: Job) => Promise<void>,
  moves = false,
): Promise<Job> {
  const run = async (tx: TxContext) => {
    const job = await lockJob(tx, path, may, { moves });
    await act(tx, job);
    return job;
  };
  return transact(ctx, run, [Job, path, 'see']);
}

/**
 * Runs a command that may have a job's difference billed, in one transaction. The office says so, and not its payee; drivers and days are locked before the order,
 * as everywhere, because bills refer to them. @throws Missing, Denied
 */
export const withBillsOfJob = (ctx: Context, path: RecordPath, permission: string, act: (tx: TxContext) => Promise<Job>): Promise<Job> =>
  transact(ctx, async (tx) => {
    allow(tx, permission);
    const { id } = await find(tx, Job, path.id, { companyId: path.companyId });
    await lockBeforeOrders(tx, [id]);
    return act(tx);
  });
