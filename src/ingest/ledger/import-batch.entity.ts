import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Principal, PrincipalType, principalOf } from '../../platform/commands/audit.entity.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Instant, One, Text, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { Json } from '../../platform/scalars.ts';
import { ImportKind } from '../importer.ts';
import { ImportWarningCode } from '../warning-codes.ts';

/** The number of records of a batch in each state. */
@ObjectType({ simpleResolvers: true })
export class ImportCounts {
  @Field(() => Int) created!: number;
  @Field(() => Int) processed!: number;
  @Field(() => Int) failed!: number;
  @Field(() => Int) exhausted!: number;
  @Field(() => Int) skipped!: number;
  @Field(() => Int, { name: 'skippedUpdate' }) skippedUpdate!: number;
  @Field(() => Int, { description: 'Records with warnings, in whatever state.' }) warned!: number;
}

/** The number of records that warn of something. */
@ObjectType({ simpleResolvers: true })
export class ImportWarningCount {
  @Field(() => ImportWarningCode) code!: ImportWarningCode;
  @Field(() => Int) count!: number;
}

const STATES = ['created', 'processed', 'failed', 'exhausted', 'skipped', 'skipped_update'];
const countOf = (state: string): string =>
  `'${state === 'skipped_update' ? 'skippedUpdate' : state}', count(*) filter (where r.state = '${state}')`;

/** One accepted request: who sent how many elements of which kind, and when. Written by `admit`. */
@Entity({ tableName: 'import_batch' })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ImportBatch {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => ImportKind, { required: true }) kind!: ImportKind;
  @Whole({ required: true }) recordCount!: number;
  @Instant({ required: true }) receivedAt: Date = new Date();
  @Choice(() => PrincipalType, { required: true }) createdByType!: PrincipalType;
  @Uuid({ required: true }) createdById!: string;
  @Text({ required: true }) createdByName!: string;
  @Field(() => Principal)
  @Computed({
    columns: ['createdByType', 'createdById', 'createdByName'],
    compute: (row) => principalOf({ type: row.createdByType, id: row.createdById, name: row.createdByName }),
  })
  createdBy!: Principal;
  /** The sender's metadata of the whole request. It has no effect. */
  @Property({ type: 'json', columnType: 'json', nullable: true }) @Field(() => Json, { nullable: true }) metadata?: unknown;
  @Field(() => ImportCounts)
  @Computed({
    sql: (t) =>
      `(select json_build_object(${STATES.map(countOf).join(', ')}, 'warned', count(*) filter (where r.warnings::text <> '[]')) from imported_record r where r.batch_id = ${t}.id)`,
  })
  counts!: ImportCounts;
  /** The records with each warning, the most frequent first. */
  @Field(() => [ImportWarningCount])
  @Computed({
    sql: (t) => `(select coalesce(json_agg(json_build_object('code', w.code, 'count', w.count) order by w.count desc, w.code), '[]') from (
      select x ->> 'code' as code, count(distinct r.id)::int as count from imported_record r, json_array_elements(r.warnings) x
      where r.batch_id = ${t}.id and r.warnings::text <> '[]' group by 1) w)`,
  })
  warnings!: ImportWarningCount[];
  /** Every record has an outcome; failed ones may be tried again. */
  @Field(() => Boolean)
  @Computed({ sql: (t) => `not exists (select from imported_record r where r.batch_id = ${t}.id and r.state = 'created')` })
  settled!: boolean;
  @Text({ required: true, hidden: true }) requestId!: string;
}

// A record is created when it is received. This is the planner's default order, which has its own index.
export const importBatchSorts = defineSorts(ImportBatch, { createdAt: { sql: (t) => `${t}.received_at`, cast: 'timestamptz' } });
