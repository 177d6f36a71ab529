import { beforeCommit, type TxContext } from '../../platform/commands/transact.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';
import { ADOPT, FORGET_LOADS, MATCH_LOADS, NOTE_TWICE } from './match-loads.sql.ts';

/**
 * Compares the loads of jobs on each side of the books of some companies, when their invoices are written (BILLING B10): ticket, report, bill and what
 * vendors bill.
 */
export function matchLoads(tx: TxContext, jobIds: readonly string[], companies: readonly string[]): void {
  beforeCommit(tx, () => matchNow(tx, jobIds, companies));
}

// Those who lock the bills of several companies do so in one order.
const lockSql = (mode: '' | '_shared') =>
  `select pg_advisory_xact_lock${mode}(hashtextextended('haulgate:vendor-bills:' || id, 0))
   from (select id from unnest($1::text[]) as of(id) order by id offset 0) of`;
const SHARE = lockSql('_shared');
const HOLD = lockSql('');

/**
 * Waits for everybody who has loads of a company compared, and has them wait: whoever comes second of a load and of its bill sees the other one. Call it
 * before anything of what is compared is locked: whoever compares has this lock before its rows.
 */
export const holdBills = (tx: TxContext, companyId: string): Promise<unknown> => queryIn(tx.em, HOLD, [[companyId]]);

/** Planning it takes ten times as long as comparing a job. */
const matchLoadsSql = (jobIds: readonly string[]): string => planOnceForFew(MATCH_LOADS, jobIds.length);

/** A load of which something else is compared than before. */
interface Changed {
  mayBeBilled: boolean;
  /** Its job, in books whose invoices wait until tickets contradict nothing. */
  blockedJobId: string | null;
  /** The owner of the job. */
  ownerId: string | null;
}

/** Has invoices compared again that wait for what is compared here. What that comes to does not depend on their blockers, so this comes to an end. */
export function compareBlocked(tx: TxContext, changed: readonly Pick<Changed, 'blockedJobId' | 'ownerId'>[]): void {
  const blocked = changed.filter(({ blockedJobId }) => blockedJobId !== null);
  for (const { ownerId } of blocked) if (ownerId) actOnBehalfOf(ownerId);
  invoicesToCompare.note(
    tx,
    blocked.flatMap(({ blockedJobId }) => blockedJobId ?? []),
  );
}

/** The same at once, of what is written, for all loads of some jobs. @param isFreed lines of bills were taken off some of them */
export async function matchNow(tx: TxContext, jobIds: readonly string[], companies: readonly string[], isFreed = false): Promise<void> {
  const of = [jobIds, companies];
  // Not only when a line is looked for: whoever enters a bill would wait for a row of these loads, and this for the bill.
  await queryIn(tx.em, SHARE, [companies]);
  await queryIn(tx.em, FORGET_LOADS, of);
  const changed = await queryIn<Changed>(tx.em, matchLoadsSql(jobIds), of);
  compareBlocked(tx, changed);
  if (isFreed || changed.some(({ mayBeBilled }) => mayBeBilled)) await adopt(tx, jobIds, companies);
}

/** Gives loads of some jobs the lines of bills that wait for them. */
async function adopt(tx: TxContext, jobIds: readonly string[], companies: readonly string[]): Promise<void> {
  const of = [jobIds, companies];
  if ((await queryIn(tx.em, ADOPT, of)).length === 0) return;
  compareBlocked(tx, await queryIn<Changed>(tx.em, matchLoadsSql(jobIds), of));
  await queryIn(tx.em, NOTE_TWICE, of);
}
