import { LockMode } from '@mikro-orm/core';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { withJob } from '../../dispatch/jobs/lock-job.ts';
import type { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ApprovalWish, approve, approvedAs, asWhat, isApproved, refusal, toTakeBack, unapprove } from './flags.ts';

/** The work of a job is done (DOMAIN 1.4 "record finished"). */
export const FINISHED_JOB = ['completed', 'ended', 'in_review'];

/**
 * Approves a finished job and its finished loads, as the caller's own role; company administrators may choose as what (DOMAIN 1.4).
 * @throws Missing, Denied; Invalid while it is not finished, or when the category is approved already
 */
export const approveJob = (
  ctx: Context,
  path: RecordPath,
  wish: ApprovalWish & { approvedWorkTimeMinutes?: number | null },
): Promise<Job> =>
  withJob(ctx, path, mayApproveJob, async (tx, job) => {
    const as = asWhat(viewerOf(tx), wish);
    if (!FINISHED_JOB.includes(job.state) || isApproved(job, as)) throw refusal('Job', 'not_approvable');
    approve(tx, 'Job', job, as, wish);
    if (wish.approvedWorkTimeMinutes !== undefined) job.approvedWorkTimeMinutes = wish.approvedWorkTimeMinutes;
    for (const load of await loadsOf(tx, job)) if (load.state === 'completed' && !isApproved(load, as)) approve(tx, 'Load', load, as, wish);
    emitEvent(tx, 'job.approved', job, { approval_type: as });
  });

/**
 * Withdraws the approvals of the caller's category on a job and its loads, or only one type of approval when it is named.
 * @throws Missing, Denied; Invalid when there is none, or the job was signed off
 */
export const unapproveJob = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withJob(ctx, path, mayApproveJob, async (tx, job) => {
    const types = toTakeBack(viewerOf(tx), wish);
    if (job.state === 'signed_off' || job.state === 'paid' || !approvedAs(job, types).length) throw refusal('Job', 'not_unapprovable');
    await unapprove(tx, 'Job', job, types, wish);
    for (const load of await loadsOf(tx, job)) if (approvedAs(load, types).length) await unapprove(tx, 'Load', load, types, wish);
    emitEvent(tx, 'job.unapproved', job);
  });

/** @throws Missing, Denied; Invalid while it is not completed, or when the category is approved already */
export const approveLoad = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withLoad(ctx, path, (tx, load) => {
    const as = asWhat(viewerOf(tx), wish);
    if (load.state !== 'completed' || isApproved(load, as)) throw refusal('Load', 'not_approvable');
    approve(tx, 'Load', load, as, wish);
    emitEvent(tx, 'load.approved', load, { approval_type: as });
  });

/** The job keeps its approval (DOMAIN 1.3). @throws Missing, Denied; Invalid when there is none, or the job was signed off */
export const unapproveLoad = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withLoad(ctx, path, async (tx, load, job) => {
    const types = toTakeBack(viewerOf(tx), wish);
    if (job.state === 'signed_off' || job.state === 'paid' || !approvedAs(load, types).length) throw refusal('Load', 'not_unapprovable');
    await unapprove(tx, 'Load', load, types, wish);
    emitEvent(tx, 'load.unapproved', load);
  });

/** Whose approval is in effect (`Approval-Status` of the contract). */
export function approvalStatusOf(job: Job): ApprovalStatus {
  const { id, billerApproved, companyAdminApproved, driverApproved, foremanApproved, billingApprovedAt, fieldApprovedAt } = job;
  const textOf = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const flags = { billerApproved, companyAdminApproved, driverApproved, foremanApproved };
  return { id, ...flags, billingApprovedAt: textOf(billingApprovedAt), fieldApprovedAt: textOf(fieldApprovedAt) };
}

const mayApproveJob = (tx: TxContext, job: Job) => void mayWithJob(tx, job, 'approve_job');

function withLoad(ctx: Context, path: RecordPath, act: (tx: TxContext, load: Load, job: Job) => void | Promise<void>): Promise<Job> {
  return transact(ctx, async (outer) => {
    const seen = await find(outer, Load, path.id, { companyId: path.companyId });
    return withJob(
      outer,
      { id: seen.job.id },
      (tx, job) => void mayWithJob(tx, job, 'approve_load'),
      async (tx, job) => act(tx, await find(tx, Load, path.id, { companyId: path.companyId, lock: true }), job),
    );
  });
}

const loadsOf = (tx: TxContext, job: Job): Promise<Load[]> =>
  tx.em.find(Load, { job: job.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } });
