import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Returns which of these loads have a ticket. */
export async function ticketedLoads({ em }: TxContext, loadIds: readonly string[]): Promise<Set<string>> {
  if (loadIds.length === 0) return new Set();
  const sql = 'select load_id as id from ticket where load_id = any($1::uuid[]) and voided_at is null';
  return new Set((await queryIn<{ id: string }>(em, sql, [loadIds])).map(({ id }) => id));
}

/** Whether a load has a ticket, which proves that it was loaded. */
export const isTicketed = async (tx: TxContext, { id }: { id: string }): Promise<boolean> => (await ticketedLoads(tx, [id])).size > 0;

const TICKETED = 'select distinct job_id as id from ticket where job_id = any($1::uuid[]) and voided_at is null';

/** Returns which of these jobs have a ticket, of a load or without one: somebody hauled for them, whatever their drivers have pressed. */
export async function ticketedJobs({ em }: TxContext, jobIds: readonly string[]): Promise<Set<string>> {
  if (jobIds.length === 0) return new Set();
  return new Set((await queryIn<{ id: string }>(em, TICKETED, [jobIds])).map(({ id }) => id));
}

// A scale's clock may be wrong by years.
const SERVED = `select j.id, min(k.service_date) as at from job j join ticket k on k.job_id = j.id
  where j.id = any($1::uuid[]) and k.voided_at is null and k.service_date <= $2
    and k.service_date >= least(j.job_start_at, j.created_at) - interval '31 days' group by j.id`;

/** Returns when the first material of jobs was served, by their tickets, by job; those of which none says so are left out. */
export async function servedAt({ em, tx }: TxContext, jobIds: readonly string[]): Promise<Map<string, Date>> {
  const rows = await queryIn<{ id: string; at: string | Date }>(em, SERVED, [jobIds, tx.now]);
  return new Map(rows.map(({ id, at }) => [id, new Date(at)]));
}
