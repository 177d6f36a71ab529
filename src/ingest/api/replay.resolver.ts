import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import { ImportKind } from '../importer.ts';
import { ImportedRecord, ImportedRecordState } from '../ledger/imported-record.entity.ts';
import { ImportReceipt } from './import-answer.ts';
import { resubmitRecord, retryRecord, retryRecords, skipRecord, skipRecords } from './replay.ts';

/** Selects failed and exhausted records; all parts that are set must fit. */
@InputType()
@About('ImportedRecord')
export class ImportReplayFilter {
  @Field(() => [ImportKind], { nullable: true }) kinds?: ImportKind[] | null;
  @Field(() => [ImportedRecordState], { nullable: true, description: '`failed`, `exhausted`; by default, both.' })
  states?: ImportedRecordState[] | null;
  @Field(() => [String], { nullable: true }) importedFor?: string[] | null;
  @Field(() => String, { nullable: true, description: 'The code with which `last_error` begins.' }) errorCode?: string | null;
  @Field(() => ID, { nullable: true }) batchId?: string | null;
  @Field(() => DateTime, { nullable: true }) receivedAfter?: Date | null;
  @Field(() => DateTime, { nullable: true }) receivedBefore?: Date | null;
}

const ALL = 'Required with an empty filter, which means all failed and exhausted records of the company.';

/** An empty filter is more often a mistake than meant. @throws Invalid without `all` */
function requireMeant(filter: ImportReplayFilter, all: boolean | undefined): void {
  const isEmpty = Object.values(filter).every((part) => part === undefined || part === null);
  if (isEmpty && all !== true) throw new Invalid([{ model: 'ImportedRecord', field: 'filter', key: 'import_filter_empty' }]);
}

@ObjectType({ simpleResolvers: true })
export class ImportReplayed {
  @Field(() => Int, { description: 'Number of changed records; at most 10,000 in one call.' }) count!: number;
}

/**
 * The permission to create depends on the kind of the record, which the command knows. `view_imports` is needed as well, because the answer
 * shows the records.
 */
const MayReplay: MethodDecorator = (...field) => {
  Requires('view_imports')(...field);
  Requires('create_order', 'create_project', 'create_ticket')(...field);
};

@Resolver(() => ImportedRecord)
export class ResubmitResolver {
  @Mutation(() => ImportReceipt, { description: 'Sends a corrected payload in place of a failed or exhausted record, which is skipped.' })
  @MayReplay
  async resubmitImportedRecord(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('payload', () => Json) payload: unknown,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<ImportReceipt> {
    const { batchId, records } = await resubmitRecord(ctx, id, payload, companyId);
    return { batchId, records: records.map((record, index) => ({ index, ...record })) };
  }
}

type ReplayOne = (ctx: Context, id: string, companyId?: string) => Promise<unknown>;

/** A mutation on one failed or exhausted record, which answers with the record. */
function replayOne(name: string, replay: ReplayOne, description: string): Function {
  @Resolver(() => ImportedRecord)
  class ReplayMutation {
    @Mutation(() => ImportedRecord, { name, description })
    @MayReplay
    async run(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<ImportedRecord> {
      await replay(ctx, id, companyId);
      return ctx.read.one(ImportedRecord, info, { id, companyId });
    }
  }
  return ReplayMutation;
}

type ReplayMany = (ctx: Context, filter: ImportReplayFilter, companyId?: string) => Promise<number>;

/** A mutation on all records of a filter, which answers with how many it changed. */
function replayMany(name: string, replay: ReplayMany, description: string): Function {
  @Resolver()
  class ReplayMutation {
    @Mutation(() => ImportReplayed, { name, description })
    @MayReplay
    async run(
      @Ctx() ctx: Context,
      @Arg('filter', () => ImportReplayFilter) filter: ImportReplayFilter,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
      @Arg('all', () => Boolean, { nullable: true, description: ALL }) all?: boolean,
    ): Promise<ImportReplayed> {
      requireMeant(filter, all);
      return { count: await replay(ctx, filter, companyId) };
    }
  }
  return ReplayMutation;
}

export const replayMutations: readonly Function[] = [
  replayOne('retryImportedRecord', retryRecord, 'Tries a failed or exhausted record again at once, with a new series of attempts.'),
  replayOne('skipImportedRecord', skipRecord, 'Skips a failed or exhausted record: it is not tried again.'),
  replayMany('retryImportedRecords', retryRecords, 'Tries all failed and exhausted records of the filter again.'),
  replayMany('skipImportedRecords', skipRecords, 'Skips all failed and exhausted records of the filter.'),
];
