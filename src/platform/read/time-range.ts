import { Extensions, Field, InputType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../decimal.ts';
import { DateTime } from '../scalars.ts';

/** Marks a field of an input that REST, whose names are the contract's, does not have. */
export const GraphqlOnly = (): PropertyDecorator => Extensions({ graphqlOnly: true }) as PropertyDecorator;

/** The description that the filters of all lists have for it. */
export const SINCE = 'Only records that were created or changed at this moment or later.';

/** The field `updatedSince` of a filter that is not named like its entity; those that are have it by themselves. */
export const UpdatedSince = (): PropertyDecorator => (target, name) =>
  Field(() => DateTime, { nullable: true, description: SINCE })(target, name);

/** The argument of a list that is read as it was. */
export const AsOf = (): PropertyDecorator => (target, name) =>
  Field(() => DateTime, {
    nullable: true,
    description:
      "Your company's records that were there then, with their own fields as they were, for who reads the audit log: in the order in which they were made, filtered by their own fields. What they name and what hangs on them is as it is now. By default, all as it is now.",
  })(target, name);

@InputType({ description: 'A span of time.' })
export class TimeRange {
  @Field(() => DateTime, { nullable: true, description: 'At this moment or later.' }) from?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Earlier than this moment.' }) before?: Date | null;
}

@InputType({ description: 'A span of quantities.' })
export class QuantityRange {
  @Field(() => DecimalScalar, { nullable: true, description: 'This much or more.' }) min?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'This much or less.' }) max?: Decimal | null;
}
