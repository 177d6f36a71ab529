import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Day, Flag, Numeric, One, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Single, Tenant } from '../../platform/model/decorators.ts';
import { AddOn, ChargeTerms, PercentageBase } from '../add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../auto-add-ons/auto-add-on-assignment.entity.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Settlement } from '../settlements/settlement.entity.ts';

export const AddOnRequestableType = stringEnum('AddOnRequestableType', ['Job', 'DriverDay']);
export type AddOnRequestableType = keyof typeof AddOnRequestableType;
export const AddOnApplicableType = stringEnum('AddOnApplicableType', ['Invoice', 'Settlement']);
export type AddOnApplicableType = keyof typeof AddOnApplicableType;
export const AddOnChargeWarning = stringEnum('AddOnChargeWarning', ['zero_quantity', 'total_not_known']);
export type AddOnChargeWarning = keyof typeof AddOnChargeWarning;

/** Columns of a charge on which the price of what it is for depends. */
export const PRICED_COLUMNS = [
  ...[
    'name',
    'quantity',
    'revenue_rate_value',
    'revenue_cost_rate_type',
    'cost_rate_value',
    'percentage',
    'percentage_base',
    'taxable',
    'add_on_id',
  ],
];

/** The completed loads of the work for which a charge was requested, without those that were turned away. */
const completedLoads = (t: string): string => `(select count(*) from load cl join job cj on cj.id = cl.job_id
  where cl.state = 'completed' and coalesce((select ck.quantity from ticket ck where ck.load_id = cl.id and ck.voided_at is null and ck.quantity is not null), cl.quantity) is distinct from 0
    and (cj.id = ${t}.job_id or cj.driver_day_id = ${t}.driver_day_id))`;

/** SQL of what a charge adds up to at a rate and a percentage (DOMAIN 3.6); 0 while nobody knows what a percentage is taken of. */
const totalAt = (t: string, rate: string, percentage: string): string => `case ${t}.revenue_cost_rate_type
  when 'RateForEach' then round(${t}.quantity * ${rate}, 2)
  when 'PerLoad' then round(${completedLoads(t)} * ${rate}, 2)
  when 'RatePercentOfTotal' then round(coalesce(${t}.base_amount, 0) * ${percentage} / 100, 2) else 0 end`;

/** Whether a charge of an invoice is for fuel and comes of a rate card: all others for fuel have an add-on, which has the schedule. */
export const isCompanyFuel = ({ addOn, revenueCostRateType, requestedById }: AddOnCharge): boolean =>
  revenueCostRateType === 'FuelSurcharge' && !addOn && !requestedById;

