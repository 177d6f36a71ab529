import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';

import { Company } from '../../directory/companies/company.entity.ts';
import { Currency } from '../../directory/companies/company-enums.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { JobSummary, jobSummarySql } from '../../dispatch/model/job-summary.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
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
  Uuid,
  Whole,
} from '../../platform/model/columns.ts';
import { Computed, Many, Tenant } from '../../platform/model/decorators.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import { AddOnRateType } from '../add-ons/add-on.entity.ts';
import { InvoiceState, InvoiceStateEvent, invoiceMachine } from './invoice.machine.ts';

/** A job has one live invoice for each side and link, and a line for each load. */
export const invoiceJobKey = defineUnique('invoice_job_key', { model: 'Invoice', field: 'jobId' });
export const invoiceLineItemKey = defineUnique('invoice_line_item_key', { model: 'InvoiceLineItem', field: 'loadId' });

export const InvoiceSide = stringEnum('InvoiceSide', ['receivable', 'payable']);
export type InvoiceSide = keyof typeof InvoiceSide;

export const InvoiceableType = stringEnum('InvoiceableType', ['Job', 'DriverDay']);
export type InvoiceableType = keyof typeof InvoiceableType;

export const InvoiceBlocker = stringEnum('InvoiceBlocker', [
  'job_not_finished',
  'open_load',
  'load_not_approved',
  'job_not_approved',
  'missing_quantity',
  'unit_mismatch',
  'no_rate',
  'no_counterparty',
  'commission_without_receivable',
  'fuel_price_missing',
]);
export type InvoiceBlocker = keyof typeof InvoiceBlocker;

/** What an invoice is for. */
@ObjectType({ simpleResolvers: true })
export class Invoiceable {
  @Field(() => ID) id!: string;
  @Field(() => InvoiceableType) type!: InvoiceableType;
}

/** What the contract lists of an invoice's work: at most one name, because an invoice is for one job. */
const Names =
  (path: string): PropertyDecorator =>
  (target, key) => {
    Field(() => [String])(target, key);
    Computed({ columns: [path], compute: (row) => [row[path]].filter((name) => name != null) })(target, key);
  };

/**
 * The price of a job for one side, in the books of one company (BILLING B2): what a customer owes it, or what it owes a vendor or a driver.
 * What it says follows the work until it is approved.
 */
