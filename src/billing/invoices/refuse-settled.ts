import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import type { Invoice } from './invoice.entity.ts';

const LIVE = `select case s.side when 'receivable' then 'AR-' else 'AP-' end || s.number as settlement
  from settlement_invoice x join settlement s on s.id = x.settlement_id where x.invoice_id = $1 and x.live`;

/**
 * Refuses what is done to a settled invoice by itself: it is paid, exported and taken back with its settlement (BILLING B5). The invoice must be
 * locked. @throws Conflict naming the settlement
 */
export async function refuseSettled(tx: TxContext, { id, state }: Invoice, event: string): Promise<void> {
  const [found] = await queryIn<{ settlement: string }>(tx.em, LIVE, [id]);
  if (!found) return;
  const refused = { model: 'Invoice', field: 'state', state, event };
  throw new Conflict([{ ...refused, key: 'in_settlement', params: { settlement: found.settlement } }]);
}
