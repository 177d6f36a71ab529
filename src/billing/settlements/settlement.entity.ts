import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Currency } from '../../directory/companies/company-enums.ts';
import { User } from '../../directory/people/user.entity.ts';
import { PAYABLE, prefixOf, RECEIVABLE } from '../../dispatch/fields/settlement-number.ts';
import { DeliveredQuantity } from '../../dispatch/model/delivered.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import {
  Choice,
  Choices,
  Day,
  Flag,
  Instant,
  Numeric,
  One,
  RecordBase,
  stringEnum,
  Text,
  Texts,
  Uuid,
  Whole,
} from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { InvoiceSide } from '../invoices/invoice-enums.ts';
import { pdfUrlOf } from './documents/settlement-pdf-url.ts';
import { PAYABLE as BILLED, SettlementState, SettlementStateEvent, settlementMachine } from './settlement.machine.ts';

/** A number is given once, an invoice is in one live settlement, and a voided settlement is billed anew once. */
export const settlementNumberKey = defineUnique('settlement_number_key', { model: 'Settlement', field: 'settlementId' });
export const settlementInvoiceKey = defineUnique('settlement_invoice_live_key', { model: 'Settlement', field: 'invoiceIds' });
export const settlementOriginalKey = defineUnique('settlement_original_key', { model: 'Settlement', field: 'originalSettlement' });

export const SettlementLineItemType = stringEnum('SettlementLineItemType', ['order', 'job', 'load']);
export type SettlementLineItemType = keyof typeof SettlementLineItemType;
export const SettlementLineItemGrouping = stringEnum('SettlementLineItemGrouping', ['material', 'equipment_type', 'service']);
export type SettlementLineItemGrouping = keyof typeof SettlementLineItemGrouping;

/** The work of a settlement, in short. */
@ObjectType({ simpleResolvers: true })
export class SettlementData {
  @Field(() => [String]) friendlyOrderIds!: string[];
  @Field(() => [String], { description: 'Such as `68.67 Ton`.' }) quantitiesPerUom!: string[];
}

/** A settlement is called `AR-118` when a customer owes it, and `AP-118` when a vendor or driver is paid by it. */
const Id =
  (prefix: (side: unknown) => string): PropertyDecorator =>
  (target, key) => {
    Field(() => String)(target, key);
    Computed({ columns: ['side', 'number'], compute: ({ side, number }) => `${prefix(side)}-${number}` })(target, key);
  };

/**
 * Approved invoices of one customer, vendor or driver that are sent, paid and exported together (BILLING B9). The sums are those of its invoices
 * when it was made: they are approved and stay as they are.
 */
