import { createUnionType, Field, ID, Int, ObjectType } from 'type-graphql';
import { AuditEvent } from '../../platform/commands/audit-event.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { isObject } from '../../platform/json/objects.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { Json } from '../../platform/scalars.ts';
import { dryRun } from '../dry-run/dry-run.ts';
import type { Importer, MatchedBy } from '../importer.ts';
import { admit } from '../ledger/admit.ts';
import { isTooDeep, LEVELS } from '../ledger/depth.ts';
import { ImportedRecordState, ImportWarning } from '../ledger/imported-record.entity.ts';
import { repeatedFields } from '../payload/repeated-fields.ts';

/** The receipt of one element: the record by which its outcome can be requested. */
@ObjectType({ simpleResolvers: true })
export class ImportReceiptRecord {
  /** Place of the element in the request, from 0. */
  @Field(() => Int) index!: number;
  @Field(() => ID) id!: string;
  @Field(() => String, { nullable: true }) importedFor!: string | null;
  @Field(() => ImportedRecordState) state!: ImportedRecordState;
}

/** The receipt of one accepted request. */
@ObjectType({ simpleResolvers: true })
export class ImportReceipt {
  @Field(() => ID) batchId!: string;
  /** In the order of the elements. */
  @Field(() => [ImportReceiptRecord]) records!: ImportReceiptRecord[];
}

const MatchKey = stringEnum('ImportMatchedBy', [
  'name',
  'external_id',
  'name_and_external_id',
  'email',
  'phone',
  'platform_order_id',
  'dispatch_number',
  'created',
]);

/** A record that a payload names, and the key by which it would be found. */
@ObjectType({ simpleResolvers: true })
export class ImportMatch {
  /** JSON pointer into the element; empty for the record the element itself is about. */
  @Field(() => String) pointer!: string;
  @Field(() => String) model!: string;
  @Field(() => ID, { nullable: true, description: 'Null for a record that would be created.' }) id!: string | null;
  @Field(() => MatchKey) by!: MatchedBy;
}

@ObjectType({ simpleResolvers: true })
export class ImportFieldChange {
  @Field(() => String) field!: string;
  @Field(() => Json, { nullable: true }) before?: unknown;
  @Field(() => Json, { nullable: true }) after?: unknown;
}

/** A record that would be created, or fields of a known one that would change. */
@ObjectType({ simpleResolvers: true })
export class ImportChange {
  @Field(() => String) model!: string;
  @Field(() => ID, { nullable: true, description: 'Null for a record that would be created.' }) id!: string | null;
  @Field(() => AuditEvent) event!: AuditEvent;
  @Field(() => [ImportFieldChange]) fields!: ImportFieldChange[];
}

/** The effect that the real run would have for one element. */
@ObjectType({ simpleResolvers: true })
export class ImportPreviewRecord {
  @Field(() => Int) index!: number;
  @Field(() => String, { nullable: true }) importedFor!: string | null;
  @Field(() => ImportedRecordState, { description: 'The state the record would have after the first attempt.' })
  state!: ImportedRecordState;
  @Field(() => String, { nullable: true }) lastError!: string | null;
  @Field(() => [ImportWarning]) warnings!: ImportWarning[];
  @Field(() => ID, { nullable: true, description: 'The record that would change; null if one would be created.' }) resultId!: string | null;
  @Field(() => [ImportMatch]) matches!: ImportMatch[];
  @Field(() => [ImportChange]) changes!: ImportChange[];
}

/** The answer to a dry run. Nothing was stored. */
@ObjectType({ simpleResolvers: true })
export class ImportPreview {
  @Field(() => [ImportPreviewRecord]) records!: ImportPreviewRecord[];
}

export const ImportAnswer = createUnionType({
  name: 'ImportAnswer',
  description: 'A receipt; with `dryRun`, a preview of what a real run would do.',
  types: () => [ImportReceipt, ImportPreview] as const,
  resolveType: (answer) => ('batchId' in answer ? ImportReceipt : ImportPreview),
});

/** The most elements of one request (SPEC leaves it open; docs/importer.md publishes it). */
const MOST = 1_000;

/**
 * Stores the elements of one request, or runs them dry.
 * @throws Invalid for no elements or more than 1,000, or metadata that is no object, and as `admit` and `dryRun`
 */
export async function acceptBatch(
  ctx: Context,
  importer: Importer,
  elements: unknown[],
  options: { companyId?: string | null; dryRun?: boolean | null; metadata?: unknown; strict?: boolean | null },
): Promise<ImportReceipt | ImportPreview> {
  const field = `${importer.kind}s`;
  if (elements.length === 0) throw new Invalid([{ model: 'Request', field, key: 'at_least_one' }]);
  if (elements.length > MOST) throw new Invalid([{ model: 'Request', field, key: 'too_many_items', params: { max: MOST } }]);
  const { companyId, metadata, strict } = options;
  if (metadata !== undefined && metadata !== null && (!isObject(metadata) || isTooDeep(metadata)))
    throw new Invalid([
      { model: 'Request', field: 'metadata', key: isObject(metadata) ? 'import_too_deep' : 'not_an_object', params: { levels: LEVELS } },
    ]);
  const noted = repeatedFields(ctx, field, 'each');
  if (options.dryRun) return { records: await dryRun(ctx, importer, elements, { companyId, noted, strict }) };
  const { batchId, records } = await admit(ctx, importer, elements, { companyId, metadata, noted, strict });
  return { batchId, records: records.map((record, index) => ({ index, ...record })) };
}
