import { Field, ID, InputType } from 'type-graphql';
import { RateType } from '../../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { Amount, AtMost, Length } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';
import { MOST } from '../../invoices/invoice.inputs.ts';
import { InvoiceLineItemChange } from '../../invoices/lines/line.inputs.ts';
import { REASON } from '../settlement.inputs.ts';

/** The most invoices that are corrected at once: each is priced anew. */
const MOST_INVOICES = 100;
const LIKE_INVOICE = { nullable: true, description: 'As of an invoice that is changed; absent, it stays.' };

@InputType({ description: 'The values of an invoice that change when a settlement is corrected.' })
@About('Settlement')
export class CorrectedInvoiceInput {
  @Field(() => ID) invoiceId!: string;
  @Field(() => ID, LIKE_INVOICE) rateId?: string | null;
  @Field(() => DecimalScalar, LIKE_INVOICE) @Amount(0, MOST) rateValue?: Decimal | null;
  @Field(() => RateType, LIKE_INVOICE) rateType?: RateType | null;
  @Field(() => [InvoiceLineItemChange], { nullable: true, description: 'Changes of its lines; at most 1,000.' })
  invoiceLineItems?: InvoiceLineItemChange[] | null;
}

@InputType({ description: 'Why a settlement is corrected, and what changes.' })
@About('Settlement')
export class CorrectSettlementInput {
  @Field(() => String, { description: 'Why; the reason for which the settlement is voided.' }) @Length(1, REASON) reason!: string;
  @Field(() => [CorrectedInvoiceInput], { description: 'The invoices that change; at most 100. None: the same is settled anew.' })
  @AtMost(MOST_INVOICES)
  changes!: CorrectedInvoiceInput[];
  @Field(() => Boolean, { nullable: true, description: 'Only answers what the new settlement would be; nothing is stored.' })
  dryRun?: boolean | null;
}
