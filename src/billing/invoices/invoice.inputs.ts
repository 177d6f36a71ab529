import { Field, ID, InputType } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';

/** The greatest rate: what is beyond is a typing error. */
export const MOST = 10_000_000;

@InputType()
export class UpdateInvoiceInput {
  @Field(() => ID, {
    nullable: true,
    description: 'The rate card by which it is priced. Absent, nothing changes; null makes the rate of the work count again.',
  })
  rateId?: string | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'The value by which it is priced; it takes precedence over a rate card. Null as of a rate card.',
  })
  @Amount(0, MOST)
  rateValue?: Decimal | null;
  @Field(() => RateType, { nullable: true, description: 'The type of the value; by default, that of the rate card.' })
  rateType?: RateType | null;
}

@InputType()
@About('InvoiceLineItem')
export class GenerateInvoiceLineItemsInput {
  @Field(() => DecimalScalar) @Amount(0, MOST) rateValue!: Decimal;
  @Field(() => RateType) rateType!: RateType;
}

@InputType()
@About('Invoice')
export class SplitInvoiceInput {
  @Field(() => [ID], { description: 'The loads that get an invoice of their own.' }) loadIds!: string[];
}
