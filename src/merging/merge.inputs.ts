import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { AtMost } from '../platform/graphql/rules.ts';
import { About } from '../platform/model/about.ts';
import { connectionOf, PageArgs } from '../platform/read/connection.ts';
import { defineFilters } from '../platform/read/grammar.ts';
import { MergeableRecordType, MergeState, RecordMerge } from './record-merge.entity.ts';
import type { MergeableType } from './references.ts';

/** Records that one request merges: each takes some fifty statements. */
const MOST = 20;

@About('RecordMerge')
@InputType()
export class MergeInput {
  @Field(() => [ID], { description: `The duplicates, at most ${MOST}: the record of the path answers for them from then on.` })
  @AtMost(MOST)
  otherIds!: string[];
  @Field(() => Boolean, { nullable: true, description: 'Only reports what would be moved, and what speaks against it.' })
  dryRun?: boolean | null;
}

export const RecordMergeConnection = connectionOf('RecordMerge', () => RecordMerge);

@InputType()
export class RecordMergeFilter {
  @Field(() => [MergeableRecordType], { nullable: true }) recordTypes?: MergeableType[] | null;
  @Field(() => [MergeState], { nullable: true }) states?: (keyof typeof MergeState)[] | null;
}

@ArgsType()
export class RecordMergeArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => RecordMergeFilter, { nullable: true }) filter?: RecordMergeFilter | null;
}

export const recordMergeFilters = defineFilters(RecordMerge, {
  recordTypes: { sql: (t, p) => `${t}.record_type = any(${p})`, cast: 'text[]' },
  states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
});
