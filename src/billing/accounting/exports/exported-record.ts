import { settlementNumber } from '../../../dispatch/fields/settlement-number.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import type { Settlement } from '../../settlements/settlement.entity.ts';

/** A record that goes to accounting: a settlement, or an invoice by itself (BILLING B2.1, B9). */
export type ExportedRecord = Settlement | Invoice;

export const isInvoice = (record: ExportedRecord): record is Invoice => record instanceof Invoice;

/** Which exports are those of a record. */
export const exportsOf = (record: ExportedRecord): { invoice: string } | { settlement: string } =>
  isInvoice(record) ? { invoice: record.id } : { settlement: record.id };

/** Its number in accounting. */
export const numberOf = (record: ExportedRecord): string =>
  isInvoice(record) ? record.invoiceId : settlementNumber(record.side, record.number);
