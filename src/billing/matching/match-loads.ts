import { beforeCommit, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { ADOPT, FORGET_LOADS, MATCH_LOADS, NOTE_TWICE } from './match-loads.sql.ts';

/**
 * Compares the loads of a job on each side of the books of some companies, when its invoices are written (BILLING B10): ticket, report, bill and what
 * vendors bill.
 */
export function matchLoads(tx: TxContext, jobId: string, companies: readonly string[]): void {
  beforeCommit(tx, () => matchNow(tx, [jobId], companies));
}

const lockSql = (mode: '' | '_shared') =>
  `select pg_advisory_xact_lock${mode}(hashtextextended('haulgate:vendor-bills:' || id, 0)) from unnest($1::text[]) as of(id)`;
const SHARE = lockSql('_shared');
const HOLD = lockSql('');

/**
 * Waits for everybody who has loads of a company compared: whoever comes second of a load and of its bill sees the other one. Call it after what is
 * looked for is written, and before the other is looked for.
 */
export const holdBills = (tx: TxContext, companyId: string): Promise<unknown> => queryIn(tx.em, HOLD, [[companyId]]);

/** The same at once, of what is written, for all loads of some jobs. @param isFreed lines of bills were taken off some of them */
export async function matchNow(tx: TxContext, jobIds: readonly string[], companies: readonly string[], isFreed = false): Promise<void> {
  const of = [jobIds, companies];
  await queryIn(tx.em, FORGET_LOADS, of);
  const changed = await queryIn<{ mayBeBilled: boolean }>(tx.em, MATCH_LOADS, of);
  if (!isFreed && !changed.some(({ mayBeBilled }) => mayBeBilled)) return;
  await queryIn(tx.em, SHARE, [companies]);
  await adopt(tx, jobIds, companies);
}

/** Gives loads of some jobs the lines of bills that wait for them. */
export async function adopt(tx: TxContext, jobIds: readonly string[], companies: readonly string[]): Promise<void> {
  const of = [jobIds, companies];
  if ((await queryIn(tx.em, ADOPT, of)).length === 0) return;
  await queryIn(tx.em, MATCH_LOADS, of);
  await queryIn(tx.em, NOTE_TWICE, of);
}
