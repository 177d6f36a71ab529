import { closedThroughSql } from '../../dispatch/access/closed-books.ts';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn, queryOf } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/state/machine.ts';
import { localDate } from '../../platform/time.ts';

const DAY = 86_400_000;

const LOCK = (mode: '' | '_shared') => `select pg_advisory_xact_lock${mode}(hashtextextended('haulgate:books:' || $1, 0))`;
const SHARE = LOCK('_shared');
const HOLD = LOCK('');

const CLOSED = `select ${closedThroughSql('$1')}::text as day`;

/** Keeps everybody else from doing what counts in the books of a company, until the transaction ends. */
export const holdBooks = (tx: TxContext, companyId: string): Promise<unknown> => queryIn(tx.em, HOLD, [companyId]);

/**
 * Keeps everybody from closing the books of a company, or opening them again, until the transaction ends. Whoever hands something to accounting does so
 * before it looks at what it hands over: then nobody opens a period again of which it is a part.
 */
export const shareBooks = (tx: TxContext, companyId: string): Promise<unknown> => queryIn(tx.em, SHARE, [companyId]);

/**
 * Returns the last day of which the books of a company are closed; null while none is. Nobody closes a later day until the transaction ends, so what
 * it decides by the answer is right when it commits.
 */
export async function closedThrough(tx: TxContext, companyId: string): Promise<string | null> {
  // Two statements: the second one sees what was committed while the first one waited.
  await shareBooks(tx, companyId);
  return closedDay(tx, companyId);
}

/** The same for whoever holds the books, or is content with how they are just now. */
export async function closedDay(ctx: Context, companyId: string): Promise<string | null> {
  const [found] = await queryOf<{ day: string | null }>(ctx, CLOSED, [companyId]);
  return found!.day;
}

/** The day after a day. */
export const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY).toISOString().slice(0, 10);

/** Returns the day on which something counts that is done now (BILLING B10): the day of the work, or the first one that is not closed. */
export async function postingDateOf(tx: TxContext, companyId: string, day: string): Promise<string> {
  const closed = await closedThrough(tx, companyId);
  return closed !== null && day <= closed ? dayAfter(closed) : day;
}

/** The day on which something is taken back now: today at the company, or the first day of which its books are open. */
export const openDayOf = async (tx: TxContext, companyId: string): Promise<string> =>
  postingDateOf(tx, companyId, localDate(tx.tx.now, await zoneOf(tx, companyId)));

/** A record that counts in the books on a day. */
export interface Dated {
  company: { id: string };
  /** Null while it is not approved. */
  postingDate?: string | null;
}

/** Whether something counts in a period that is closed. */
export async function isClosed(tx: TxContext, { company, postingDate }: Dated): Promise<boolean> {
  if (postingDate == null) return false;
  const closed = await closedThrough(tx, company.id);
  return closed !== null && postingDate <= closed;
}

const CLOSED_SINCE = `select from billing_period where company_id = $1 and state = 'closed' and $2::date between starts_on and ends_on and closed_at >= $3`;

/** Whether something was noted of a record before the period was closed in which it counts. */
export async function isClosedSince(tx: TxContext, dated: Dated, noted: Date | null | undefined): Promise<boolean> {
  if (!noted || !(await isClosed(tx, dated))) return false;
  return (await queryIn(tx.em, CLOSED_SINCE, [dated.company.id, dated.postingDate, noted])).length > 0;
}

/** @throws Conflict if a record counts in a period that is closed */
export async function refuseClosed(tx: TxContext, model: string, dated: Dated & { state: string }, event: string): Promise<void> {
  if (await isClosed(tx, dated)) throw conflict(model, dated, event, 'period_closed');
}
