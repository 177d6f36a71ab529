import { Field, ID, InputType } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, AtMost, Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MOST } from '../invoices/invoice.inputs.ts';
import { BillingCadence } from '../profiles/billing-profile.entity.ts';
import { SettlementLineItemGrouping, SettlementLineItemType } from './settlement.entity.ts';

/** The most characters of a reason. */
export const REASON = 1_000;
const OF_CLOSED = {
  nullable: true,
  description: 'Whether what counts in a closed period is settled, too; the settlement counts in the open one. By default, no.',
};
const AS_NO = { nullable: true, description: 'By default, no.' };

@InputType({ description: 'How a settlement is printed.' })
export class SettlementConfigInput {
  @Field(() => SettlementLineItemType, { nullable: true, description: 'The subject of a line; by default, an order.' })
  settlementLineItemType?: SettlementLineItemType | null;
  @Field(() => [SettlementLineItemGrouping], { nullable: true, description: 'By what lines are grouped, in this order.' })
  settlementLineItemGroupings?: SettlementLineItemGrouping[] | null;
}

@InputType()
@About('Settlement')
export class CreateSettlementInput extends SettlementConfigInput {
  @Field(() => [ID], { description: 'Approved invoices of one customer, vendor or driver; at most 10,000.' }) invoiceIds!: string[];
  @Field(() => Boolean, AS_NO) includeLoadsInPdf?: boolean | null;
  @Field(() => Boolean, OF_CLOSED) inOpenPeriod?: boolean | null;
}

export const SettledParty = stringEnum('SettledParty', ['customers', 'vendors', 'drivers']);
export type SettledParty = keyof typeof SettledParty;
/** The most customers, vendors or drivers that are named. */
const MOST_PARTIES = 1_000;
const ONLY_THESE = { nullable: true, description: 'Only these; by default, all. At most 1,000.' };

@InputType()
@About('Settlement')
export class BulkSettlementInput {
  @Field(() => DateTime, { description: 'Work from the day on that this is in the time zone of the company.' }) startDate!: Date;
  @Field(() => DateTime, { description: 'Work until the end of the day that this is in the time zone of the company.' }) endDate!: Date;
  @Field(() => [SettledParty], { nullable: true, description: 'For whom settlements are created; by default, for all.' })
  bulkCreateFor?: SettledParty[] | null;
  @Field(() => [ID], ONLY_THESE) @AtMost(MOST_PARTIES) customerAccountIds?: string[] | null;
  @Field(() => [ID], ONLY_THESE) @AtMost(MOST_PARTIES) vendorAccountIds?: string[] | null;
  @Field(() => [ID], ONLY_THESE) @AtMost(MOST_PARTIES) driverIds?: string[] | null;
  @Field(() => [BillingCadence], { nullable: true, description: 'Only accounts that are settled so often by their billing profile.' })
  @AtMost(10)
  cadences?: BillingCadence[] | null;
  @Field(() => Boolean, OF_CLOSED) inOpenPeriod?: boolean | null;
  @Field(() => SettlementConfigInput, { nullable: true }) settlementConfig?: SettlementConfigInput | null;
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
