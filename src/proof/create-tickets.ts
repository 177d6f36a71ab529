import { setOfNew } from '../platform/commands/audit.ts';
import type { Records } from '../platform/commands/records.ts';
import type { SetTx } from '../platform/commands/set-tx.ts';
import { insertRows } from '../platform/database/sql.ts';

/** A ticket that is to be made: checked, and with its load found. */
export interface NewTicket {
  id: string;
  /** Of whoever sent it. */
  records: Records;
  /** By column; every ticket has the same ones. */
  columns: Readonly<Record<string, unknown>> & { state: 'new' | 'pending'; job_id: string | null };
}

/**
 * Makes tickets of a company in one statement, `pending` when their job is known, as createTicket does. The load was locked, and had
 * no ticket.
 */
export async function createTickets(tx: SetTx, companyId: string, tickets: readonly NewTicket[]): Promise<void> {
  const at = tx.now.toISOString();
  const rows = tickets.map(({ id, columns }) => ({
    ...{ id, created_at: at, updated_at: at, company_id: companyId },
    ...{ flagged: false, ocr_processed: false, ai_processed: false, version: 1 },
    ...columns,
  }));
  for (const { id, records, columns } of tickets) {
    const of = { type: 'Ticket', id, companyId };
    records.events.push({ name: 'ticket.created', ...of, payload: { state: columns.state } });
    if (columns.job_id) records.transitions.push({ ...of, event: 'link', from: 'new', to: 'pending' });
    const given = Object.entries(columns).filter(([, value]) => value !== null);
    records.audits.push({ event: 'create', ...of, changes: setOfNew(Object.fromEntries(given)) });
  }
  await insertRows(tx.em, 'ticket', rows);
}
