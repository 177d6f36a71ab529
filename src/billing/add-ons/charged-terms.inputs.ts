import { Field, InputType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Length } from '../../platform/graphql/rules.ts';
import { AddOnRateType } from './add-on.entity.ts';
import { EXTERNAL_ID, MOST_MONEY, NAME, older } from './terms.ts';

const optional = { nullable: true };
/** Options of a field whose value is that of the add-on unless it is sent. */
export const AS_ADD_ON = { nullable: true, description: 'By default, that of the add-on.' };

/** The terms that charges and add-ons charged by themselves have in common (`TermsInput`); quantities differ in what they are by default. */
@InputType()
export abstract class ChargedTermsInput {
  @Field(() => String, AS_ADD_ON) @Length(1, NAME) name?: string | null;
  @Field(() => AddOnRateType, AS_ADD_ON) revenueCostRateType?: AddOnRateType | null;
  @Field(() => DecimalScalar, AS_ADD_ON) @Amount(-MOST_MONEY, MOST_MONEY) revenueRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null means the same as the revenue rate.' })
  @Amount(-MOST_MONEY, MOST_MONEY)
  costRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Percent, for `RatePercentOfTotal`.' })
  @Amount(-100, 100)
  percentage?: Decimal | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) externalId?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) accountingId?: string | null;
  @Field(() => DecimalScalar, older('revenue_rate_value')) @Amount(-MOST_MONEY, MOST_MONEY) rate?: Decimal | null;
  @Field(() => AddOnRateType, older('revenue_cost_rate_type')) addOnRateType?: AddOnRateType | null;
}
