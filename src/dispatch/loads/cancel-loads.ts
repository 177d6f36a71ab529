import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { loadMachine } from '../model/load.machine.ts';
import type { LoadState } from '../model/states.ts';

interface CanceledLoad {
  id: string;
  jobId: string;
  companyId: string;
  /** Until `recordCanceled` runs, the state it was in before. */
  state: LoadState;
}

/**
 * Closes the open loads of jobs in one statement; `recordCanceled` must follow. An order has up to 5,000 loads: as entities, they would
 * block the process for seconds.
 * @returns the loads as they were, by job and in driving order
 */
export async function closeLoads({ query, now }: SetTx, jobIds: readonly string[]): Promise<Map<string, CanceledLoad[]>> {
  const loads = await query<CanceledLoad>(CANCEL, [jobIds, loadMachine.terminal, now]);
  return Map.groupBy(loads, ({ jobId }) => jobId);
}

/**
 * Writes transitions, outbox and audit rows of loads that `closeLoads` has closed. @throws Conflict if the state of one forbids it; the
 * rollback then undoes the statement
 */
export function recordCanceled(records: Records, loads: readonly CanceledLoad[]): void {
  const before = loadMachine.fireMany(() => records, loads, 'cancel');
  for (const [at, { id, companyId, state }] of loads.entries())
    records.audits.push({ event: 'update', type: 'Load', id, companyId, changes: { state: [before[at], state] } });
}

const CANCEL = `with open as (
    select id, state, ordinality from load where job_id = any($1::uuid[]) and state <> all($2::text[]) order by id for update),
  canceled as (
    update load l set state = 'canceled', version = l.version + 1, updated_at = $3::timestamptz from open where l.id = open.id
    returning l.id, l.job_id, l.company_id, open.state, open.ordinality)
  select id, job_id as "jobId", company_id as "companyId", state from canceled order by job_id, ordinality`;
