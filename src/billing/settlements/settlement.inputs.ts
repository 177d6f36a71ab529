import { Field, ID, InputType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MOST } from '../invoices/invoice.inputs.ts';
import { SettlementLineItemGrouping, SettlementLineItemType } from './settlement.entity.ts';

/** The most characters of a reason. */
const REASON = 1_000;
const AS_NO = { nullable: true, description: 'By default, no.' };

@InputType({ description: 'How a settlement is printed.' })
export class SettlementConfigInput {
  @Field(() => SettlementLineItemType, { nullable: true, description: 'What a line is for; by default, an order.' })
  settlementLineItemType?: SettlementLineItemType | null;
  @Field(() => [SettlementLineItemGrouping], { nullable: true, description: 'By what lines are grouped, in this order.' })
  settlementLineItemGroupings?: SettlementLineItemGrouping[] | null;
}

@InputType()
@About('Settlement')
export class CreateSettlementInput extends SettlementConfigInput {
  @Field(() => [ID], { description: 'Approved invoices of one customer, vendor or driver; at most 10,000.' }) invoiceIds!: string[];
  @Field(() => Boolean, AS_NO) includeLoadsInPdf?: boolean | null;
}

@InputType()
@About('Settlement')
export class UpdateSettlementInput extends SettlementConfigInput {
  @Field(() => Boolean, AS_NO) includeLoadsInPdf?: boolean | null;
  @Field(() => DateTime, { nullable: true, description: 'When it was entered in an accounting system that is not linked.' })
  exportedAt?: Date | null;
}

@InputType()
@About('Settlement')
export class VoidSettlementInput {
  @Field(() => String, { nullable: true }) @Length(0, REASON) voidReason?: string | null;
}

@InputType()
@About('Settlement')
export class RebillRateInput {
  @Field(() => ID) invoiceId!: string;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null keeps the rate of the invoice.' })
  @Amount(0, MOST)
  rebillRateValue?: Decimal | null;
}
