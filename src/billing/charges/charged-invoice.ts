import { allow } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import type { AddOnType } from '../add-ons/add-on.entity.ts';
import { lockInvoice, refresh, refuseUneditable } from '../invoices/invoice-commands.ts';
import { sideOfRates } from '../invoices/rate-by-hand.ts';

/** An invoice to which charges are added. */
export interface ChargedInvoice {
  type: 'Invoice';
  id: string;
  companyId: string;
  /** The job whose loads a charge may name; that of no load for the pay of a day. */
  job: string | { driverDayId: string };
  /** What an add-on must be for. */
  uses: readonly AddOnType[];
  /** Prices the invoice with the charges that it has now. */
  refresh(): Promise<void>;
}

/** Locks a pending invoice whose charges the viewer may change. @throws Missing, Denied, Invalid */
export async function chargedInvoice(tx: TxContext, path: RecordPath): Promise<ChargedInvoice> {
  const invoice = await lockInvoice(tx, path, 'edit_invoice');
  allow(tx, `view_${sideOfRates(invoice.side, invoice.payeeDriver)}_rates`);
  refuseUneditable(invoice);
  return {
    ...{ type: 'Invoice', id: invoice.id, companyId: invoice.company.id },
    job: invoice.job?.id ?? { driverDayId: invoice.driverDay!.id },
    uses: invoice.side === 'receivable' ? ['invoicing', 'job'] : ['driver_pay', 'job'],
    async refresh() {
      await tx.em.flush();
      await refresh(tx, invoice);
    },
  };
}
