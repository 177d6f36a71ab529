import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Mutation, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../../platform/model/decorators.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { NoteInvoiceExportInput } from './export.inputs.ts';
import { exportInvoice, noteInvoiceExport } from './export-invoice.ts';
import { SettlementExport } from './settlement-export.entity.ts';

export const exportedInvoiceExtension = extendEntity(Invoice, {
  accountingExport: { single: () => SettlementExport, on: (e, i) => `${e}.invoice_id = ${i}.id and not ${e}.reverses` },
  accountingReversal: { single: () => SettlementExport, on: (e, i) => `${e}.invoice_id = ${i}.id and ${e}.reverses` },
});

interface Exported extends Invoice {
  accountingExport?: SettlementExport | null;
  accountingReversal?: SettlementExport | null;
}

/** Invoices that go to accounting by themselves, and how far they are; the planner reads that with the invoice itself. */
@Resolver(() => Invoice)
export class InvoiceExportResolver {
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

  @Mutation(() => Invoice, {
    description:
      'Has an invoice sent to a linked accounting system by itself; where none is linked, notes that it was handed to accounting.',
  })
  @Requires(MANAGES_ACCOUNTING)
  async exportInvoice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('linkedAccountId', () => ID, {
      nullable: true,
      description: 'The system; by default, the only one that is linked, or the only one that knows the customer or vendor.',
    })
    linkedAccountId?: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    await exportInvoice(ctx, { id, companyId }, linkedAccountId);
    return ctx.read.one(Invoice, info, { id });
  }

  @Mutation(() => Invoice, { description: 'Notes whether accounting has an invoice that was sent to it, and not answered.' })
  @Requires(MANAGES_ACCOUNTING)
  async noteInvoiceExport(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => NoteInvoiceExportInput) input: NoteInvoiceExportInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    await noteInvoiceExport(ctx, { id, companyId }, input);
    return ctx.read.one(Invoice, info, { id });
  }
}
