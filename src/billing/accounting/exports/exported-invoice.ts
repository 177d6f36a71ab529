import { FieldResolver, Resolver, Root } from 'type-graphql';
import { extendEntity } from '../../../platform/model/decorators.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { SettlementExport } from './settlement-export.entity.ts';

export const exportedInvoiceExtension = extendEntity(Invoice, {
  accountingExport: { single: () => SettlementExport, on: (e, i) => `${e}.invoice_id = ${i}.id and not ${e}.reverses` },
  accountingReversal: { single: () => SettlementExport, on: (e, i) => `${e}.invoice_id = ${i}.id and ${e}.reverses` },
});

interface Exported extends Invoice {
  accountingExport?: SettlementExport | null;
  accountingReversal?: SettlementExport | null;
}

/** How far an invoice is that goes to accounting by itself; the planner reads it with the invoice. */
@Resolver(() => Invoice)
export class ExportedInvoiceResolver {
  @FieldResolver(() => SettlementExport, {
    nullable: true,
    description: 'How it was sent to an accounting system by itself; null if it was not.',
  })
  accountingExport(@Root() { accountingExport }: Exported): SettlementExport | null {
    return accountingExport ?? null;
  }

  @FieldResolver(() => SettlementExport, {
    nullable: true,
    description: 'How it is taken back in accounting; null unless it was voided after it was exported by itself.',
  })
  accountingReversal(@Root() { accountingReversal }: Exported): SettlementExport | null {
    return accountingReversal ?? null;
  }
}
