import { FieldResolver, Resolver, Root } from 'type-graphql';
import { extendEntity } from '../platform/model/decorators.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { Settlement } from './settlements/settlement.entity.ts';

export const settledInvoiceExtension = extendEntity(Invoice, {
  settlement: {
    single: () => Settlement,
    on: (s, i) => `${s}.id in (select ls.settlement_id from settlement_invoice ls where ls.invoice_id = ${i}.id and ls.live)`,
  },
});

interface Settled extends Invoice {
  settlement?: Settlement | null;
}

/** Where an invoice is settled, for those who see that settlement; the planner reads it with the invoice itself. */
@Resolver(() => Invoice)
export class SettledInvoiceResolver {
  @FieldResolver(() => Settlement, {
    nullable: true,
    description: 'The settlement that has it; null while none has. A voided one has none.',
  })
  settlement(@Root() { settlement }: Settled): Settlement | null {
    return settlement ?? null;
  }
}
