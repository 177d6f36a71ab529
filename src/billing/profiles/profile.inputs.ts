import { Field, InputType, Int } from 'type-graphql';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { BillingCadence } from './billing-profile.entity.ts';

const optional = { nullable: true };
/** The most addresses: each gets a mail. */
const MOST_EMAILS = 20;

@InputType({ description: 'A change of how an account is billed: absent fields are kept, null is as if nobody had said anything.' })
@About('BillingProfile')
export class UpdateBillingProfileInput {
  @Field(() => Boolean, optional) poRequired?: boolean | null;
  @Field(() => String, optional) @Length(1, 50) poPattern?: string | null;
  @Field(() => BillingCadence, optional) cadence?: BillingCadence | null;
  @Field(() => Boolean, optional) oneJobPerSettlement?: boolean | null;
  @Field(() => [String], { nullable: true, description: 'At most 20.' }) @AtMost(MOST_EMAILS) emails?: string[] | null;
  @Field(() => Int, optional) @Range(0, 365) termsDays?: number | null;
  @Field(() => String, optional) @Length(1, 100) taxExemptNumber?: string | null;
  @Field(() => Int, optional) @Range(0, 13) fuelLagWeeks?: number | null;
  @Field(() => Boolean, optional) ticketNumberPerLine?: boolean | null;
  @Field(() => Boolean, optional) attachments?: boolean | null;
  @Field(() => Boolean, optional) breaksPaid?: boolean | null;
}
