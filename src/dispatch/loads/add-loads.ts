import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { insertLoads } from '../jobs/add-trucks.ts';

/** A load that a locked job gets, one place after its last. */
export interface NewLoad {
  id: string;
  jobId: string;
  ordinality: number;
  /** In the name of the person or client that asked for it. */
  records: Records;
}

/** Adds loads to jobs on the jobs' terms, in one statement, with their outbox and audit rows. */
export async function addLoads(tx: SetTx, companyId: string, loads: readonly NewLoad[]): Promise<void> {
  await insertLoads(tx.query, loads, tx.now);
  for (const { id, jobId, ordinality, records } of loads) {
    const at = { type: 'Load', id, companyId };
    records.events.push({ name: 'load.created', ...at });
    records.audits.push({ event: 'create', ...at, changes: { job_id: [null, jobId], ordinality: [null, ordinality] } });
  }
}
