import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ChargedTermsInput } from '../add-ons/charged-terms.inputs.ts';
import { MOST_MONEY, MOST_QUANTITY } from '../add-ons/terms.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';

const optional = { nullable: true };

@InputType()
@About('AddOnCharge')
export class AddOnChargeInput extends ChargedTermsInput {
  @Field(() => ID, { nullable: true, description: 'The add-on that is charged; its values hold for what is not sent.' })
  addOnId?: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'By default, that of the add-on; without one, 0.' })
  @Amount(0, MOST_QUANTITY)
  quantity?: Decimal | null;
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
