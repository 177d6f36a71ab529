import type { TxContext } from '../../../platform/commands/transact.ts';
import { wakeWorkers } from '../../../platform/commands/wake-workers.ts';
import { worldTime } from '../../../platform/database/time/sandbox-time.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import type { SentDocument } from '../sources/accounting-source.ts';
import { type AccountingDocument, accountingDocumentOf } from './accounting-document.ts';
import { announce, keptOf, type Unnumbered } from './exported-document.ts';
import { type ExportedRecord, exportsOf } from './exported-record.ts';
import { askedBy, referringTo } from './request-export.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/**
 * Takes back in accounting what it has got of a settlement, or of an invoice by itself (BILLING B12): by a document of its own with the same lines the
 * other way round, because nothing that was exported is edited. The system that has it gets it; what somebody entered by hand is offered as a file. It
 * says what was exported, whatever its names and mappings became since. Of what was exported before that was kept, it says what is true now: a settlement must
 * still have its invoices. Either must know on which day it is taken back.
 */
export async function reverseExport(tx: TxContext, record: ExportedRecord): Promise<void> {
  const exported = await tx.em.findOne(SettlementExport, { ...exportsOf(record), reverses: false });
  const linkedAccount = record.exportState === 'exported' ? (exported?.linkedAccount ?? null) : null;
  const kept = keptOf(exported);
  const date = record.reversalDate!;
  const row = Object.assign(new SettlementExport(), {
    ...{ company: record.company, ...referringTo(record), linkedAccount, reverses: true },
    ...{ state: linkedAccount ? 'pending' : 'not_exported', nextAt: linkedAccount ? worldTime(tx.tx) : null },
    document: reversed(kept?.document ?? (await accountingDocumentOf(tx, record)), date),
    ...askedBy(tx),
  });
  if (linkedAccount && kept?.sent) announce(row, takingBack(kept.sent, { id: row.id, of: exported!.integrationInvoiceId ?? null, date }));
  tx.em.persist(row);
  if (linkedAccount) wakeWorkers(tx);
}

const negated = (text: string): string => decimalText(new Decimal(text).negated().plus(0));
const negatedLine = <L extends { quantity: string; amount: string }>(line: L): L => ({
  ...line,
  ...{ quantity: negated(line.quantity), amount: negated(line.amount) },
});
const negatedTax = <T extends { amount: string }>(tax: T): T => ({ ...tax, amount: negated(tax.amount) });
const numberBack = (number: string): string => `${number}-R`;

/** The same the other way round, of the day on which our books take it back: those of the day of the document may be closed. */
const reversed = (document: AccountingDocument, date: string): AccountingDocument => ({
  ...document,
  ...{ date, dueDate: date },
  number: numberBack(document.number),
  lines: document.lines.map(negatedLine),
  taxes: document.taxes.map(negatedTax),
  total: negated(document.total),
});

/** The same of what a system has got: to the same customer, items and account there. @param of what the system called it */
function takingBack(sent: SentDocument, { id, of, date }: { id: string; of: string | null; date: string }): Unnumbered {
  const { id: _id, revision: _revision, number, type, ...rest } = sent;
  return {
    ...{ id, number: numberBack(number), type, reverses: { number, id: of } },
    ...rest,
    ...{ date, due_date: date },
    ...{ lines: rest.lines.map(negatedLine), taxes: rest.taxes.map(negatedTax), total: negated(rest.total) },
  };
}

/** Notes what somebody has found in accounting about a document that was sent and not answered. @param exportedAt null if it is not there */
export async function settleUncertain(tx: TxContext, record: ExportedRecord, exportedAt: Date | null): Promise<void> {
  const row = await tx.em.findOneOrFail(SettlementExport, { ...exportsOf(record), reverses: false });
  const isThere = exportedAt !== null;
  Object.assign(row, { uncertainRevision: null, exportedAt, state: isThere ? 'exported' : 'failed' });
  if (isThere) Object.assign(row, { lastError: null, lastErrorCode: null });
  Object.assign(record, { exportedAt, exportState: isThere ? 'exported' : 'failed' });
}
