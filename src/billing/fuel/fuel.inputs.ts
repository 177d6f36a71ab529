import { Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Length, Range } from '../../platform/graphql/rules.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { FuelSurchargeScheduleType } from './fuel-surcharge-schedule.entity.ts';

/** Characters of a name. */
const NAME = 255;
/** Weeks of a quarter: no contract looks further back. */
const MOST_WEEKS = 13;
/** The lowest and highest price of a unit of fuel: what is beyond is a typing error. */
const PRICES = [0.0001, 100] as const;
/** The highest surcharge by either type: percent of the freight, or money for each unit. */
const SURCHARGES = [-100, 100] as const;
const FROM = 'The price of fuel from which the row holds.';
const SURCHARGE = 'Percent of the freight, or money for each unit, by the type of the schedule; negative for a credit.';
const SERIES =
  'The series that it follows, of the source of prices of the installation. It is read at once, and whenever a price is published. Null ends that.';
/** Characters of the name of a series. */
const SERIES_NAME = 100;
const OLDER = 'An older name of `bill_surcharge`, for schedules by percentage; both must agree if both are sent.';

@InputType()
export class CreateFuelPriceIndexInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => String, { nullable: true, description: SERIES }) @Length(1, SERIES_NAME) series?: string | null;
}
@InputType()
export class UpdateFuelPriceIndexInput {
  @Field(() => String, { nullable: true }) @Length(1, NAME) name?: string | null;
  @Field(() => String, { nullable: true, description: SERIES }) @Length(1, SERIES_NAME) series?: string | null;
}

@InputType()
export class CreateFuelPriceInput {
  @Field(() => LocalDate, { description: 'The first day of the price, at most seven days ahead.' }) date!: string;
  @Field(() => DecimalScalar) @Amount(...PRICES) price!: Decimal;
}
@InputType()
export class UpdateFuelPriceInput {
  @Field(() => LocalDate, { nullable: true, description: 'The first day of the price, at most seven days ahead.' }) date?: string | null;
  @Field(() => DecimalScalar, { nullable: true }) @Amount(...PRICES) price?: Decimal | null;
}

@InputType()
export class UpdateFuelSurchargeScheduleInput {
  @Field(() => String, { nullable: true }) @Length(1, NAME) name?: string | null;
  @Field(() => ID, { nullable: true, description: 'The index whose prices it follows.' }) fuelPriceIndexId?: string | null;
  @Field(() => FuelSurchargeScheduleType, { nullable: true }) surchargeType?: FuelSurchargeScheduleType | null;
  @Field(() => Int, { nullable: true, description: 'Weeks by which the price is older than the work; by default, 0.' })
  @Range(0, MOST_WEEKS)
  lagWeeks?: number | null;
}
@InputType()
export class CreateFuelSurchargeScheduleInput extends UpdateFuelSurchargeScheduleInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => ID, { description: 'The index whose prices it follows.' }) declare fuelPriceIndexId: string;
  @Field(() => FuelSurchargeScheduleType) declare surchargeType: FuelSurchargeScheduleType;
}

@InputType()
export class UpdateFuelSurchargeSchedulePriceInput {
  @Field(() => DecimalScalar, { nullable: true, description: FROM })
  @Amount(...PRICES)
  price?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: SURCHARGE })
  @Amount(...SURCHARGES)
  billSurcharge?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: OLDER })
  @Amount(...SURCHARGES)
  billSurchargePercentage?: Decimal | null;
}
@InputType()
export class CreateFuelSurchargeSchedulePriceInput extends UpdateFuelSurchargeSchedulePriceInput {
  @Field(() => DecimalScalar, { description: FROM }) @Amount(...PRICES) declare price: Decimal;
  @Field(() => DecimalScalar, { description: SURCHARGE }) @Amount(...SURCHARGES) declare billSurcharge: Decimal;
}
