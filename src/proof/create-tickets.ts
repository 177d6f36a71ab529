import type { AuditRecord, Records } from '../platform/commands/records.ts';
import type { SetTx } from '../platform/commands/set-tx.ts';
import { insertRows } from '../platform/database/sql.ts';
import type { TicketState } from './ticket.machine.ts';

/** A new ticket, which was checked and whose load was found. */
export interface NewTicket {
  id: string;
  /** Collects the outbox and audit rows in the name of its author. */
  records: Records;
  /** Values by column; every ticket of a batch has the same columns. */
  columns: Readonly<Record<string, unknown>> & { state: TicketState };
  /** The changes of its audit entry. */
  changes: AuditRecord['changes'];
}

/**
 * Creates tickets of a company in one statement: one for createTicket, a batch for imports. Their loads were locked and had no ticket. A ticket
 * whose job is known begins as `pending`, one of the machine's initial states, so its creation is no transition.
 */
export async function createTickets(tx: SetTx, companyId: string, tickets: readonly NewTicket[]): Promise<void> {
  const at = tx.now.toISOString();
  const stamps = { created_at: at, updated_at: at, company_id: companyId, version: 1 };
  for (const { id, records, columns, changes } of tickets) {
    const of = { type: 'Ticket', id, companyId };
    records.events.push({ name: 'ticket.created', ...of, payload: { state: columns.state } });
    records.audits.push({ event: 'create', ...of, changes });
  }
  await insertRows(
    tx.em,
    'ticket',
    tickets.map(({ id, columns }) => ({ ...columns, ...stamps, id })),
  );
}