@Entity()
@Tenant()
@Audited({ except: ['deliveredQuantities'] })
@ObjectType({ simpleResolvers: true })
export class Settlement extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => InvoiceSide, { required: true }) side!: InvoiceSide;
  @Whole({ required: true, hidden: true }) number!: number;
  @Choice(() => SettlementState, { required: true }) state: SettlementState = 'pending';
  @Text({ hidden: true }) stateBeforePay?: string | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  /** The payee, if it is a driver of the company. */
  @One(() => User) driver?: Ref<User> | null;
  /** The books' company, in one column for each permission by which the money is seen. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @Choice(() => Currency, { required: true }) currency!: Currency;
  @Choice(() => SettlementLineItemType, { required: true }) settlementLineItemType: SettlementLineItemType = 'order';
  @Choices(() => SettlementLineItemGrouping) settlementLineItemGroupings: SettlementLineItemGrouping[] = [];
  @Flag({ required: true }) includeLoadsInPdf: boolean = false;
  @Day({ required: true, description: 'The first day of its work.' }) startsOn!: string;
  @Day({ required: true, description: 'The last day of its work.' }) endsOn!: string;
  @Whole({ required: true }) jobsCount!: number;
  @Texts({ hidden: true }) friendlyOrderIds: string[] = [];
  @Texts({ hidden: true }) quantitiesPerUom: string[] = [];
  @Property({ type: 'json' }) @Field(() => [DeliveredQuantity]) deliveredQuantities!: DeliveredQuantity[];
  @Numeric({ required: true, masked: true, description: 'The sum of its invoices, with their tax.' }) invoicesTotalAmount!: Decimal;
  @Numeric({ description: 'The tax in the total of its invoices.' }) invoicesTaxTotalAmount?: Decimal | null;
  @Numeric({ required: true, masked: true, description: 'By how much lines were changed by hand; a part of the total of its invoices.' })
  adjustmentsTotalAmount!: Decimal;
  @Numeric({ required: true, masked: true }) addOnChargesTotalAmount!: Decimal;
  @Numeric({ required: true, masked: true }) totalAmount!: Decimal;
  @Numeric({ description: 'Of a settlement that is billed anew: what it comes to now.' }) rebillInvoicesTotalAmount?: Decimal | null;
  @Numeric() rebillInvoicesTaxTotalAmount?: Decimal | null;
  @Numeric() rebillAddOnChargesTotalAmount?: Decimal | null;
  @Numeric() rebillTotalAmount?: Decimal | null;
  /** The voided one that it replaces. */
  @One(() => Settlement) originalSettlement?: Ref<Settlement> | null;
  /** The customer's company, to which it was sent. */
  @Uuid({ hidden: true }) sentToCompanyId?: string | null;
  @Instant({ description: "When it was sent to the customer's company." }) sentAt?: Date | null;
  @Text() voidReason?: string | null;
  @Instant() voidedAt?: Date | null;
  @Instant() exportedAt?: Date | null;
  @Instant({ description: 'When what the payee owes by it was carried over to the next settlement.' }) carriedForwardAt?: Date | null;
  @Instant() billingApprovedAt?: Date | null;
  @Day({
    description:
      'The day on which it counts in the books: the last one of its invoices, or that on which what it replaces was taken back, or the first one that was not closed when it was approved; null before that.',
  })
  postingDate?: string | null;
  @Day({
    description:
      'Of a settlement that was voided after it was exported, or its period closed: the day on which it is taken back in the books.',
  })
  reversalDate?: string | null;
  @Instant({ description: 'When it was noted as paid.' }) paidAt?: Date | null;
  /** Whether it is on its way to an accounting system, or may have arrived there (`uncertain`): then it stays as it is. */
  @Text({ required: true, hidden: true }) exportState: string = 'not_exported';
  /** It was exported, or on its way, when it was paid. */
  @Flag({ required: true, hidden: true }) exportedBeforePay: boolean = false;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Id(prefixOf) settlementId!: string;
  @Id(() => RECEIVABLE) arSettlementId!: string;
  @Id(() => PAYABLE) apSettlementId!: string;
  @Field(() => SettlementData)
  @Computed({
    columns: ['friendlyOrderIds', 'quantitiesPerUom'],
    compute: ({ friendlyOrderIds, quantitiesPerUom }) => ({ friendlyOrderIds, quantitiesPerUom }),
  })
  data!: SettlementData;
  @Field(() => [SettlementStateEvent])
  @Computed({
    columns: ['state', 'side', 'stateBeforePay', 'exportedAt', 'exportState', 'exportedBeforePay'],
    compute: (row) => settlementMachine.open(row as unknown as Settlement),
  })
  stateEvents!: SettlementStateEvent[];
  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => row.state === 'pending' })
  editable!: boolean;
  @Field(() => Boolean)
  // The customer does not read when.
  @Computed({
    columns: ['state', 'billingApprovedAt'],
    compute: ({ state, billingApprovedAt }) =>
      billingApprovedAt !== null || BILLED.some((approved) => approved === state) || state === 'paid',
  })
  approved!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => settlementMachine.can(row as unknown as Settlement, 'approve') })
  approvable!: boolean;
  @Field(() => Boolean)
  @Computed({
    columns: ['state', 'exportedAt', 'exportState'],
    compute: (row) => settlementMachine.can(row as unknown as Settlement, 'unapprove'),
  })
  unapprovable!: boolean;
  @Field(() => String, {
    nullable: true,
    description:
      'URL of the settlement as it is printed (PDF), which requires the same token as all requests. Null of one that another company sent.',
  })
  @Computed({ columns: ['companyId'], compute: (row, application) => pdfUrlOf(application, String(row.companyId), String(row.id)) })
  pdfUrl?: string | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'By how much it comes to more than the settlement that it replaces; null if it replaces none.',
  })
  @Computed({
    sql: (t) => `(select coalesce(${t}.rebill_total_amount, ${t}.total_amount) - coalesce(ds.rebill_total_amount, ds.total_amount)
      from settlement ds where ds.id = ${t}.original_settlement_id)`,
  })
  differenceTotalAmount?: string | null;
  @Field(() => Boolean, { description: 'It is voided and was not billed anew.' })
  @Computed({ sql: (t) => `(${t}.state = 'voided' and not exists (select from settlement rs where rs.original_settlement_id = ${t}.id))` })
  rebillable!: boolean;
}
