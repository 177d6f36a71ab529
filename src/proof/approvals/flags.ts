import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Viewer } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import {
  type ApprovableType,
  type ApprovalAction,
  ApprovalAssignment,
  type ApprovalCategory,
  type ApprovalType,
  type RequestedApprovalType,
} from './approval-assignment.entity.ts';
import type { ApprovalState } from './approval-state.entity.ts';

export interface ApprovalWish {
  approvalType?: RequestedApprovalType | null;
  externalApproverName?: string | null;
  /** Of a load that the system approves because nothing was found. */
  reviewId?: string;
}

/** The approvals of a job, a load or a day: by its owner in its own columns, by another company in a state of that company. */
export type Approvable = Pick<
  Job,
  'approvedAt' | 'billingApprovedAt' | 'fieldApprovedAt' | 'billerApproved' | 'companyAdminApproved' | 'driverApproved' | 'foremanApproved'
> & { id: string; company: Job['company'] };

/** The record that approvals are about: a state of another company names it. */
const recordOf = (what: Approvable): string => (what as Partial<ApprovalState>).approvableId ?? what.id;

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

export const CATEGORY: Record<ApprovalType, ApprovalCategory> = {
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
export const isApproved = (what: Approvable, as: ApprovalType): boolean =>
  as === 'driver' ? what.driverApproved : Boolean(CATEGORY[as] === 'billing' ? what.billingApprovedAt : what.fieldApprovedAt);

/** The types of approval that a caller takes back. @throws Invalid when somebody chooses who may not */
export const toTakeBack = (viewer: Viewer, wish: ApprovalWish): ApprovalType[] => {
  const as = asWhat(viewer, wish);
  if (wish.approvalType || as === 'driver') return [as];
  return CATEGORY[as] === 'field' ? ['foreman'] : ['biller', 'company_admin'];
};
/** Those of the types that are in effect. */
export const approvedAs = (what: Approvable, types: ApprovalType[]): ApprovalType[] => types.filter((type) => what[FLAG[type]]);

/** Approves, and logs it. */
export function approve(tx: TxContext, model: ApprovableType, what: Approvable, as: ApprovalType, wish: ApprovalWish): void {
  what[FLAG[as]] = true;
  // The state of another company is made by its first approval.
  tx.em.persist(what);
  log(tx, model, what, 'approve', as, wish);
  if (as === 'driver') return;
  if (CATEGORY[as] === 'field') what.fieldApprovedAt = tx.tx.now;
  else what.approvedAt = what.billingApprovedAt = tx.tx.now;
}

/** Takes approvals back, and logs it. */
export async function unapprove(
  tx: TxContext,
  model: ApprovableType,
  what: Approvable,
  types: ApprovalType[],
  wish: ApprovalWish,
): Promise<void> {
  for (const type of approvedAs(what, types)) {
    what[FLAG[type]] = false;
    log(tx, model, what, 'unapprove', type, wish);
  }
  if (!what.foremanApproved) what.fieldApprovedAt = null;
  what.approvedAt = what.billingApprovedAt = await lastOf(tx, what, approvedAs(what, ['biller', 'company_admin']));
}

/** Returns when the last of the approvals that are in effect was made. */
async function lastOf(tx: TxContext, what: Approvable, types: ApprovalType[]): Promise<Date | null> {
  if (types.length === 0) return null;
  const [last] = await tx.em.find(
    ApprovalAssignment,
    {
      approvableId: recordOf(what),
      company: what.company.id,
      approvalAction: 'approve',
      approvalType: { $in: [...types, 'platform_admin'] },
    },
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
      approvableId: recordOf(what),
      approvalAction: action,
      approvalCategory: CATEGORY[as],
      approvalType: as,
      // The system approves for the company.
      ...(viewer.type === 'System'
        ? { approverType: 'Company', approverId: viewer.companyId }
        : { approverType: viewer.type, approverId: viewer.id }),
      approverName: viewer.name,
      externalApproverName: wish.externalApproverName?.trim() || null,
      reviewId: wish.reviewId ?? null,
      createdAt: tx.tx.now,
    }),
  );
}

export const refusal = (model: string, key: string) => new Invalid([{ model, field: '', key }]);

/** That work is not at its end yet. */
export const unfinished = (model: string, { state }: { state: string }) =>
  new Invalid([{ model, field: 'state', key: 'not_finished', params: { state } }]);

/** Characters of a name, without the spaces around it. */
const MOST_OF_NAME = 200;

/** A name is that of a foreman without a login. @throws Invalid when another type of approval has one, or it is empty or too long */
export function refuseName(model: ApprovableType, { externalApproverName: name }: ApprovalWish, as: ApprovalType): void {
  if (name === undefined || name === null) return;
  const of = { model, field: 'externalApproverName' };
  if (as !== 'foreman') throw new Invalid([{ ...of, key: 'only_foremen_are_named' }]);
  const { length } = name.trim();
  if (length < 1 || length > MOST_OF_NAME) throw new Invalid([{ ...of, key: 'wrong_length', params: { min: 1, max: MOST_OF_NAME } }]);
}
