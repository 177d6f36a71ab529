import { transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict } from '../../platform/errors.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { payWithin } from './pay-settlement.ts';
import { Settlement } from './settlement.entity.ts';
import { lockSettlement } from './settlement-commands.ts';

const model = 'Settlement';

/**
 * Carries what a vendor or driver owes by a settlement over to the next one (BILLING B9): this one is paid with it.
 * @throws Missing, Denied; Conflict unless it can be paid, and the payee owes something by it
 */
export function carryForwardSettlement(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'pay_settlement');
    const total = settlement.rebillTotalAmount ?? settlement.totalAmount;
    if (settlement.side !== 'payable' || !total.isNegative())
      throw new Conflict([{ model, field: 'totalAmount', key: 'nothing_to_carry_forward' }]);
    await payWithin(tx, settlement);
    settlement.carriedForwardAt = tx.tx.now;
    return settlement;
  });
}

/** Where the balance of a settlement went that was carried forward. */
export const carriedSettlement = relatedFields(Settlement, {
  balanceCarriedTo: {
    single: () => Settlement,
    on: (to, from) =>
      `${to}.state <> 'voided' and ${to}.id in (select bc.add_on_applicable_id from add_on_charge bc where bc.balance_of_id = ${from}.id)`,
    description: 'Of a settlement whose balance was carried forward: the one that charges it; null until there is one.',
  },
});
