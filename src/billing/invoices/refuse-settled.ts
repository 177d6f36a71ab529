import { settlementOfSql } from '../../dispatch/fields/settlement-number.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import type { Invoice } from './invoice.entity.ts';

const LIVE = `select ${settlementOfSql('$1')} as settlement, (select s.sent_to_company_id is not null from settlement_invoice x
  join settlement s on s.id = x.settlement_id where x.invoice_id = $1 and x.live) as sent`;

/**
 * Refuses what is done to a settled invoice by itself: it is paid, exported and taken back with its settlement (BILLING B5). The invoice must be
 * locked. @throws Conflict naming the settlement
 */
export async function refuseSettled(tx: TxContext, invoice: Invoice, event: string): Promise<void> {
  const found = await settlementOf(tx, invoice);
  if (found) throw refusal(invoice, event, 'in_settlement', found);
}

/** Refuses what the customer answers to an invoice by itself that was sent to it with its settlement. @throws Conflict naming the settlement */
export async function refuseSentSettled(tx: TxContext, invoice: Invoice, event: string): Promise<void> {
  const found = await settlementOf(tx, invoice);
  if (found?.sent) throw refusal(invoice, event, 'in_sent_settlement', found);
}

/** Whether a settlement has an invoice, which must be locked. */
export const isSettled = async (tx: TxContext, invoice: Invoice): Promise<boolean> => (await settlementOf(tx, invoice)) !== undefined;

interface Live {
  settlement: string;
  sent: boolean;
}
async function settlementOf(tx: TxContext, { id }: Invoice): Promise<Live | undefined> {
  const [found] = await queryIn<Live | { settlement: null; sent: null }>(tx.em, LIVE, [id]);
  return found?.settlement ? found : undefined;
}
const refusal = ({ state }: Invoice, event: string, key: string, { settlement }: Live): Conflict =>
  new Conflict([{ model: 'Invoice', field: 'state', state, event, key, params: { settlement } }]);
