import { closedThroughSql } from '../../dispatch/access/closed-books.ts';
import { isSettledSql } from '../../dispatch/access/held-work.ts';
import type { Where } from '../../platform/read/run.ts';

/** States from which an invoice is settled: approved, and neither paid nor exported by itself. The index `invoice_to_settle_idx` has them, too. */
export const SETTLED: readonly string[] = ['approved', 'customer_pending', 'customer_approved'];
/** The states in which an invoice goes to accounting by itself, or may be there. Nobody settles it until that is known. */
export const ON_ITS_WAY: readonly string[] = ['pending', 'uncertain'];
export const isOnItsWaySql = (t: string): string => `${t}.export_state in (${ON_ITS_WAY.map((state) => `'${state}'`).join(', ')})`;
/** States that settling by itself has passed by: nobody settles it any more. */
const BY_ITSELF: readonly string[] = ['exported', 'customer_paid'];

const among = (t: string, states: readonly string[]): string => `${t}.state in (${states.map((state) => `'${state}'`).join(', ')})`;
const isClosed = (t: string): string => `coalesce(${t}.posting_date, ${t}.service_date) <= ${closedThroughSql(`${t}.company_id`)}`;
const isFree = (t: string): string => `not ${isSettledSql(t)}`;

/** Whether an approved invoice counts in a period that is closed, so that it is settled only by somebody who says `in_open_period`. */
export const isLeftOutSql = (t: string): string => `${among(t, SETTLED)} and ${isFree(t)} and ${isClosed(t)}`;

/** SQL of an `UnsettledReason`; null of what a settlement has, and of what there is nothing to settle of. */
export const unsettledReasonSql = (t: string): string => `case when ${t}.state in ('voided', 'paid') or not ${isFree(t)} then null
  when not (${among(t, [...SETTLED, ...BY_ITSELF])}) then 'not_approved'
  when ${among(t, BY_ITSELF)} then ${t}.state when ${isOnItsWaySql(t)} then 'exported' when ${isClosed(t)} then 'period_closed' else 'to_settle' end`;

/**
 * Work that is not on its way to a settlement (BILLING B2.2): something keeps its invoice from being approved, or it is approved and nobody settles it by
 * itself. An index has just the first, and one the second.
 */
export const BLOCKED: Where = {
  key: 'blocked',
  sql: (t, p) => `((${t}.state in ('created', 'in_progress', 'pending') and ${t}.blockers <> '{}')
    or (${among(t, SETTLED)} and ${isFree(t)} and (${isOnItsWaySql(t)} or ${isClosed(t)}))
    or (${among(t, BY_ITSELF)} and ${isFree(t)})) and ${p}`,
  cast: 'boolean',
  value: true,
};