/**
 * An amount that is charged or paid in addition to the freight of a job or a driver day. One that is applied to nothing is a request: invoices and
 * settlements get copies of it (BILLING B4).
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class AddOnCharge extends ChargeTerms {
  /** In whose books it is: each company of a chain charges for itself. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Job) job?: Ref<Job> | null;
  @One(() => DriverDay) driverDay?: Ref<DriverDay> | null;
  @One(() => Load) load?: Ref<Load> | null;
  /** The person or client that requested it. */
  @Uuid({ hidden: true }) requestedById?: string | null;
  @Choice(() => AddOnApplicableType) addOnApplicableType?: AddOnApplicableType | null;
  @Uuid() addOnApplicableId?: string | null;
  /** The invoice that it is applied to, if it is one. */
  @Single(() => Invoice, { on: (invoice, t) => `${t}.add_on_applicable_type = 'Invoice' and ${invoice}.id = ${t}.add_on_applicable_id` })
  invoice?: Invoice | null;

  /** The payee of the record that it is applied to, if that is a driver of the company. */
  @One(() => User, { hidden: true }) payeeDriver?: Ref<User> | null;
  /** The books' company, in one column for each permission by which the money is seen; a request is the customer's until it is applied. */
  @Uuid({ hidden: true }) receivableCompanyId?: string | null;
  @Uuid({ hidden: true }) vendorCompanyId?: string | null;
  @Uuid({ hidden: true }) driverCompanyId?: string | null;
  @One(() => Settlement, { description: 'Of a balance: the settlement by which the payee owed it.' }) balanceOf?: Ref<Settlement> | null;
  /** The request of which it is a copy. */
  @One(() => AddOnCharge, { hidden: true }) requestedCharge?: Ref<AddOnCharge> | null;

  /** The assignment by which it came, of one that nobody requested. */
  @One(() => AutoAddOnAssignment, { hidden: true }) autoAddOnAssignment?: Ref<AutoAddOnAssignment> | null;

  /** The same, also after it was deleted. */
  @Uuid({ hidden: true }) assignedId?: string | null;

  @One(() => AddOn) addOn?: Ref<AddOn> | null;
  @Text({ required: true }) name!: string;
  @Numeric({ required: true }) quantity!: Decimal;
  @Numeric() revenueRateValue!: Decimal;
  @Numeric() costRateValue?: Decimal | null;
  @Numeric() percentage!: Decimal;
  @Choice(() => PercentageBase, { required: true, description: 'Of what the percentage is taken on an invoice: as its add-on was.' })
  percentageBase: PercentageBase = 'lines';
  @Numeric() rebillRevenueRateValue?: Decimal | null;
  @Numeric() rebillPercentage?: Decimal | null;
  /** As its add-on was when the charge was made. */
  @Flag({ required: true }) taxable: boolean = false;
  /** The amount of which a percentage was taken; null before it is applied. */
  @Numeric({ hidden: true }) baseAmount?: Decimal | null;
  /** Its total where it is applied; null before. */
  @Numeric({ hidden: true }) amount?: Decimal | null;
  /** Of one on an invoice that was sent: the customer's company. */
  @Uuid({ hidden: true }) sentToCompanyId?: string | null;
  /** Its total on a settlement that is billed anew; null elsewhere. */
  @Numeric({ hidden: true }) rebillAmount?: Decimal | null;
  @Day({ description: 'The day of the price of fuel by which it is charged; null of other charges, and while that is not known.' })
  ratedOn?: string | null;
  @Field(() => AddOnRequestableType, { nullable: true })
  @Computed({ columns: ['jobId', 'driverDayId'], compute: (row) => (row.jobId ? 'Job' : row.driverDayId ? 'DriverDay' : null) })
  addOnRequestableType?: AddOnRequestableType | null;
  @Field(() => ID, { nullable: true })
  @Computed({ sql: (t) => `coalesce(${t}.job_id, ${t}.driver_day_id)` })
  addOnRequestableId?: string | null;
  @Field(() => DecimalScalar, { nullable: true })
  @Computed({ sql: (t) => `coalesce(${t}.amount, ${totalAt(t, `${t}.revenue_rate_value`, `${t}.percentage`)})` })
  totalAmount?: string | null;
  @Field(() => DecimalScalar, { nullable: true })
  @Computed({
    sql: (
      t,
    ) => `case when ${t}.rebill_amount is not null then ${t}.rebill_amount when coalesce(${t}.rebill_revenue_rate_value, ${t}.rebill_percentage) is not null then
      ${totalAt(t, `coalesce(${t}.rebill_revenue_rate_value, ${t}.revenue_rate_value)`, `coalesce(${t}.rebill_percentage, ${t}.percentage)`)} end`,
  })
  rebillTotalAmount?: string | null;
  @Field(() => [AddOnChargeWarning])
  @Computed({ columns: ['quantity', 'revenueCostRateType', 'baseAmount', 'addOnApplicableId'], compute: warningsOf })
  warnings!: AddOnChargeWarning[];
}

/** Why a charge may not add up to what was meant. */
function warningsOf(row: Record<string, unknown>): AddOnChargeWarning[] {
  if (row.revenueCostRateType === 'RateForEach') return new Decimal(String(row.quantity)).isZero() ? ['zero_quantity'] : [];
  return row.revenueCostRateType !== 'PerLoad' && row.addOnApplicableId === null ? ['total_not_known'] : [];
}
