import { Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { Amount, Length, Range } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';
import { DateTime } from '../../../platform/scalars.ts';
import { MOST_QUANTITY } from '../../add-ons/terms.ts';
import { MOST } from '../invoice.inputs.ts';

/** Minutes of a day. */
export const DAY = 1_440;

@InputType({
  description: 'A change of a line: absent parts stay, and null lets a part follow the work again. One without an id is ignored.',
})
@About('InvoiceLineItem')
export class InvoiceLineItemChange {
  @Field(() => ID, { nullable: true, description: 'The line.' }) id?: string | null;
  @Field(() => Int, { nullable: true, description: '1 removes the line; its load is not billed.' }) _destroy?: number | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description:
      'The quantity that is billed. If a ticket says it, the ticket is corrected, so that both sides follow, unless `onlyThisSide`.',
  })
  @Amount(0, MOST_QUANTITY)
  quantity?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The rate of this line alone.' }) @Amount(-MOST, MOST) rate?: Decimal | null;
  @Field(() => DateTime, { nullable: true, description: 'From when is paid, of a line of time.' }) payStartTime?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Until when is paid, of a line of time.' }) payEndTime?: Date | null;
  @Field(() => Int, { nullable: true, description: 'Minutes that are paid in addition, or not paid, of a line of time.' })
  @Range(-DAY, DAY)
  billingAdjustmentMinutes?: number | null;
  @Field(() => ID, { nullable: true, description: 'The load of the line, which stays.' }) loadId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Changes this line alone, and no ticket.' }) onlyThisSide?: boolean | null;
  @Field(() => String, { nullable: true, description: 'Why a ticket is corrected.' }) @Length(1, 500) reason?: string | null;
}
