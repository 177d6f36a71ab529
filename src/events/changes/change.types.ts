import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { AtMost, Range } from '../../platform/graphql/rules.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';
import { RECORD_TYPES, RecordType } from './record-types.ts';
import { LONGEST_WAIT } from './wait-for-changes.ts';

export const ChangeEvent = stringEnum('ChangeEvent', ['create', 'update', 'state_change', 'delete', 'removed']);

@ObjectType('Change', { simpleResolvers: true, description: 'That a record was changed, or is not seen any more.' })
export class ChangeEntry {
  @Field(() => String, { description: 'Where it is in the feed: read on after it.' }) position!: string;
  @Field(() => RecordType) type!: RecordType;
  @Field(() => ID, { description: 'The record.' }) id!: string;
  @Field(() => ChangeEvent, { description: '`removed`: you saw the record, and may not see it any more.' })
  event!: keyof typeof ChangeEvent;
  @Field(() => String, { nullable: true, description: 'Of a change of the state: the one before.' }) previousState!: string | null;
  @Field(() => String, { nullable: true, description: 'Of a new record and of a change of the state: the state that it then had.' })
  state!: string | null;
  @Field(() => DateTime, { description: 'When the transaction began that changed it.' }) changedAt!: Date;
  @Field(() => ID, { nullable: true, description: 'Of a record that is seen no more because it was merged: the one that stayed.' })
  mergedInto!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Changes in the order of the feed.' })
export class ChangePage {
  @Field(() => [ChangeEntry], { description: 'Changes in their order.' }) nodes!: ChangeEntry[];
  @Field(() => String, { description: 'Where to read on, also when there are no changes.' }) position!: string;
  @Field(() => Boolean, { description: 'There are more already.' }) hasMore!: boolean;
}

/** Entries that are looked at for one answer. */
export const MOST_CHANGES = 100;

@ArgsType()
export class ChangeArgs {
  @Field(() => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'A position; by default, the present end of the feed, and `0` for all that is kept.',
  })
  after?: string | null;
  @Field(() => [RecordType], { nullable: true, description: 'By default, all; an empty list is none of them.' })
  @AtMost(RECORD_TYPES.length)
  types?: RecordType[] | null;
  @Field(() => Int, { nullable: true, description: `Changes that are looked at: 1 to ${MOST_CHANGES}, by default 25.` })
  @Range(1, MOST_CHANGES)
  first?: number | null;
  @Field(() => Int, {
    nullable: true,
    description: `Seconds to wait for a change if there is none: at most ${LONGEST_WAIT}, by default 0.`,
  })
  @Range(0, LONGEST_WAIT)
  wait?: number | null;
}
