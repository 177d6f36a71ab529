import type { Account } from '../../directory/accounts/account.entity.ts';
import { nameOfCompliant } from '../../directory/compliance/checks.ts';
import { type CompliantAs, type Issue, issuesOf } from '../../directory/compliance/issues.ts';
import type { Equipment } from '../../directory/equipment/equipment.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { noteJobEvent } from '../jobs/job-effects.ts';
import type { Job } from '../model/job.entity.ts';

/** A person, truck or vendor that is to be sent out, and the field that names it. */
export interface Sent {
  as: CompliantAs;
  record: User | Equipment | Account;
  field: string;
}

/**
 * Collects the compliance documents that block an assignment on the job's day (DOMAIN 1.2 `assign`), and returns these issues. They are
 * added to `items` unless `override` is set.
 */
export async function lacking(
  tx: TxContext,
  job: Pick<Job, 'jobStartAt'>,
  companyId: string,
  sent: readonly Sent[],
  items: ErrorItem[],
  override: boolean,
): Promise<Issue[]> {
  const at = job.jobStartAt > tx.tx.now ? job.jobStartAt : tx.tx.now;
  const issues = await issuesOf(
    tx,
    companyId,
    sent.map(({ as, record }) => ({ as, id: record.id })),
    at,
  );
  const blocking = issues.filter((issue) => issue.blocking);
  if (!override)
    for (const { subjectId, type, documentType } of blocking) {
      const { field, record } = sent.find((one) => one.record.id === subjectId)!;
      items.push({ model: 'Job', field, key: `compliance_${type}`, params: { name: nameOfCompliant(record), document: documentType } });
    }
  return blocking;
}

/** Notes that somebody assigned in spite of blocking documents, on their own responsibility (DOMAIN 1.2 `assign`). */
export function noteOverride(tx: TxContext, job: Job, overridden: Issue[]): void {
  noteJobEvent(tx, job, 'ComplianceOverride', {
    payload: {
      overridden_by: tx.viewer?.id ?? null,
      overridden_at: tx.tx.now.toISOString(),
      issues: overridden.map(({ type, documentTypeId, documentType }) => ({
        type,
        document_type_id: documentTypeId,
        document_type: documentType,
      })),
    },
  });
}
