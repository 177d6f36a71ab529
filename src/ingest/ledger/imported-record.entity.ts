import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Instant, One, stringEnum, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { Json } from '../../platform/scalars.ts';
import { ImportKind } from '../importer.ts';
import { ImportWarningCode } from '../warning-codes.ts';
import { resultSql, supersededBySql } from './duplicates.ts';

/** SPEC "Imported record state". */
export const ImportedRecordState = stringEnum('ImportedRecordState', [
  'created',
  'processed',
  'failed',
  'exhausted',
  'skipped',
  'skipped_update',
]);
export type ImportedRecordState = keyof typeof ImportedRecordState;

/** A part of a payload that was dropped, guessed or replaced. A failed record has warnings in addition to its errors. */
@ObjectType({ simpleResolvers: true })
export class ImportWarning {
  @Field(() => ImportWarningCode) code!: ImportWarningCode;
  /** JSON pointer into the payload. */
  @Field(() => String) pointer!: string;
  @Field(() => Json, { nullable: true }) given?: unknown;
  @Field(() => Json, { nullable: true }) used?: unknown;
}

/**
 * One element that a sender posted, and its outcome. The ledger's statements write it (src/ingest/ledger), the planner reads it; the unit
 * of work never changes it.
 */
@Entity({ tableName: 'imported_record' })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ImportedRecord {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => ImportKind, { required: true }) kind!: ImportKind;
  /** The external id or ticket number; null if the element had none. */
  @Text() importedFor?: string | null;
  @Instant({ required: true }) importReceivedAt: Date = new Date();
  /** The request with which the element came, and its place there. */
  @Uuid({ required: true }) batchId!: string;
  @Whole({ required: true }) batchIndex!: number;
  /** Order of receipt, over all companies. */
  @Property({ type: 'bigint' }) sequence!: string;
  @Choice(() => ImportedRecordState, { required: true }) state: ImportedRecordState = 'created';
  /** The element as it was sent. */
  @Property({ type: 'json', columnType: 'json' }) @Field(() => Json, { nullable: true }) payload!: unknown;
  @Property({ type: 'blob' }) payloadHash!: Buffer;
  @Property({ type: 'json', columnType: 'json', nullable: true }) @Field(() => Json, { nullable: true }) metadata?: unknown;
  @Whole({ required: true }) attempts: number = 0;
  @Instant() nextAttemptAt?: Date | null;
  /** When the state became final. */
  @Instant() processedAt?: Date | null;
  /** `code: pointer: message`. */
  @Text() lastError?: string | null;
  @Property({ type: 'json', columnType: 'json' }) @Field(() => [ImportWarning]) warnings: ImportWarning[] = [];
  /** The record that it created or changed; for a duplicate, the record of the element before it. */
  @Computed({ sql: resultSql })
  @Uuid()
  resultId?: string | null;
  /** The newer record of its key that replaced this one, if it was skipped as `superseded`. */
  @Computed({ sql: supersededBySql })
  @Field(() => ID, { nullable: true })
  supersededBy?: string | null;
  /** Every statement that changes what is read of it says so. Of a record that was read back from an archive of before, it is not known. */
  @Instant({ hidden: true }) updatedAt?: Date | null;
  /** The failed record that this corrected payload replaces. */
  @Uuid() resubmittedFrom?: string | null;
}

// A record is created when it is received. This is the planner's default order, which has its own index.
export const importedRecordSorts = defineSorts(ImportedRecord, {
  createdAt: { sql: (t) => `${t}.import_received_at`, cast: 'timestamptz' },
  batchIndex: { sql: (t) => `${t}.batch_index`, cast: 'integer' },
});
