import { loadMachine } from '../model/load.machine.ts';
import type { LoadState } from '../model/states.ts';

export interface CanceledLoad {
  id: string;
  jobId: string;
  companyId: string;
  /** Before it was canceled. */
  state: LoadState;
}

type Query = <R extends object>(sql: string, parameters: unknown[]) => Promise<R[]>;

/**
 * Cancels the open loads of jobs in the database, and tells what they were, by job and in driving order; the caller records it. An order
 * has up to 5,000 loads: as entities they would keep the process from everything else for seconds.
 * @param query runs a statement on the caller's transaction
 */
export async function cancelLoadsOf(query: Query, jobIds: readonly string[], now: Date): Promise<Map<string, CanceledLoad[]>> {
  const byJob = new Map<string, CanceledLoad[]>();
  if (jobIds.length === 0) return byJob;
  const loads = await query<CanceledLoad>(
    `with open as (
       select id, state, ordinality from load where job_id = any($1::uuid[]) and state <> all($2::text[]) order by id for update),
     canceled as (
       update load l set state = 'canceled', version = l.version + 1, updated_at = $3::timestamptz from open where l.id = open.id
       returning l.id, l.job_id, l.company_id, open.state, open.ordinality)
     select id, job_id as "jobId", company_id as "companyId", state from canceled order by job_id, ordinality`,
    [jobIds, loadMachine.terminal, now],
  );
  for (const load of loads) {
    const known = byJob.get(load.jobId);
    if (known) known.push(load);
    else byJob.set(load.jobId, [load]);
  }
  return byJob;
}
