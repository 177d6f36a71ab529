import { Extensions, Field, ID, ObjectType } from 'type-graphql';
import { Currency } from '../../../directory/companies/company-enums.ts';
import { RateType, UnitOfMeasure } from '../../../directory/master-data/units.ts';
import { InvoiceState } from '../../../dispatch/fields/invoice-enums.ts';
import { type Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { connectionOf } from '../../../platform/read/connection.ts';
import { DateTime, Json } from '../../../platform/scalars.ts';
import type { FigureJson } from '../../pricing/figure-json.ts';
import { InvoiceBlocker, InvoiceLineItemType, InvoiceSide } from '../invoice-enums.ts';

@ObjectType({ simpleResolvers: true, description: 'A line that an invoice would have now.' })
export class PreviewedLineItem {
  @Field(() => ID, { nullable: true, description: 'Null of what is for no load, such as time.' }) loadId!: string | null;
  @Field(() => InvoiceLineItemType) lineItemType!: InvoiceLineItemType;
  @Field(() => String, { nullable: true }) name!: string | null;
  @Field(() => DecimalScalar, { description: 'In the unit of the rate, before minimum and increment; hours of time.' })
  deliveredQuantity!: Decimal;
  @Field(() => DecimalScalar) quantity!: Decimal;
  @Field(() => UnitOfMeasure, { nullable: true }) unitOfMeasure!: UnitOfMeasure | null;
  @Field(() => DecimalScalar) rate!: Decimal;
  @Field(() => RateType, { nullable: true }) rateType!: RateType | null;
  @Field(() => DecimalScalar) totalAmount!: Decimal;
  @Field(() => DateTime, { nullable: true }) payStartTime!: Date | null;
  @Field(() => DateTime, { nullable: true }) payEndTime!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A charge that an invoice would have now, in addition to its lines.' })
export class PreviewedCharge {
  @Field(() => String) name!: string;
  @Field(() => DecimalScalar) quantity!: Decimal;
  @Field(() => DecimalScalar, { description: 'Money for each.' }) rate!: Decimal;
  @Field(() => DecimalScalar, { description: 'Of a percentage: of which 100 is the whole.' }) percentage!: Decimal;
  @Field(() => Boolean) taxable!: boolean;
  @Field(() => DecimalScalar) totalAmount!: Decimal;
}

@ObjectType({ simpleResolvers: true, description: 'An invoice of a job as it would be now. Amounts are null while it has no rate.' })
export class PreviewedInvoice {
  @Field(() => ID, { nullable: true, description: 'The live invoice; null while there is none, and for late work that none bills yet.' })
  invoiceId!: string | null;
  @Field(() => InvoiceState, {
    nullable: true,
    description: 'Of the live invoice. One that is approved stays as it is, whatever this says.',
  })
  state!: InvoiceState | null;
  @Field(() => InvoiceSide) side!: InvoiceSide;
  @Field(() => ID, { nullable: true }) customerAccountId!: string | null;
  @Field(() => ID, { nullable: true }) vendorAccountId!: string | null;
  @Field(() => ID, { nullable: true, description: 'The driver who is paid.' }) driverId!: string | null;
  @Field(() => Currency) currency!: Currency;
  @Field(() => String, { description: "The local date of the job's start." }) serviceDate!: string;
  @Field(() => [PreviewedLineItem]) @Extensions({ rows: 6 }) lineItems!: PreviewedLineItem[];
  @Field(() => [PreviewedCharge], { description: 'The charges in addition to its lines.' })
  @Extensions({ rows: 2 })
  charges!: PreviewedCharge[];
  @Field(() => DecimalScalar, { nullable: true, description: 'Of all lines.' }) lineItemsTotalAmount!: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Of all charges.' }) chargesTotalAmount!: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null where nobody pays tax.' }) taxTotalAmount!: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'With charges and tax.' }) totalAmount!: Decimal | null;
  @Field(() => [InvoiceBlocker], { description: 'Why it could not be approved; empty if it could.' }) blockers!: InvoiceBlocker[];
  @Field(() => Json, {
    nullable: true,
    description:
      'How the total comes about, as that of an invoice; null unless `explain` is given. Of a commission it is for those who see what the customer pays.',
  })
  explain!: FigureJson | null;
}

@ObjectType({ simpleResolvers: true, description: 'The sum of all invoices of a job on one side.' })
export class PreviewedTotal {
  @Field(() => InvoiceSide) side!: InvoiceSide;
  @Field(() => Currency) currency!: Currency;
  @Field(() => DecimalScalar) totalAmount!: Decimal;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'The invoices of a job as they would be now, in the books of one company. Sides whose rates the caller does not see are left out.',
})
export class InvoicePreview {
  @Field(() => ID) jobId!: string;
  @Field(() => String, { description: 'How people know the job.' }) friendlyJobId!: string;
  @Field(() => [PreviewedInvoice], { description: 'Empty of a job that nobody has accepted, or that came to nothing.' })
  @Extensions({ rows: 3 })
  invoices!: PreviewedInvoice[];
  @Field(() => [PreviewedTotal], { description: 'Without invoices that have no rate.' }) @Extensions({ rows: 2 }) totals!: PreviewedTotal[];
}

export const InvoicePreviewConnection = connectionOf('InvoicePreview', () => InvoicePreview);
