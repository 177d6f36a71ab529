import { Field, ID, ObjectType } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { allow } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Decimal, DecimalScalar, decimalText } from '../../platform/decimal.ts';
import { DateTime } from '../../platform/scalars.ts';
import { booksOf, type Entry, keyOfBooks, priceEntry } from './books-of-job.ts';
import { Invoice, InvoiceLineItemType } from './invoice.entity.ts';
import type { GenerateInvoiceLineItemsInput } from './invoice.inputs.ts';
import { lockInvoice } from './invoice-commands.ts';
import { factsOfJob } from './job-facts.ts';
import { sideOfRates } from './rate-by-hand.ts';
import { printed, rateOf, timesOf, typeOf } from './write-price.ts';

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
    allow(tx, `view_${sideOfRates(invoice)}_rates`);
    const job = (await factsOfJob((sql, values) => queryIn(tx.em, sql, values), invoice.job.id))!;
    const books = booksOf(job);
    const key = keyOfBooks(invoice.company.id, invoice.side, invoice.jobAssignment?.id);
    const entry = books.find((one) => keyOfBooks(one.companyId, one.side, one.jobAssignmentId) === key);
    const own = books.find((one) => one.side === 'receivable' && one.companyId === invoice.company.id);
    const rate = { rateId: null, type: rateType, value: decimalText(rateValue), minimum: null, increment: null };
    const receivable =
      invoice.side === 'payable' && own
        ? priceEntry(job, { ...own, rate: await rateOfReceivable(tx, invoice, own) }, undefined)?.lines
        : undefined;
    const priced = entry && priceEntry(job, { ...entry, rate }, receivable);
    return printed(priced?.lines ?? [], invoice.materialRateItemized).map((line) => ({
      ...{ invoiceId: invoice.id, loadId: line.loadId, lineItemType: typeOf(line), name: line.name, rateType: line.rateType ?? rateType },
      ...{ deliveredQuantity: line.delivered.value, quantity: line.quantity.value, rate: line.rate.value, totalAmount: line.amount.value },
      ...timesOf(line, job),
    }));
  });
}

/** The rate of the books' own receivable, of which a commission is a share: as it was set by hand, or as it was noted. */
async function rateOfReceivable(tx: TxContext, { company, job }: Invoice, own: Entry): Promise<Entry['rate']> {
  const live = { job: job.id, company: company.id, side: 'receivable', state: { $ne: 'voided' } } as const;
  const receivable = await tx.em.findOne(Invoice, live, { filters: { tenant: false } });
  return receivable?.byHand ? rateOf(receivable) : own.rate;
}
