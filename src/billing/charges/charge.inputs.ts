import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { AddOnRateType } from '../add-ons/add-on.entity.ts';
import { EXTERNAL_ID, MOST_MONEY, MOST_QUANTITY, NAME, older } from '../add-ons/terms.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';

const optional = { nullable: true };
const AS_ADD_ON = { nullable: true, description: 'By default, that of the add-on.' };

@InputType()
@About('AddOnCharge')
export class AddOnChargeInput {
  @Field(() => ID, { nullable: true, description: 'The add-on that is charged; its values hold for what is not sent.' })
  addOnId?: string | null;
  @Field(() => String, AS_ADD_ON) @Length(1, NAME) name?: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'By default, that of the add-on; without one, 0.' })
  @Amount(0, MOST_QUANTITY)
  quantity?: Decimal | null;
  @Field(() => AddOnRateType, AS_ADD_ON) revenueCostRateType?: AddOnRateType | null;
  @Field(() => DecimalScalar, AS_ADD_ON) @Amount(-MOST_MONEY, MOST_MONEY) revenueRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null means the same as the revenue rate.' })
  @Amount(-MOST_MONEY, MOST_MONEY)
  costRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Percent, for `RatePercentOfTotal`.' })
  @Amount(-100, 100)
  percentage?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'On a settlement that is billed anew: the rate; null keeps that of before.' })
  @Amount(-MOST_MONEY, MOST_MONEY)
  rebillRevenueRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'On a settlement that is billed anew: percent; null keeps that of before.' })
  @Amount(-100, 100)
  rebillPercentage?: Decimal | null;
  @Field(() => ID, {
    nullable: true,
    description:
      'The invoice that the charge is on. When a charge of a job or a driver day is added: a pending invoice of that work in your books, on which it is put, in place of a request. Otherwise it may only be named as it is.',
  })
  invoiceId?: string | null;
  @Field(() => ID, { nullable: true, description: 'A load of the work, if the charge is for one.' }) loadId?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) externalId?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) accountingId?: string | null;
  @Field(() => DecimalScalar, older('revenue_rate_value')) @Amount(-MOST_MONEY, MOST_MONEY) rate?: Decimal | null;
  @Field(() => AddOnRateType, older('revenue_cost_rate_type')) addOnRateType?: AddOnRateType | null;
}

/** One change of a list: without `id` a charge is added, with `_destroy` removed, otherwise changed. */
@InputType({ description: 'One change of a list: without `id` a charge is added, with `_destroy` removed, otherwise changed.' })
@About('AddOnCharge')
export class AddOnChargeChange extends AddOnChargeInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => Int, { nullable: true, description: '1 removes the charge.' }) _destroy?: number | null;
}

export const AddOnChargeConnection = connectionOf('AddOnCharge', () => AddOnCharge);

@ArgsType()
export class AddOnChargeListArgs extends PageArgs {}
