import { relatedFields } from '../../../platform/model/related-fields.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** The exports of an invoice that goes to accounting by itself. */
export const exportedInvoice = relatedFields(Invoice, {
  accountingExport: {
    single: () => SettlementExport,
    on: (e, i) => `${e}.invoice_id = ${i}.id and not ${e}.reverses and ${e}.linked_account_id is not null`,
    description: 'How it was sent to an accounting system by itself; null if it was not.',
  },
  accountingReversal: {
    single: () => SettlementExport,
    on: (e, i) => `${e}.invoice_id = ${i}.id and ${e}.reverses`,
    description: 'How it is taken back in accounting; null unless it was voided after it was exported by itself.',
  },
});
