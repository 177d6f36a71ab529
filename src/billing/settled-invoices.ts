import { relatedFields } from '../platform/model/related-fields.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { Settlement } from './settlements/settlement.entity.ts';

/** Where an invoice is settled, for those who see that settlement. */
export const settledInvoice = relatedFields(Invoice, {
  settlement: {
    single: () => Settlement,
    on: (s, i) => `${s}.id in (select ls.settlement_id from settlement_invoice ls where ls.invoice_id = ${i}.id and ls.live)`,
    description: 'The settlement that has it; null while none has. A voided one has none.',
  },
});
