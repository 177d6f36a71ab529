import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { settlementOfSql } from '../settlements/settlement-number.ts';
import type { Invoice } from './invoice.entity.ts';

const LIVE = `select ${settlementOfSql('$1')} as settlement`;

/**
 * Refuses what is done to a settled invoice by itself: it is paid, exported and taken back with its settlement (BILLING B5). The invoice must be
 * locked. @throws Conflict naming the settlement
 */
export async function refuseSettled(tx: TxContext, { id, state }: Invoice, event: string): Promise<void> {
  const [found] = await queryIn<{ settlement: string | null }>(tx.em, LIVE, [id]);
  if (!found?.settlement) return;
  const refused = { model: 'Invoice', field: 'state', state, event };
  throw new Conflict([{ ...refused, key: 'in_settlement', params: { settlement: found.settlement } }]);
}
