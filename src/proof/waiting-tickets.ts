import { lockArrivals } from '../files/parked-files.ts';
import type { SetTx } from '../platform/commands/set-tx.ts';
import { insertRows } from '../platform/database/sql.ts';
import { isUuid } from '../platform/ids.ts';

/** A ticket without a load, and what its sender said of its order: one of `order_id`, `order_external_id` and `dispatch_number`. */
export interface WaitingTicket {
  ticket_id: string;
  company_id: string;
  /** The imported record that reports what the ticket lacks. */
  record_id: string;
  order_id: string | null;
  order_external_id: string | null;
  dispatch_number: string | null;
  /** The ticket's day `YYYY-MM-DD` in the company's zone, for a dispatch number. */
  day: string | null;
  vendor_id: string | null;
  /** The limits of the sender; null if there are none. */
  site_ids: string[] | null;
  person_id: string | null;
}

/** Lets tickets wait for work to which they belong. */
export const letWait = (tx: SetTx, tickets: readonly WaitingTicket[]): Promise<void> => insertRows(tx.em, 'waiting_ticket', tickets);

/** Ends the wait of tickets that have a load, or whose load a person decides. */
export async function endWait({ query }: Pick<SetTx, 'query'>, ticketIds: readonly string[]): Promise<void> {
  if (ticketIds.length > 0) await query('delete from waiting_ticket where ticket_id = any($1::uuid[])', [ticketIds]);
}

/**
 * Before a waiting ticket gets another day: waits for orders that are being made, so that either the ticket finds the order or the order finds the ticket. Call
 * it before anything else is locked.
 */
export async function expectWork({ query }: Pick<SetTx, 'query'>, ticketId: string): Promise<void> {
  if (!isUuid(ticketId)) return;
  const [waiting] = await query<{ company_id: string }>(
    'select company_id from waiting_ticket where ticket_id = $1 and dispatch_number is not null',
    [ticketId],
  );
  if (waiting) await lockArrivals(query, waiting.company_id, 'file');
}
