import { Field, ID, ObjectType } from 'type-graphql';
import { RateType } from '../../../directory/master-data/units.ts';
import { allow } from '../../../platform/authz/authorization.ts';
import { transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { type Decimal, DecimalScalar, decimalText } from '../../../platform/decimal.ts';
import { Invalid } from '../../../platform/errors.ts';
import { DateTime } from '../../../platform/scalars.ts';
import type { GenerateInvoiceLineItemsInput } from '../invoice.inputs.ts';
import { isSupplement } from '../invoice.machine.ts';
import { lockInvoice } from '../invoice-commands.ts';
import { InvoiceLineItemType } from '../invoice-enums.ts';
import { priceAt } from '../price-at.ts';
import { isAboveAll, refuseRate, sideOfRates, WHOLE } from '../rate-by-hand.ts';
import { printed, timesOf } from '../write-price.ts';
import { typeOf } from './edits-of-lines.ts';

@ObjectType({ simpleResolvers: true, description: 'A line that an invoice would have.' })
export class GeneratedInvoiceLineItem {
  @Field(() => ID) invoiceId!: string;
  @Field(() => ID, { nullable: true }) loadId!: string | null;
  @Field(() => InvoiceLineItemType) lineItemType!: InvoiceLineItemType;
  @Field(() => String, { nullable: true }) name!: string | null;
  @Field(() => DecimalScalar) deliveredQuantity!: Decimal;
  @Field(() => DecimalScalar) quantity!: Decimal;
  @Field(() => DecimalScalar) rate!: Decimal;
  @Field(() => RateType) rateType!: RateType;
  @Field(() => DecimalScalar) totalAmount!: Decimal;
  @Field(() => DateTime, { nullable: true }) payStartTime!: Date | null;
  @Field(() => DateTime, { nullable: true }) payEndTime!: Date | null;
}

/**
 * Returns the lines that an invoice would have at another rate, by the same computation as the invoice itself; nothing is written.
 * @throws Missing, Denied
 */
export function generateLineItems(
  ctx: Context,
  path: RecordPath,
  { rateValue, rateType }: GenerateInvoiceLineItemsInput,
): Promise<GeneratedInvoiceLineItem[]> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    allow(tx, `view_${sideOfRates(invoice.side, invoice.payeeDriver)}_rates`);
    refuseRate(invoice);
    if (isSupplement(invoice)) throw new Invalid([{ model: 'Invoice', field: 'reason', key: 'supplement_not_generated' }]);
    if (isAboveAll(rateType, rateValue))
      throw new Invalid([{ model: 'Invoice', field: 'rateValue', key: 'out_of_range', params: { min: 0, max: WHOLE } }]);
    const { priced, of } = await priceAt(tx, invoice, {
      rateId: null,
      type: rateType,
      value: decimalText(rateValue),
      minimum: null,
      increment: null,
      terms: null,
    });
    return printed(priced?.lines ?? [], invoice.materialRateItemized).map((line) => ({
      ...{ invoiceId: invoice.id, loadId: line.loadId, lineItemType: typeOf(line), name: line.name, rateType: line.rateType ?? rateType },
      ...{ deliveredQuantity: line.delivered.value, quantity: line.quantity.value, rate: line.rate.value, totalAmount: line.amount.value },
      ...timesOf(line, of),
    }));
  });
}
