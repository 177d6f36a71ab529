import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { BillingPeriod } from './billing-period.entity.ts';

export const BillingPeriodConnection = connectionOf('BillingPeriod', () => BillingPeriod);

/** The most characters of a reason. */
const REASON = 1_000;

@InputType()
@About('BillingPeriod')
export class CloseBillingPeriodInput {
  @Field(() => LocalDate, { nullable: true, description: 'The last day that is closed; by default, that of the next week that is over.' })
  endsOn?: string | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is closed although something of it is not approved, which then counts later; by default, no.',
  })
  force?: boolean | null;
  @Field(() => String, { nullable: true, description: 'Why it is closed although something is not approved; required then.' })
  @Length(1, REASON)
  reason?: string | null;
}

@InputType()
@About('BillingPeriod')
export class ReopenBillingPeriodInput {
  @Field(() => String, { description: 'Why it is opened again.' }) @Length(1, REASON) reason!: string;
}

@ArgsType()
export class BillingPeriodListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
