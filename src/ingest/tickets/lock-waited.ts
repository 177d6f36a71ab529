import { namedStatement } from '../../platform/database/named-statements.ts';
import type { WaitingTicket } from '../../proof/waiting-tickets.ts';
import type { BatchTx } from '../importer.ts';
import { lockOrders, type Naming } from './lock-jobs.ts';

const WAITING = namedStatement(`
select w.ticket_id, w.order_id, w.order_external_id, w.dispatch_number, (extract(epoch from t.service_date) * 1000)::float8 as served
from waiting_ticket w join ticket t on t.id = w.ticket_id where w.ticket_id = any($1::uuid[]) and t.service_date is not null`);

type Waiting = Pick<WaitingTicket, 'ticket_id' | 'order_id' | 'order_external_id' | 'dispatch_number'> & { served: number };

/**
 * Locks the orders for which tickets of the batch's company wait, before these tickets are locked (`linkTickets`): every command that links a ticket to a load
 * locks the order first, and two that lock them the other way round would wait for each other.
 * @returns those of the tickets that wait
 */
export async function lockWaited(tx: BatchTx, ticketIds: readonly string[]): Promise<string[]> {
  if (ticketIds.length === 0) return [];
  const waiting = await tx.query<Waiting & Record<string, unknown>>(WAITING, [ticketIds]);
  const names = waiting.map(
    (one): Naming => ({
      platformOrderId: one.order_id ?? undefined,
      orderExternalId: one.order_external_id ?? undefined,
      dispatchNumber: one.dispatch_number ?? undefined,
      serviceDate: new Date(one.served),
    }),
  );
  await lockOrders(tx, names, false);
  return waiting.map(({ ticket_id }) => ticket_id);
}
