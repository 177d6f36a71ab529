import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../directory/companies/company.entity.ts';
import { Audited } from '../platform/commands/audit.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Uuid, Uuids } from '../platform/model/columns.ts';
import { Computed, Tenant } from '../platform/model/decorators.ts';
import { DateTime } from '../platform/scalars.ts';
import type { MergeableType } from './references.ts';

export const MergeableRecordType = stringEnum('MergeableRecordType', ['Account', 'Site', 'Material', 'User', 'Equipment']);
export const MergeState = stringEnum('MergeState', ['planned', 'merged', 'undone']);

/** For how long a merge can be undone. */
export const UNDO_HOURS = 24;

@ObjectType({ simpleResolvers: true, description: 'How many records of a kind referred to the merged records.' })
export class MergedReferences {
  @Field(() => String, { description: 'The kind of records, such as order, job or material_rate.' }) records!: string;
  @Field(() => Int, { description: 'That refer to the record that stays now.' }) moved!: number;
  @Field(() => Int, { description: 'That the merge put aside, because the record that stays has such a record already or keeps its own.' })
  putAside!: number;
}

/** A merge of duplicates: which record stays, and which ones it answers for since then. */
@Entity()
@Tenant()
@Audited({ except: ['moved', 'keptChanges'] })
@ObjectType({ simpleResolvers: true })
export class RecordMerge extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => MergeableRecordType, { required: true }) recordType!: MergeableType;
  @Uuid({ required: true, description: 'The record that stays.' }) keptId!: string;
  @Uuids({ description: 'The records that were merged into it. It answers for their ids.' }) formerIds: string[] = [];
  @Choice(() => MergeState, { required: true, description: '`planned` is what a dry run answers.' }) state: keyof typeof MergeState =
    'merged';
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => [MergedReferences], { description: 'The references to the merged records, by kind.' })
  moved: MergedReferences[] = [];
  /** Fields of the record that stays which the merge changed: before and after. */
  @Property({ type: 'json', columnType: 'jsonb' })
  keptChanges: Record<string, [unknown, unknown]> = {};
  @Instant() undoneAt?: Date | null;

  @Field(() => DateTime, { description: 'Until when it can be undone.' })
  @Computed({ sql: (t) => `${t}.created_at + interval '${UNDO_HOURS} hours'` })
  undoUntil!: Date;
}
