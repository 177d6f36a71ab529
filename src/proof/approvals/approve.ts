import { LockMode, ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { mayWithJob } from '../../dispatch/access/job.policy.ts';
import { withJob } from '../../dispatch/jobs/lock-job.ts';
import type { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath, Viewer } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import {
  type ApprovableType,
  type ApprovalAction,
  ApprovalAssignment,
  type ApprovalCategory,
  type ApprovalType,
  type RequestedApprovalType,
} from './approval-assignment.entity.ts';

export interface ApprovalWish {
  approvalType?: RequestedApprovalType | null;
  externalApproverName?: string | null;
}

/** The approvals of a job or load. */
type Approvable = Pick<
  Job,
  'approvedAt' | 'billingApprovedAt' | 'fieldApprovedAt' | 'billerApproved' | 'companyAdminApproved' | 'driverApproved' | 'foremanApproved'
> & { id: string; company: Job['company'] };

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

/** Managers approve for billing, as the office's billers do: the contract knows no type of theirs (D-PROOF-2). */
const OF_ROLES: [string, ApprovalType][] = [
  ['platform_admin', 'platform_admin'],
  ['company_admin', 'company_admin'],
  ['biller', 'biller'],
  ['manager', 'biller'],
  ['foreman', 'foreman'],
  ['driver', 'driver'],
];

/**
 * The category in which a caller approves. A machine client acts for the company's administrators. @throws Invalid when somebody else
 * chooses
 */
export function asWhat(viewer: Viewer, { approvalType }: ApprovalWish): ApprovalType {
  const own = viewer.type === 'M2MClient' ? 'company_admin' : (OF_ROLES.find(([role]) => viewer.roles.includes(role))?.[1] ?? 'biller');
  if (!approvalType || approvalType === own) return own;
  if (own === 'company_admin' || own === 'platform_admin') return approvalType;
  throw new Invalid([{ model: 'ApprovalAssignment', field: 'approvalType', key: 'only_admins_choose_approval' }]);
}

const CATEGORY: Record<ApprovalType, ApprovalCategory> = {
  driver: 'field',
  foreman: 'field',
  biller: 'billing',
  company_admin: 'billing',
  platform_admin: 'billing',
};
const FLAG = {
  driver: 'driverApproved',
  foreman: 'foremanApproved',
  biller: 'billerApproved',
  company_admin: 'companyAdminApproved',
  platform_admin: 'companyAdminApproved',
} as const satisfies Record<ApprovalType, keyof Approvable>;

/** A driver's word opens and closes no category: only drivers ask whether it was given. */
const isApproved = (what: Approvable, as: ApprovalType): boolean =>
  as === 'driver' ? what.driverApproved : Boolean(CATEGORY[as] === 'billing' ? what.billingApprovedAt : what.fieldApprovedAt);

const toTakeBack = (viewer: Viewer, wish: ApprovalWish): ApprovalType[] => {
  const as = asWhat(viewer, wish);
  if (wish.approvalType || as === 'driver') return [as];
  return CATEGORY[as] === 'field' ? ['foreman'] : ['biller', 'company_admin'];
};
const approvedAs = (what: Approvable, types: ApprovalType[]): ApprovalType[] => types.filter((type) => what[FLAG[type]]);

function approve(tx: TxContext, model: ApprovableType, what: Approvable, as: ApprovalType, wish: ApprovalWish): void {
  what[FLAG[as]] = true;
  log(tx, model, what, 'approve', as, wish);
  if (as === 'driver') return;
  if (CATEGORY[as] === 'field') what.fieldApprovedAt = tx.tx.now;
  else what.approvedAt = what.billingApprovedAt = tx.tx.now;
}

async function unapprove(tx: TxContext, model: ApprovableType, what: Approvable, types: ApprovalType[], wish: ApprovalWish): Promise<void> {
  for (const type of approvedAs(what, types)) {
    what[FLAG[type]] = false;
    log(tx, model, what, 'unapprove', type, wish);
  }
  if (!what.foremanApproved) what.fieldApprovedAt = null;
  what.approvedAt = what.billingApprovedAt = await lastOf(tx, what, approvedAs(what, ['biller', 'company_admin']));
}

/** Returns when the last of the approvals that are in effect was made. */
async function lastOf(tx: TxContext, { id }: Approvable, types: ApprovalType[]): Promise<Date | null> {
  if (types.length === 0) return null;
  const [last] = await tx.em.find(
    ApprovalAssignment,
    { approvableId: id, approvalAction: 'approve', approvalType: { $in: [...types, 'platform_admin'] } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  return last?.createdAt ?? null;
}

function log(tx: TxContext, model: ApprovableType, what: Approvable, action: ApprovalAction, as: ApprovalType, wish: ApprovalWish): void {
  const viewer = viewerOf(tx);
  tx.em.persist(
    Object.assign(new ApprovalAssignment(), {
      company: ref(Company, what.company.id),
      approvableType: model,
      approvableId: what.id,
      approvalAction: action,
      approvalCategory: CATEGORY[as],
      approvalType: as,
      approverType: viewer.type,
      approverId: viewer.id,
      externalApproverName: wish.externalApproverName?.trim() || null,
      createdAt: tx.tx.now,
    }),
  );
}

const refusal = (model: string, key: string) => new Invalid([{ model, field: '', key }]);
