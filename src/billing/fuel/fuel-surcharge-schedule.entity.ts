import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Instant, Numeric, One, RecordBase, stringEnum, Text, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { FuelPriceIndex } from './fuel-price-index.entity.ts';

export const FuelSurchargeScheduleType = stringEnum('FuelSurchargeScheduleType', ['percentage', 'per_unit']);
export type FuelSurchargeScheduleType = keyof typeof FuelSurchargeScheduleType;

/** The charges for fuel by the prices of an index (BILLING B6). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class FuelSurchargeSchedule extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @One(() => FuelPriceIndex, { required: true }) fuelPriceIndex!: Ref<FuelPriceIndex>;
  /** Percent of the freight, or money for each unit. */
  @Choice(() => FuelSurchargeScheduleType, { required: true }) surchargeType!: FuelSurchargeScheduleType;
  /** Weeks by which the price is older than the work: with 1, Wednesday's work follows the price of last week's Wednesday. */
  @Whole({ required: true }) lagWeeks: number = 0;
  @Instant() discardedAt?: Date | null;
}

/** One row of a schedule: the surcharge from a price of fuel on, up to the next row's price. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class FuelSurchargeSchedulePrice extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => FuelSurchargeSchedule, { required: true }) fuelSurchargeSchedule!: Ref<FuelSurchargeSchedule>;
  @Numeric({ required: true }) price!: Decimal;
  /** Percent or money, by the schedule's type; negative for a credit while fuel is cheap. */
  @Numeric({ required: true }) billSurcharge!: Decimal;
  @Instant() discardedAt?: Date | null;

  @Field(() => DecimalScalar, { nullable: true, deprecationReason: 'Use billSurcharge.' })
  @Computed({
    sql: (t) =>
      `(select case s.surcharge_type when 'percentage' then ${t}.bill_surcharge else 0 end from fuel_surcharge_schedule s where s.id = ${t}.fuel_surcharge_schedule_id)`,
  })
  billSurchargePercentage?: string | null;
}
