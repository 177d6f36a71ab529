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
import { isSettledSql } from '../../dispatch/access/held-work.ts';
import { InvoiceState } from '../../dispatch/fields/invoice-enums.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { JobSummary, jobSummarySql } from '../../dispatch/model/job-summary.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import type { RateTerms } from '../../dispatch/pricing/rate-statement.ts';
import { Audited } from '../../platform/commands/audit.ts';
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
  Text,
  Texts,
  Uuid,
  Uuids,
  Whole,
} from '../../platform/model/columns.ts';
import { Computed, Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { DateTime } from '../../platform/scalars.ts';
import { AddOnRateType } from '../add-ons/add-on.entity.ts';
import { Names, namesOfDay } from '../days/names-of-day.ts';
import { hasConflictSql } from '../matching/ticket-conflicts.sql.ts';
import type { TimeChoices } from './facts/job-facts.ts';
import { InvoiceStateEvent, invoiceMachine, WITH_SETTLEMENT } from './invoice.machine.ts';
import { InvoiceBlocker, InvoiceLineItemType, InvoiceReason, InvoiceSide, InvoiceWarning, UnsettledReason } from './invoice-enums.ts';
import { equipmentTypeNamesSql, Invoiceable, invoiceableSql, linesSql, loadsCountSql, ticketsCountSql } from './invoiced-work.ts';
import { unsettledReasonSql } from './unsettled.sql.ts';

/**
 * The price of a job for one side, in the books of one company (BILLING B2): what a customer owes it, or what it owes a vendor or a driver. The pay of
 * a driver may be for a day instead of a job.
 * Its contents follow the work until it is approved.
 */
@Entity()
@Tenant()
@Audited({ except: ['explain', 'counted', 'dayMinutes'] })
@ObjectType({ simpleResolvers: true })
export class Invoice extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => InvoiceSide, { required: true }) side!: InvoiceSide;
  @Whole({ required: true, hidden: true }) number!: number;
  @Text({ required: true }) invoiceId!: string;
  @Choice(() => InvoiceState, { required: true }) state: InvoiceState = 'created';
  /** The job, or else the day, that is invoiced; null for a customer that has no part in the work. */
  @One(() => Job) job?: Ref<Job> | null;
  @One(() => DriverDay) driverDay?: Ref<DriverDay> | null;
  @One(() => Order) order?: Ref<Order> | null;
  /** 1 for the work, and one more for each part that was split off or bills a difference (BILLING B2.4). */
  @Whole({ required: true, description: '1, and one more for each further invoice of the same work on the same side.' }) part: number = 1;
  @Choice(() => InvoiceReason, { required: true, description: 'Why there is this part.' }) reason: InvoiceReason = 'regular';
  @One(() => Invoice, { description: 'Of a further part: the one that it was taken off, or that it bills a difference to.' })
  parentInvoice?: Ref<Invoice> | null;
  /** Of a part that was split off: its loads. */
  @Uuids({ hidden: true }) loadIds: string[] = [];
  /** The link of the chain; null for the owner's receivable and for the pay of a driver. */
  @One(() => JobAssignment, { hidden: true }) jobAssignment?: Ref<JobAssignment> | null;
  @One(() => Project) project?: Ref<Project> | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  @Flag({
    required: true,
    description: 'It pays the vendor, as a supplier, for the material of the loads that was bought there, and for nothing else.',
  })
  ofMaterial: boolean = false;
  /** The driver of the job. */
  @One(() => User) driver?: Ref<User> | null;
  /** The payee of a payable of a driver. */
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
  /** The same of the pay of a driver: customers and vendors have none. */
  @Single(() => Rate, { on: (r, i) => `${r}.id = ${i}.rate_id and ${i}.payee_driver_id is not null` }) driverRate?: Rate | null;
  @Numeric() rateValue?: Decimal | null;
  @Choice(() => RateType) rateType?: RateType | null;
  @Numeric({ description: 'Units of a load, or minutes, that are paid at least.' }) rateMinimum?: Decimal | null;
  @Numeric({ description: 'Units of a load, or minutes, up to which is rounded.' }) rateIncrement?: Decimal | null;
  /** The further terms of the rate card. */
  @Property({ type: 'json', nullable: true }) rateTerms?: RateTerms | null;
  /** Since when its rate card said so, as explanations name it. */
  @Text({ hidden: true }) rateSince?: string | null;
  /** By what its time was paid, if time is: what is chosen later changes nothing that was billed. */
  @Property({ type: 'json', nullable: true }) timeTerms?: TimeChoices | null;
  /** It has been decided what is requested for a job that was canceled. */
  @Flag({ required: true, hidden: true }) stackOutNoted: boolean = false;
  /** Little is left of it after what the work costs. */
  @Flag({ required: true, hidden: true }) thinMargin: boolean = false;
  /** The warnings about the fuel that it charges. */
  @Choices(() => InvoiceWarning, { hidden: true }) fuelWarnings: InvoiceWarning[] = [];
  /** The quantities for which its loads count, where the rates of an order go by how much was hauled. */
  @Property({ type: 'json', nullable: true }) counted?: string[] | null;
  /** Minutes of its job by which others of the day of its driver are paid that have other owners; null where there are none. */
  @Whole({ hidden: true }) dayMinutes?: number | null;
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
  /** By how much its lines differ from what the work comes to, because somebody edited or removed some. */
  @Numeric({ required: true, hidden: true }) adjustmentsTotalAmount: Decimal = new Decimal(0);
  @Choices(() => InvoiceBlocker, { description: 'Why it cannot be approved; empty if it can.' }) blockers: InvoiceBlocker[] = [];
  @Flag({
    required: true,
    description: 'The work has changed since the invoice was approved, or a line was edited, and would be priced otherwise now.',
  })
  stale: boolean = false;
  /** The lines that somebody took away, by `keyOfLine`. */
  @Texts({ hidden: true }) removedLines: string[] = [];
  /** The explanation of the total (`FigureJson`), which `ExplainedInvoiceResolver` shows; null before the job is finished. */
  @Property({ type: 'json', nullable: true, fieldName: 'explanation' }) explain?: object | null;
  @Instant() billingApprovedAt?: Date | null;
  @Day({
    description:
      'The day on which it counts in the books: that of the work, or of taking back an exported invoice of it, or the first one that was not closed when it was approved; null before that.',
  })
  postingDate?: string | null;
  /** The customer's company, which reads what was sent to it. */
  @Uuid({ hidden: true }) sentToCompanyId?: string | null;
  @Instant({ description: "When it was sent to the customer's company." }) sentAt?: Date | null;
  @Instant({ description: 'When accounting got it by itself.' }) exportedAt?: Date | null;
  /** Whether it is on its way to an accounting system by itself, or may have arrived there (`uncertain`): then it stays as it is. */
  @Text({ required: true, hidden: true }) exportState: string = 'not_exported';
  @Day({ description: 'Of an invoice that was voided after it was exported: the day on which it is taken back in the books.' })
  reversalDate?: string | null;
  @Property({ version: true }) @Field(() => Int) version: number = 1;

  @Many(() => InvoiceLineItem, { local: 'id', foreign: 'invoice', order: { lineItemType: 'asc', ordinality: 'asc' } })
  invoiceLineItems!: InvoiceLineItem[];

  @Field(() => [InvoiceStateEvent])
  @Computed({
    columns: ['state', 'blockers', 'side', 'exportedAt', 'exportState', 'isSettled'],
    compute: (row) => invoiceMachine.open(row as unknown as Invoice).filter((event) => !row.isSettled || !WITH_SETTLEMENT.includes(event)),
  })
  stateEvents!: InvoiceStateEvent[];
  @Field(() => Boolean)
  @Computed({ columns: ['billingApprovedAt'], compute: (row) => row.billingApprovedAt !== null })
  approved!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state', 'blockers'], compute: (row) => row.state === 'pending' && (row.blockers as string[]).length === 0 })
  approvable!: boolean;
  @Field(() => Boolean)
  @Computed({
    columns: ['state', 'exportState', 'isSettled'],
    compute: (row) => !row.isSettled && invoiceMachine.can(row as unknown as Invoice, 'unapprove'),
  })
  unapprovable!: boolean;
  @Field(() => Boolean)
  @Computed({ columns: ['state'], compute: (row) => row.state === 'pending' })
  editable!: boolean;
  @Field(() => UnsettledReason, {
    nullable: true,
    description: 'Why no settlement has it; null if one has it, if it was paid by itself, or if it is voided.',
  })
  @Computed({ sql: unsettledReasonSql })
  unsettledReason!: UnsettledReason | null;
  @Field(() => Int)
  @Computed({ sql: loadsCountSql })
  totalLoadsCount!: number;
  @Field(() => Int) @Computed({ sql: ticketsCountSql }) ticketsCount!: number;
  @Field(() => DecimalScalar, { description: 'The sum of the quantities of its lines, apart from material.' })
  @Computed({ sql: (t) => linesSql(t, `coalesce(sum(i.quantity), 0)::text`, `and i.line_item_type <> 'MaterialRateLineItem'`) })
  invoiceLineItemsTotalQuantity!: string;
  @Field(() => DateTime, { nullable: true })
  @Computed({ sql: (t) => linesSql(t, 'min(i.pay_start_time)') })
  payStartTime!: string | null;
  @Field(() => DateTime, { nullable: true })
  @Computed({ sql: (t) => linesSql(t, 'max(i.pay_end_time)') })
  payEndTime!: string | null;
  @Field(() => String, { nullable: true, description: 'The truck, as its company calls it.' })
  @Computed({ path: 'equipment.equipmentId' })
  truckId!: string | null;
  @Field(() => Invoiceable, { description: 'The work that is invoiced.' })
  @Computed({ sql: invoiceableSql })
  invoiceable!: Invoiceable;
  @Names('order.orderId') orderOrderIds!: string[];
  @Names('project.name') projectNames!: string[];
  @Names('material.name') materialNames!: string[];
  @Names('pickupSite.name') pickupSiteNames!: string[];
  @Names('dropoffSite.name') dropoffSiteNames!: string[];
  @Names('job.jobId') jobJobIds!: string[];
  @Names('equipment.externalId') equipmentExternalIds!: string[];
  @Field(() => [String]) @Computed({ sql: equipmentTypeNamesSql }) equipmentTypeNames!: string[];
  @Computed({ sql: namesOfDay }) namesOfDay?: object | null;
  /** A settlement has it now, with which it is paid, exported and taken back. */
  @Computed({ sql: isSettledSql }) isSettled?: boolean;
  /** A ticket of its loads contradicts something else. */
  @Computed({ sql: hasConflictSql }) ticketConflict?: boolean;
  /** Exists once the job is finished (DOMAIN section 4 "JobSummary"). */
  @Field(() => JobSummary, { nullable: true })
  @Computed({ sql: (t) => `(select ${jobSummarySql('sj')} from job sj where sj.id = ${t}.job_id)` })
  jobSummary?: JobSummary | null;
}

