import { Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { FuelSurchargeScheduleType } from './fuel-surcharge-schedule.entity.ts';

/** Characters of a name. */
const NAME = 255;
/** Weeks of a quarter: no contract looks further back. */
const MOST_WEEKS = 13;
/** The lowest and highest price of a unit of fuel: what is beyond is a typing error. */
const PRICES = [0.0001, 100] as const;
/** The highest surcharge by either type: percent of the freight, or money for each unit. */
export const SURCHARGES = [-100, 100] as const;
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

/** The most miles of a gallon, or units of another kind of another: what is beyond is a typing error. */
const MOST_MILES = 1_000;

@InputType({ description: 'A formula: from `from` to `to`, each step that a price of fuel has begun above the base costs the same.' })
@About('FuelSurchargeSchedule')
export class GenerateFuelSurchargeRowsInput {
  @Field(() => DecimalScalar, { description: 'The price of fuel that costs nothing extra.' }) @Amount(...PRICES) base!: Decimal;
  @Field(() => DecimalScalar, { description: 'By how much fuel has to be dearer for the next row.' })
  @Amount(...PRICES)
  step!: Decimal;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'The price of each step: percent of the freight, or money for each unit, by the type of the schedule.',
  })
  @Amount(...PRICES)
  perStep?: Decimal | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'Instead of `per_step`, in schedules for units that are miles: a mile costs what fuel is above the base, divided by this.',
  })
  @Amount(PRICES[0], MOST_MILES)
  milesPerGallon?: Decimal | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'The price of the first row; by default the base. Below the base, rows are credits.',
  })
  @Amount(...PRICES)
  from?: Decimal | null;
  @Field(() => DecimalScalar, { description: 'The price up to which there are rows. Above it, the last row holds.' })
  @Amount(...PRICES)
  to!: Decimal;
  @Field(() => Boolean, { nullable: true, description: 'Whether these take the place of the rows that the schedule has.' })
  replace?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Only says which rows there would be.' }) dryRun?: boolean | null;
}
