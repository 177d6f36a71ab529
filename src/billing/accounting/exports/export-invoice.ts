import { emitEvent, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { Invalid } from '../../../platform/errors.ts';
import { conflict } from '../../../platform/state/machine.ts';
import { compareStale } from '../../invoices/following/compare-again.ts';
import { invoiceMachine } from '../../invoices/invoice.machine.ts';
import { lockInvoice } from '../../invoices/invoice-commands.ts';
import { refuseSettled } from '../../invoices/refuse-settled.ts';
import { shareBooks } from '../../periods/books.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import type { NoteInvoiceExportInput } from './export.inputs.ts';
import { keepExported } from './exported-document.ts';
import { hasPushingSystem } from './pushing-system.ts';
import { requestExport } from './request-export.ts';
import { settleUncertain } from './reverse-export.ts';

const model = 'Invoice';

/**
 * Has an invoice by itself sent to an accounting system, which exports it when the system has taken it; where no system is linked, and of the pay of a
 * driver, notes that somebody has entered it there. One that is on its way stays so.
 * @param linkedAccountId by default, the only system that is linked, or the only one that knows the customer or vendor
 * @throws Missing, Denied, Conflict; Invalid naming `linkedAccountId`
 */
export function exportInvoice(ctx: Context, path: RecordPath, linkedAccountId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, MANAGES_ACCOUNTING);
    await shareBooks(tx, invoice.company.id);
    await refuseSettled(tx, invoice, 'export');
    if (invoice.exportState === 'pending') return invoice;
    if (invoice.payeeDriver && linkedAccountId != null)
      throw new Invalid([{ model, field: 'linkedAccountId', key: 'export_pay_of_driver' }]);
    // The pay of drivers goes to no system: somebody imports its file, and notes that.
    const isSent =
      !invoice.payeeDriver &&
      (linkedAccountId != null || invoice.exportState === 'uncertain' || (await hasPushingSystem(tx, invoice.company.id)));
    if (!isSent) {
      invoiceMachine.fire(tx, invoice, 'export');
      invoice.exportedAt = tx.tx.now;
      await keepExported(tx, invoice);
      await compareStale(tx, [invoice.id]);
      return invoice;
    }
    if (!invoiceMachine.can(invoice, 'export'))
      throw conflict(model, invoice, 'export', invoice.exportedAt ? 'invoice_in_accounting' : undefined);
    await requestExport(tx, invoice, linkedAccountId);
    emitEvent(tx, 'invoice.export_requested', invoice);
    return invoice;
  });
}

/**
 * Notes what somebody has found in accounting about an invoice that was sent and not answered. @throws Missing, Denied; Conflict for any other one, Invalid
 * if nothing is said, or a time that is still to come
 */
export function noteInvoiceExport(ctx: Context, path: RecordPath, { exportedAt }: NoteInvoiceExportInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, MANAGES_ACCOUNTING);
    await shareBooks(tx, invoice.company.id);
    if (invoice.exportState !== 'uncertain') throw conflict(model, invoice, 'export', 'invoice_export_certain');
    const refuse = (key: string) => new Invalid([{ model, field: 'exportedAt', key }]);
    // Null says that it is not there, which opens the way for another document: a field that was forgotten or misspelled says nothing.
    if (exportedAt === undefined) throw refuse('required');
    if (exportedAt && exportedAt > tx.tx.now) throw refuse('in_the_future');
    if (exportedAt) invoiceMachine.fire(tx, invoice, 'export');
    await settleUncertain(tx, invoice, exportedAt);
    if (exportedAt) await compareStale(tx, [invoice.id]);
    return invoice;
  });
}