/** A line of an invoice (BILLING B3): a load or the time of a job, at a rate, rounded once. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class InvoiceLineItem extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => Invoice, { required: true }) invoice!: Ref<Invoice>;
  @One(() => Load) load?: Ref<Load> | null;
  /** Of several lines of one kind for a load, which one; from 0. */
  @Whole({ required: true, hidden: true }) part: number = 0;
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
  /** Of a difference: the line that was billed. */
  @Uuid({ hidden: true }) correctsId?: string | null;
  /** The person or client who edited it; null of a line that follows the work. */
  @Uuid({ hidden: true }) editedById?: string | null;
  @Numeric({ hidden: true }) editedQuantity?: Decimal | null;
  @Numeric({ hidden: true }) editedRate?: Decimal | null;
  @Instant({ hidden: true }) editedPayStartTime?: Date | null;
  @Instant({ hidden: true }) editedPayEndTime?: Date | null;
  /** The quantity and the rate by the work when it was edited. */
  @Numeric({ hidden: true }) seenQuantity?: Decimal | null;
  @Numeric({ hidden: true }) seenRate?: Decimal | null;
  @Numeric({ description: 'Of an edited line: what it would be by the work as it is now.' }) workQuantity?: Decimal | null;
  @Numeric({ description: 'Of an edited line: the rate that it would have.' }) workRate?: Decimal | null;
  @Numeric({ description: 'Of an edited line: the amount that it would have.' }) workTotalAmount?: Decimal | null;
  /** As of the invoice: who sees the money. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @Uuid({ hidden: true }) sentToCompanyId?: string | null;
  @One(() => User, { hidden: true }) payeeDriver?: Ref<User> | null;

  @Field(() => ID)
  @Computed({ sql: (t) => `${t}.invoice_id` })
  invoiceId!: string;
  @Field(() => Boolean, { description: 'It is what a line that was billed should have been more, or less.' })
  @Computed({ columns: ['correctsId'], compute: (row) => row.correctsId !== null })
  isDifference!: boolean;
  @Field(() => Boolean, { description: 'Somebody set a part of it by hand, which stays when the work changes.' })
  @Computed({ columns: ['editedById'], compute: (row) => row.editedById !== null })
  edited!: boolean;
  /** Of a commission, too, the rate is for one of what was hauled. */
  @Field(() => AddOnRateType)
  @Computed({ columns: [], compute: (): AddOnRateType => 'RateForEach' })
  revenueCostRateType!: AddOnRateType;
  @Field(() => UnitOfMeasure, { nullable: true })
  @Computed({
    columns: ['lineItemType', 'unitOfMeasure'],
    compute: (row) => (row.lineItemType === 'MaterialRateLineItem' ? row.unitOfMeasure : null),
  })
  materialRateUnitOfMeasure!: UnitOfMeasure | null;
}
