import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Choices, Flag, Instant, Numeric, One, RecordBase, stringEnum, Text, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { FuelSurchargeSchedule } from '../fuel/fuel-surcharge-schedule.entity.ts';

export const AddOnType = stringEnum('AddOnType', ['driver_pay', 'invoicing', 'job', 'settlement', 'driver_day']);
export type AddOnType = keyof typeof AddOnType;
export const AddOnRateType = stringEnum('AddOnRateType', ['RateForEach', 'RatePercentOfTotal', 'PerLoad', 'FuelSurcharge']);
export type AddOnRateType = keyof typeof AddOnRateType;

/** In what waiting is counted. */
export const WaitUnit = stringEnum('WaitUnit', ['hour', 'minute']);
export type WaitUnit = keyof typeof WaitUnit;

/** Of what a percentage is taken: customers and vendors agree on it differently (BILLING B4). */
export const PercentageBase = stringEnum('PercentageBase', ['lines', 'lines_and_fuel']);
export type PercentageBase = keyof typeof PercentageBase;

/** The fields that add-ons, and what is charged of them, have in common. */
@ObjectType({ simpleResolvers: true })
export abstract class ChargeTerms extends RecordBase {
  @Choice(() => AddOnRateType, { required: true }) revenueCostRateType: AddOnRateType = 'RateForEach';
  @Text() externalId?: string | null;
  @Text() accountingId?: string | null;

  @Field(() => DecimalScalar, { nullable: true, deprecationReason: 'Use revenueRateValue.' })
  @Computed({ sql: (t) => `${t}.revenue_rate_value` })
  rate?: string | null;
  @Field(() => AddOnRateType, { deprecationReason: 'Use revenueCostRateType.' })
  @Computed({ columns: ['revenueCostRateType'], compute: (row) => row.revenueCostRateType })
  addOnRateType!: AddOnRateType;
}

/** An amount that is charged or paid in addition to freight: waiting, a wash, a lease fee (DOMAIN 3.6). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class AddOn extends ChargeTerms {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  /** Where it may be used. */
  @Choices(() => AddOnType) addOnTypes: AddOnType[] = [];
  /** The quantity of a charge that names none. */
  @Numeric({ required: true }) quantity!: Decimal;
  /** The price of one for a customer; negative for a deduction. */
  @Numeric() revenueRateValue?: Decimal | null;
  /** The price of one that a vendor or driver gets; null means the same. */
  @Numeric() costRateValue?: Decimal | null;
  /** Percent of the total to which it is added, from -100 to 100. */
  @Numeric() percentage?: Decimal | null;
  @Choice(() => PercentageBase, { required: true, description: 'Of what the percentage is taken on an invoice.' })
  percentageBase: PercentageBase = 'lines';
  /** Which fuel surcharge it charges, of a `FuelSurcharge`. */
  @One(() => FuelSurchargeSchedule) fuelSurchargeSchedule?: Ref<FuelSurchargeSchedule> | null;
  @Flag({ required: true }) taxable: boolean = false;
  @Choice(() => WaitUnit, {
    description: 'Charged by itself, it counts in this unit how long trucks waited; null of what is not for waiting.',
  })
  waitCountedIn?: WaitUnit | null;
  @Whole({ description: 'Minutes at a site that cost nothing.' }) waitFreeMinutes?: number | null;
  @Whole({ description: 'Minutes up to which waiting is rounded.' }) waitIncrementMinutes?: number | null;
  @Instant() discardedAt?: Date | null;
}
