import type { GraphQLResolveInfo } from 'graphql';
import { Arg, type ClassType, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { companyArg, mutationsOf, requires, withInput } from '../../../platform/graphql/record-mutations.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { NoteInvoiceExportInput } from './export.inputs.ts';
import { exportInvoice, noteInvoiceExport } from './export-invoice.ts';
import { exportSettlement } from './export-settlement.ts';

type Export = (ctx: Context, path: RecordPath, linkedAccountId?: string | null) => Promise<{ id: string }>;

/** A mutation that sends a record to a linked accounting system, and answers with the record. */
function exportMutation<T extends object>(entity: ClassType<T>, name: string, send: Export, description: string): Function {
  @Resolver(() => entity)
  class ExportMutation {
    @Mutation(() => entity, { name, description })
    @Requires(MANAGES_ACCOUNTING)
    async run(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('linkedAccountId', () => ID, {
        nullable: true,
        description: 'The system; by default, the only one that is linked, or the only one that knows the customer or vendor.',
      })
      linkedAccountId?: string,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
    ): Promise<T> {
      await send(ctx, { id, companyId }, linkedAccountId);
      return ctx.read.one(entity, info, { id });
    }
  }
  return ExportMutation;
}

export const SettlementExportMutation = exportMutation(
  Settlement,
  'exportSettlement',
  exportSettlement,
  'Has a settlement sent to a linked accounting system.',
);
export const InvoiceExportMutation = exportMutation(
  Invoice,
  'exportInvoice',
  exportInvoice,
  'Has an invoice sent to a linked accounting system by itself; where none is linked, notes that it was handed to accounting.',
);
export const NoteInvoiceExportMutation = mutationsOf(Invoice, {
  noteInvoiceExport: requires(
    [MANAGES_ACCOUNTING],
    withInput(NoteInvoiceExportInput, noteInvoiceExport, 'Notes whether accounting has an invoice that was sent to it, and not answered.'),
  ),
});
