import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, type ClassType, Ctx, Extensions, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../platform/authz/field-permissions.ts';
import { dryRun } from '../platform/commands/dry-run.ts';
import type { Context, RecordPath } from '../platform/context.ts';
import { readingWithin } from '../platform/database/sql.ts';
import { companyArg, describe, mutationsOf, requires } from '../platform/graphql/record-mutations.ts';
import { one, page, queriesOf } from '../platform/graphql/record-queries.ts';
import type { Connection } from '../platform/read/connection.ts';
import { DuplicateArgs, type LikelyDuplicate, LikelyDuplicateConnection, likelyDuplicates } from './duplicates.ts';
import { KINDS, MERGES, type MergeKind } from './kinds.ts';
import { MergeInput, RecordMergeArgs, RecordMergeConnection } from './merge.inputs.ts';
import { mergeInto, mergeWithin, undoMerge } from './merge.ts';
import { RecordMerge } from './record-merge.entity.ts';

/** Merges, or reads in a transaction that is rolled back what merging would do. */
async function merged(ctx: Context, info: GraphQLResolveInfo, kind: MergeKind, path: RecordPath, input: MergeInput): Promise<RecordMerge> {
  if (!input.dryRun) return ctx.read.one(RecordMerge, info, { id: (await mergeInto(ctx, kind, path, input)).id });
  return dryRun(
    ctx,
    (tx) => mergeWithin(tx, kind, path, input, true),
    (tx, { id }) => ctx.read.within({ ...tx, em: readingWithin(tx.em) }).one(RecordMerge, info, { id }),
  );
}

const mergeMutation = (name: string, kind: MergeKind, what: string): Function => {
  @Resolver(() => RecordMerge)
  class MergeMutation {
    @Mutation(() => RecordMerge, {
      name,
      description: `Merges duplicates of ${what} into this one: all that refers to them refers to it, and it answers for their ids. It can be undone for a day.`,
    })
    @Requires(kind.permission)
    run(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('input', () => MergeInput) input: MergeInput,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
    ): Promise<RecordMerge> {
      return merged(ctx, info, kind, { id, companyId }, input);
    }
  }
  return MergeMutation;
};

export const MergeMutations: Function[] = [
  mergeMutation('mergeAccounts', KINDS.Account, 'an account'),
  mergeMutation('mergeSites', KINDS.Site, 'a site'),
  mergeMutation('mergeMaterials', KINDS.Material, 'a material'),
  mergeMutation('mergeDrivers', KINDS.User, 'a driver'),
  mergeMutation('mergeEquipment', KINDS.Equipment, 'a truck or another piece of equipment'),
  ...mutationsOf(RecordMerge as ClassType<RecordMerge>, {
    undoMerge: requires(
      MERGES,
      describe(
        'Undoes a merge, for a day: the merged records are there again, with what referred to them and was not changed since.',
        undoMerge,
      ),
    ),
  }),
];

export const MergeQueries: Function[] = queriesOf(RecordMerge, {
  recordMerge: one(AnySignedIn(), undefined, { description: 'A merge of duplicates.' }),
  recordMerges: page(AnySignedIn(), RecordMergeConnection, RecordMergeArgs, undefined, {
    description: 'The merges of a company, newest first.',
  }),
});

/** The cost of comparing all records of a company, in the measure of a document's limit. */
const READS = 30_000;

@Resolver()
export class DuplicatesResolver {
  @Extensions({ reads: READS })
  @Query(() => LikelyDuplicateConnection, {
    description: 'Pairs of records that are likely the same: alike in name, number, address, telephone or place.',
  })
  @Requires(...MERGES)
  likelyDuplicates(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DuplicateArgs) args: DuplicateArgs,
  ): Promise<Connection<LikelyDuplicate>> {
    return likelyDuplicates(ctx, info, args);
  }
}
