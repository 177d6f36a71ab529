import { allow } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import { sideOfRates } from '../invoices/rate-by-hand.ts';
import { chargesOf, computeCharge, giveBackInstallment, OF_SETTLEMENTS, sumCharges } from '../settlements/charges-of-settlement.ts';
import { loadsOf } from '../settlements/facts-of-invoices.ts';
import { lockSettlement, mustBeEditable } from '../settlements/settlement-commands.ts';
import { type ChargedBill, seenBy } from './charged-bill.ts';

/**
 * Locks a pending settlement whose charges the viewer may change. Those that come by themselves are changed like others: a smaller last
 * installment is the office's affair (BILLING B4).
 * @throws Missing, Denied, Invalid
 */
export async function chargedSettlement(tx: TxContext, path: RecordPath): Promise<ChargedBill> {
  const settlement = await lockSettlement(tx, path, 'edit_settlement');
  const { id, company, side, driver, originalSettlement } = settlement;
  allow(tx, `view_${sideOfRates(side, driver)}_rates`);
  mustBeEditable(settlement);
  return {
    ...{ type: 'Settlement', id, companyId: company.id, payeeDriver: driver ?? null, side, seenBy: seenBy(settlement) },
    uses: ['settlement', side === 'receivable' ? 'invoicing' : 'driver_pay'],
    ...{ rateTypes: OF_SETTLEMENTS, isRebilled: Boolean(originalSettlement) },
    letGo: async ({ autoAddOnAssignment }) => autoAddOnAssignment && giveBackInstallment(tx, autoAddOnAssignment.id),
    async refresh() {
      await tx.em.flush();
      const charges = await chargesOf(tx, settlement);
      const loads = charges.some(({ revenueCostRateType }) => revenueCostRateType === 'PerLoad') ? await loadsOf(tx, id) : 0;
      for (const charge of charges) computeCharge(charge, settlement, loads);
      sumCharges(settlement, charges);
      emitEvent(tx, 'settlement.updated', settlement);
    },
  };
}
