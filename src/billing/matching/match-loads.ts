import { beforeCommit, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { ADOPT, FORGET_LOADS, MATCH_LOADS } from './match-loads.sql.ts';

/**
 * Compares the loads of a job on each side of the books of some companies, when its invoices are written (BILLING B10): ticket, report, bill and what
 * vendors bill.
 */
export function matchLoads(tx: TxContext, jobId: string, companies: readonly string[]): void {
  beforeCommit(tx, () => matchNow(tx, jobId, companies));
}

/** The same at once, of what is written. */
export async function matchNow(tx: TxContext, jobId: string, companies: readonly string[]): Promise<void> {
  const of = [jobId, companies];
  await queryIn(tx.em, FORGET_LOADS, of);
  await queryIn(tx.em, MATCH_LOADS, of);
  if ((await queryIn(tx.em, ADOPT, of)).length > 0) await queryIn(tx.em, MATCH_LOADS, of);
}
