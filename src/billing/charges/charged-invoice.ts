import { allow } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { isSupplement } from '../invoices/invoice.machine.ts';
import { lockInvoice, refresh, refuseUneditable } from '../invoices/invoice-commands.ts';
import { sideOfRates } from '../invoices/rate-by-hand.ts';
import { type ChargedBill, seenBy } from './charged-bill.ts';

/** Locks a pending invoice whose charges the viewer may change. @throws Missing, Denied, Invalid */
export async function chargedInvoice(tx: TxContext, path: RecordPath): Promise<ChargedBill> {
  const invoice = await lockInvoice(tx, path, 'edit_invoice');
  allow(tx, `view_${sideOfRates(invoice.side, invoice.payeeDriver)}_rates`);
  await refuseUneditable(tx, invoice);
  // A later charge is requested for the work, so that the next supplement does not take it for a difference.
  if (isSupplement(invoice)) throw new Invalid([{ model: 'Invoice', field: 'reason', key: 'charges_of_supplement' }]);
  return {
    ...{ type: 'Invoice', id: invoice.id, companyId: invoice.company.id, side: invoice.side, seenBy: seenBy(invoice) },
    job: invoice.job?.id ?? { driverDayId: invoice.driverDay!.id },
    uses: invoice.side === 'receivable' ? ['invoicing', 'job'] : ['driver_pay', 'job'],
    payeeDriver: invoice.payeeDriver ?? null,
    isRebilled: false,
    async refresh() {
      await tx.em.flush();
      await refresh(tx, invoice);
    },
  };
}