@Entity()
@Tenant()
@Audited({ except: ['explain'] })
@ObjectType({ simpleResolvers: true })
export class Invoice extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => InvoiceSide, { required: true }) side!: InvoiceSide;
  @Whole({ required: true, hidden: true }) number!: number;
  @Text({ required: true }) invoiceId!: string;
  @Choice(() => InvoiceState, { required: true }) state: InvoiceState = 'created';
  @One(() => Job, { required: true }) job!: Ref<Job>;
  @One(() => Order, { required: true }) order!: Ref<Order>;
  /** The link of the chain; null for the owner's receivable and for the pay of a driver. */
  @One(() => JobAssignment, { hidden: true }) jobAssignment?: Ref<JobAssignment> | null;
  @One(() => Project) project?: Ref<Project> | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  /** Who drives the job. */
  @One(() => User) driver?: Ref<User> | null;
  /** Who is paid by a payable of a driver. */
  @One(() => User, { hidden: true }) payeeDriver?: Ref<User> | null;
  /** The books' company, in one column for each permission by which the money is seen. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @One(() => Material) material?: Ref<Material> | null;
  @One(() => Site) pickupSite?: Ref<Site> | null;
  @One(() => Site) dropoffSite?: Ref<Site> | null;
  @Choice(() => Currency, { required: true }) currency!: Currency;
  @Day({ required: true, description: "The local date of the job's start, in the zone of the books' company." }) serviceDate!: string;
  @One(() => Rate) rate?: Ref<Rate> | null;
  @Numeric() rateValue?: Decimal | null;
  @Choice(() => RateType) rateType?: RateType | null;
  @Numeric({ description: 'Units of a load, or minutes, that are paid at least.' }) rateMinimum?: Decimal | null;
  @Numeric({ description: 'Units of a load, or minutes, up to which is rounded.' }) rateIncrement?: Decimal | null;
  /** Of a commission: what it comes to for a unit of the customer's rate, so that the rate itself stays unknown. */
  @Numeric() commissionRateValue?: Decimal | null;
  @Choice(() => RateType) commissionRateType?: RateType | null;
  @Flag({ required: true, description: 'Somebody set the rate on the invoice itself.' }) byHand: boolean = false;
  @Flag({ required: true }) materialRateItemized: boolean = false;
  @Numeric() materialRateSellPrice?: Decimal | null;
  @Choice(() => UnitOfMeasure) materialRateUnitOfMeasure?: UnitOfMeasure | null;
  @Numeric() taxRate?: Decimal | null;
  @Text() taxDescription?: string | null;
  @Numeric({ required: true, masked: true }) invoiceLineItemsTotalAmount: Decimal = new Decimal(0);
  @Numeric({ required: true, masked: true }) addOnChargesTotalAmount: Decimal = new Decimal(0);
  @Whole({ required: true }) addOnChargesCount: number = 0;
  @Numeric() taxPretaxAmount?: Decimal | null;
  @Numeric() taxTotalAmount?: Decimal | null;
  @Numeric({ required: true, masked: true }) totalAmount: Decimal = new Decimal(0);
  @Choices(() => InvoiceBlocker, { description: 'Why it cannot be approved; empty if it can.' }) blockers: InvoiceBlocker[] = [];
  @Flag({ required: true, description: 'The work has changed since the invoice was approved, and would be priced otherwise now.' })
  stale: boolean = false;
  @Property({ type: 'json', nullable: true, fieldName: 'explanation' })
  @Field(() => Json, {
    nullable: true,
    description:
      'How the total came about: `{ label, amount, operation, places, source, parts }`, down to what somebody wrote on a ticket or agreed on; null before the job is finished.',
  })
  explain?: object | null;
  @Instant() billingApprovedAt?: Date | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => InvoiceLineItem, { local: 'id', foreign: 'invoice', order: { lineItemType: 'asc', ordinality: 'asc' } })
  invoiceLineItems!: InvoiceLineItem[];

  @Field(() => [InvoiceStateEvent])
  @Computed({
    columns: ['state', 'blockers'],
    compute: (row) => invoiceMachine.open(row as unknown as Invoice),
  })
  stateEvents!: InvoiceStateEvent[];
  @Field(() => Boolean)
  @Computed({ columns: ['billingApprovedAt'], compute: (row) => row.billingApprovedAt !== null })
  approved!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state', 'blockers'], compute: (row) => row.state === 'pending' && (row.blockers as string[]).length === 0 })
  approvable!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => row.state === 'approved' })
  unapprovable!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => row.state === 'pending' })
  editable!: boolean;
  @Field(() => Int)
  @Computed({ sql: (t) => lines(t, `count(*)::int`, `and i.line_item_type <> 'MaterialRateLineItem' and i.load_id is not null`) })
  totalLoadsCount!: number;
  @Field(() => Int)
  @Computed({ sql: (t) => `(select count(*)::int from ticket k where k.job_id = ${t}.job_id and k.voided_at is null)` })
  ticketsCount!: number;
  @Field(() => DecimalScalar, { description: 'The sum of the quantities of its lines, apart from material.' })
  @Computed({ sql: (t) => lines(t, `coalesce(sum(i.quantity), 0)::text`, `and i.line_item_type <> 'MaterialRateLineItem'`) })
  invoiceLineItemsTotalQuantity!: string;
  @Field(() => DateTime, { nullable: true })
  @Computed({ sql: (t) => lines(t, 'min(i.pay_start_time)') })
  payStartTime!: string | null;
  @Field(() => DateTime, { nullable: true })
  @Computed({ sql: (t) => lines(t, 'max(i.pay_end_time)') })
  payEndTime!: string | null;
  @Field(() => String, { nullable: true, description: 'The truck, as its company calls it.' })
  @Computed({ path: 'equipment.equipmentId' })
  truckId!: string | null;
  @Field(() => Invoiceable, { description: 'The work that is invoiced.' })
  @Computed({ sql: (t) => `json_build_object('id', ${t}.job_id, 'type', 'Job')` })
  invoiceable!: Invoiceable;
  @Names('order.orderId') orderOrderIds!: string[];
  @Names('project.name') projectNames!: string[];
  @Names('material.name') materialNames!: string[];
  @Names('pickupSite.name') pickupSiteNames!: string[];
  @Names('dropoffSite.name') dropoffSiteNames!: string[];
  @Names('job.jobId') jobJobIds!: string[];
  @Names('equipment.externalId') equipmentExternalIds!: string[];
  @Field(() => [String])
  @Computed({
    sql: (t) => `array(select y.name from equipment e join equipment_type y on y.id = e.equipment_type_id where e.id = ${t}.equipment_id)`,
  })
  equipmentTypeNames!: string[];
  /** Exists once the job is finished (DOMAIN section 4 "JobSummary"). */
  @Field(() => JobSummary, { nullable: true })
  @Computed({ sql: (t) => `(select ${jobSummarySql('sj')} from job sj where sj.id = ${t}.job_id)` })
  jobSummary?: JobSummary | null;
}

