import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Job } from '../model/job.entity.ts';

// A company that has the job from its owner approves in its own books (PROOF A2). Whoever approves has the job locked.
const APPROVED_BY_OTHERS = `select from approval_state where approvable_type = 'Job' and approvable_id = $1 and company_id = any($2::uuid[])
  and (billing_approved_at is not null or field_approved_at is not null)`;

/** Whether a job, which is locked, is approved by its owner, or by a company of the caller that has it from the owner. */
export async function isWorkApproved(tx: TxContext, job: Pick<Job, 'id' | 'billingApprovedAt' | 'fieldApprovedAt'>): Promise<boolean> {
  if (job.billingApprovedAt || job.fieldApprovedAt) return true;
  return (await queryIn(tx.em, APPROVED_BY_OTHERS, [job.id, viewerOf(tx).companyIds])).length > 0;
}
