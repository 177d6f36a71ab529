import type { TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { isClosed } from '../../periods/books.ts';
import type { FigureJson } from '../../pricing/figure-json.ts';
import type { Line } from '../../pricing/freight.ts';
import type { LoadOfJob } from '../facts/job-facts.ts';
import type { Invoice } from '../invoice.entity.ts';

const SETTLED = 'select from settlement_invoice x where x.invoice_id = any($1::uuid[]) and x.live limit 1';

/** Whether an invoice cannot be unapproved any more, apart from those that are settled. */
const isGone = ({ state }: Pick<Invoice, 'state'>): boolean => state !== 'approved';

const IS_SETTLED = 'select from settlement_invoice where invoice_id = $1 and live';

/** Whether an approved invoice is not taken back any more: it is settled, sent, paid or exported, or its period is closed (BILLING B5). */
export const isLocked = async (tx: TxContext, invoice: Invoice): Promise<boolean> =>
  isGone(invoice) || (await queryIn(tx.em, IS_SETTLED, [invoice.id])).length > 0 || (await isClosed(tx, invoice));

/**
 * Loads of which another quantity was billed before their ticket came: as it was reported, or by another ticket.
 * @param differing what differs of the lines that were billed
 */
export function ticketedLate(loads: readonly LoadOfJob[], frozen: readonly Invoice[], differing: readonly Line[]): LoadOfJob[] {
  const other = new Set(
    differing.flatMap(({ loadId, correctsId, delivered }) => (correctsId && !delivered.value.isZero() ? [loadId] : [])),
  );
  if (other.size === 0) return [];
  const known = new Set<string>();
  for (const { explain } of frozen) if (explain) noteTickets(explain as FigureJson, known);
  return loads.filter(({ id, ticketId }) => other.has(id) && ticketId !== null && !known.has(ticketId));
}

function noteTickets({ source, parts = [] }: FigureJson, known: Set<string>): void {
  if (source?.type === 'Ticket') known.add(source.id);
  for (const part of parts) noteTickets(part, known);
}

/**
 * Whether what came after the work was billed is billed by itself: what is settled, sent, paid, exported or of a closed period is not taken back for it.
 * Whoever can take the approval back decides, and reads that the invoice is stale.
 * @param frozen the invoices whose approval would be taken back for it
 */
export async function billsLateWork(tx: TxContext, frozen: readonly Invoice[]): Promise<boolean> {
  if (frozen.some(isGone)) return true;
  const ids = frozen.map((one) => one.id);
  if ((await queryIn(tx.em, SETTLED, [ids])).length > 0) return true;
  for (const one of frozen) if (await isClosed(tx, one)) return true;
  return false;
}