export const InvoiceLineItemType = stringEnum('InvoiceLineItemType', ['InvoiceLineItem', 'MaterialRateLineItem', 'FreightRateLineItem']);
export type InvoiceLineItemType = keyof typeof InvoiceLineItemType;

/** A line of an invoice (BILLING B3): a load or the time of a job, at a rate, rounded once. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class InvoiceLineItem extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Invoice, { required: true }) invoice!: Ref<Invoice>;
  @One(() => Load) load?: Ref<Load> | null;
  @Whole({ required: true }) ordinality!: number;
  @Choice(() => InvoiceLineItemType, { required: true }) lineItemType!: InvoiceLineItemType;
  @Text() name?: string | null;
  /** In the unit of the rate, before minimum and increment; hours of time. */
  @Numeric({ required: true }) deliveredQuantity!: Decimal;
  @Numeric({ required: true }) quantity!: Decimal;
  @Choice(() => UnitOfMeasure) unitOfMeasure?: UnitOfMeasure | null;
  @Numeric({ required: true, masked: true }) rate!: Decimal;
  @Choice(() => RateType) rateType?: RateType | null;
  @Numeric({ required: true, masked: true }) totalAmount!: Decimal;
  @Instant() payStartTime?: Date | null;
  @Instant() payEndTime?: Date | null;
  /** Minutes that are paid in addition to those between the two times, or not paid of them. */
  @Whole({ required: true }) billingAdjustmentMinutes: number = 0;
  /** As of the invoice: who sees the money. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @One(() => User, { hidden: true }) payeeDriver?: Ref<User> | null;

  @Field(() => ID)
  @Computed({ sql: (t) => `${t}.invoice_id` })
  invoiceId!: string;
  @Field(() => AddOnRateType)
  @Computed({
    columns: ['rateType'],
    compute: (row): AddOnRateType => (row.rateType === 'RateCommission' ? 'RatePercentOfTotal' : 'RateForEach'),
  })
  revenueCostRateType!: AddOnRateType;
  @Field(() => UnitOfMeasure, { nullable: true })
  @Computed({
    columns: ['lineItemType', 'unitOfMeasure'],
    compute: (row) => (row.lineItemType === 'MaterialRateLineItem' ? row.unitOfMeasure : null),
  })
  materialRateUnitOfMeasure!: UnitOfMeasure | null;
}

const lines = (t: string, what: string, more = ''): string =>
  `(select ${what} from invoice_line_item i where i.invoice_id = ${t}.id ${more})`;
