import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../../directory/companies/company.entity.ts';
import { Principal, principalOf } from '../../../platform/commands/audit.entity.ts';
import { Audited } from '../../../platform/commands/audit.ts';
import { defineUnique } from '../../../platform/commands/unique.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text, Uuid, Whole } from '../../../platform/model/columns.ts';
import { Computed, Tenant } from '../../../platform/model/decorators.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { LinkedAccount } from '../linked-account.entity.ts';
import type { SentDocument } from '../sources/accounting-source.ts';
import type { AccountingDocument } from './accounting-document.ts';
import { ExportError } from './export-errors.ts';

export const IntegrationExportState = stringEnum('IntegrationExportState', ['not_exported', 'pending', 'exported', 'failed']);
export type IntegrationExportState = keyof typeof IntegrationExportState;

/**
 * A settlement, or an invoice by itself, on its way to an accounting system (BILLING B12): one record for each that somebody exported, also by hand, and one for
 * each that was voided afterwards.
 */
@Entity({ tableName: 'settlement_export' })
@Tenant()
@Audited({ except: ['nextAt', 'attempts', 'sentHash', 'document', 'exportedDocument', 'sent'] })
@ObjectType('IntegrationSettlementExport', { simpleResolvers: true })
export class SettlementExport extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  /** This, or else the invoice. */
  @One(() => Settlement, { hidden: true }) settlement?: Ref<Settlement> | null;
  @One(() => Invoice, { hidden: true }) invoice?: Ref<Invoice> | null;
  /** Null of what somebody has entered in accounting by hand, and of its reversal. */
  @One(() => LinkedAccount, { hidden: true }) linkedAccount?: Ref<LinkedAccount> | null;
  @Flag({ required: true, hidden: true }) reverses: boolean = false;
  /** Of a reversal: what takes back what was exported. */
  @Property({ type: 'json', nullable: true }) document?: AccountingDocument | null;
  /** Of an export: what accounting has got, or was to get at the last try, as it was drawn up then. Null of what was exported before it was kept. */
  @Property({ type: 'json', columnType: 'json', nullable: true }) exportedDocument?: AccountingDocument | null;
  /** The same as its system was to get it last, to the byte, and of a reversal, too. */
  @Property({ type: 'json', columnType: 'json', nullable: true }) sent?: SentDocument | null;
  @Choice(() => IntegrationExportState, { required: true }) state: IntegrationExportState = 'pending';
  @Text() integrationInvoiceId?: string | null;
  @Instant() exportedAt?: Date | null;
  @Text({ description: 'Why it was not taken, in the language of the company; what the system says of it is quoted.' }) lastError?:
    | string
    | null;
  @Choice(() => ExportError, { description: 'The same as a code.' }) lastErrorCode?: ExportError | null;
  /** Grows when the document that is sent is another one than before; a part of its idempotency key. */
  @Whole({ required: true, hidden: true }) revision: number = 0;
  /** The document that the system may have, although it has not said so: it was sent, and no answer came. */
  @Whole({ hidden: true }) uncertainRevision?: number | null;
  /** Of the document that was sent last. */
  @Text({ hidden: true }) sentHash?: string | null;
  /** The lease of the worker, too; null when nothing is to be sent. */
  @Instant({ hidden: true }) nextAt?: Date | null;
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  @Text({ required: true, hidden: true }) exportedByType!: string;
  @Uuid({ hidden: true }) exportedById?: string | null;
  @Text({ hidden: true }) exportedByName?: string | null;
  /** The person or client that acted as that person. */
  @Text({ hidden: true }) realActorType?: string | null;
  @Uuid({ hidden: true }) realActorId?: string | null;
  @Text({ hidden: true }) realActorName?: string | null;

  @Field(() => Principal, { nullable: true })
  @Computed({
    columns: ['exportedByType', 'exportedById', 'exportedByName', 'companyId', 'realActorType', 'realActorId', 'realActorName'],
    compute: (row) => principalOf({ ...row, type: row.exportedByType, id: row.exportedById, name: row.exportedByName }),
  })
  exportedBy!: Principal | null;
}

/** A settlement has one export, which is tried again, and one that takes it back; so does an invoice. */
export const settlementExportKeys = [
  defineUnique('settlement_export_key', { model: 'Settlement', field: 'state', key: 'settlement_exported' }),
  defineUnique('invoice_export_key', { model: 'Invoice', field: 'state', key: 'invoice_in_accounting' }),
];
