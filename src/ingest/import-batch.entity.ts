import { Entity, PrimaryKey } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../directory/company.entity.ts';
import { Choice, Instant, One, Text, Uuid, Whole } from '../platform/database/columns.ts';
import { newId } from '../platform/ids.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { defineSorts } from '../platform/read/grammar.ts';
import { ImportKind } from './importer.ts';

/** One accepted request of a batch sender: who sent how much of what, and when. Written by `admit`. */
@Entity({ tableName: 'import_batch' })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ImportBatch {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => ImportKind, { required: true }) kind!: ImportKind;
  @Whole({ required: true }) recordCount!: number;
  @Instant({ required: true }) receivedAt: Date = new Date();
  @Text({ required: true }) createdByType!: string;
  @Uuid({ required: true }) createdById!: string;
  @Text({ required: true }) createdByName!: string;
  @Text({ required: true, hidden: true }) requestId!: string;
}

// A record is made when it is received: the planner's default order, served by an index of its own.
defineSorts(ImportBatch, { createdAt: { sql: (t) => `${t}.received_at`, cast: 'timestamptz' } });
