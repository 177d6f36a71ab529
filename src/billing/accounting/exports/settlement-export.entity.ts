import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../../directory/companies/company.entity.ts';
import { Principal, principalOf } from '../../../platform/commands/audit.entity.ts';
import { Audited } from '../../../platform/commands/audit.ts';
import { defineUnique } from '../../../platform/commands/unique.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Uuid, Whole } from '../../../platform/model/columns.ts';
import { Computed, Tenant } from '../../../platform/model/decorators.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { LinkedAccount } from '../linked-account.entity.ts';

export const IntegrationExportState = stringEnum('IntegrationExportState', ['not_exported', 'pending', 'exported', 'failed']);
export type IntegrationExportState = keyof typeof IntegrationExportState;

/** A settlement on its way to an accounting system (BILLING B12): one record for each settlement that somebody exported. */
@Entity({ tableName: 'settlement_export' })
@Tenant()
@Audited({ except: ['nextAt', 'attempts', 'sentHash'] })
@ObjectType('IntegrationSettlementExport', { simpleResolvers: true })
export class SettlementExport extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Settlement, { required: true, hidden: true }) settlement!: Ref<Settlement>;
  @One(() => LinkedAccount, { required: true, hidden: true }) linkedAccount!: Ref<LinkedAccount>;
  @Choice(() => IntegrationExportState, { required: true }) state: IntegrationExportState = 'pending';
  @Text() integrationInvoiceId?: string | null;
  @Instant() exportedAt?: Date | null;
  @Text() lastError?: string | null;
  /** Grows when the document that is sent is another one than before; a part of its idempotency key. */
  @Whole({ required: true, hidden: true }) revision: number = 0;
  /** Of the document that was sent last. */
  @Text({ hidden: true }) sentHash?: string | null;
  /** The lease of the worker, too; null when nothing is to be sent. */
  @Instant({ hidden: true }) nextAt?: Date | null;
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  @Text({ required: true, hidden: true }) exportedByType!: string;
  @Uuid({ hidden: true }) exportedById?: string | null;
  @Text({ hidden: true }) exportedByName?: string | null;
  /** Who acted as that person. */
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

/** A settlement has one export, which is tried again. */
export const settlementExportKey = defineUnique('settlement_export_key', {
  model: 'Settlement',
  field: 'state',
  key: 'settlement_exported',
});
