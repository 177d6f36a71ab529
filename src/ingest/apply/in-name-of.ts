import type { InNameOf } from '../../dispatch/jobs/job-effects.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';

/** Changes by a payload are made in the name of its sender, without a person's action. */
export function inNameOf(tx: BatchTx, record: ClaimedRecord): InNameOf {
  const { type, id, name } = record.createdBy;
  const author = {
    eventSource: 'automation',
    createdByType: type,
    createdById: id,
    createdByName: name,
    createdByCompanyId: null,
  } as const;
  return { records: tx.recordsOf(record), authorOf: () => author };
}
