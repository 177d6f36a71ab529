import { Field, ID, InputType, Int } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { MinimumPer, RateOwnerType, TierMode, TimeBasis } from '../../directory/master-data/rate.entity.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';
import { TRUCKS_OF_ORDER } from '../fields/limits.ts';

const optional = { nullable: true };
/** Rates are sent as numbers: up to this value, JSON's numbers hold four decimals exactly. */
const MOST = 10_000_000_000;
const YEAR = 527_040;

/** The most projects, services or trucks of one rate card. */
const MOST_MEANT = 1_000;

/** The most bands of one rate card. */
const MOST_TIERS = 20;

@InputType()
export class RateTierInput {
  @Field(() => DecimalScalar, { description: 'Above 0, and above that of the tier before.' }) @Amount(0, MOST) from!: Decimal;
  @Field(() => DecimalScalar) @Amount(0, MOST) rate!: Decimal;
}

/** The conditions of a rate; an empty one is met by all. */
@InputType()
abstract class RateDimensions {
  @Field(() => ID, { nullable: true, description: 'The customer or vendor.' }) accountId?: string | null;
  @Field(() => [ID], optional) @AtMost(MOST_MEANT) projectIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_MEANT) serviceIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_MEANT) equipmentIds?: string[] | null;
  @Field(() => ID, optional) serviceClassId?: string | null;
  @Field(() => ID, optional) equipmentTypeId?: string | null;
}

/** The common fields of creating and changing a rate: the values of its type, and of no other (DOMAIN 3.2). */
@InputType()
abstract class RateFields extends RateDimensions {
  @Field(() => AccountType, { nullable: true, description: 'Whether the account is meant as customer or vendor; the same as ownerType.' })
  accountType?: AccountType | null;
  @Field(() => Boolean, optional) primary?: boolean | null;
  @Field(() => Boolean, optional) fuelSurchargeEnabled?: boolean | null;
  @Field(() => [ID], optional) addOnIds?: string[] | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) timeRate?: Decimal | null;
  @Field(() => Int, optional) @Range(0, YEAR) timeMinimumMinutes?: number | null;
  @Field(() => Int, optional) @Range(0, YEAR) timeIncrementMinutes?: number | null;
  @Field(() => MinimumPer, {
    nullable: true,
    description: 'Of hourly rates: whether minimum and increment are for each job, or for the day.',
  })
  @GraphqlOnly()
  minimumPer?: MinimumPer | null;
  @Field(() => TimeBasis, { nullable: true, description: 'Of hourly rates: which time is paid.' })
  @GraphqlOnly()
  timeBasis?: TimeBasis | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) unitRate?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) unitMinimum?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) unitIncrement?: Decimal | null;
  @Field(() => TierMode, {
    nullable: true,
    description:
      'Whether each part of what is hauled has the rate of its band, or everything that of the band that is reached; by default, `slab`.',
  })
  @GraphqlOnly()
  tierMode?: TierMode | null;
  @Field(() => [RateTierInput], {
    nullable: true,
    description: 'Of rates by the unit or the load: other rates from a quantity of an order on. An empty list takes them back.',
  })
  @GraphqlOnly()
  @AtMost(MOST_TIERS)
  tiers?: RateTierInput[] | null;
  @Field(() => Int, optional) @Range(0, 100) commissionPercentage?: number | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) commissionAmount?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0, MOST) flatAmount?: Decimal | null;
}

@InputType()
export class CreateRateInput extends RateFields {
  @Field(() => String) @Length(1, 255) name!: string;
  @Field(() => RateType) type!: RateType;
  /** The owning company; the caller's own by default. */
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => RateOwnerType, {
    nullable: true,
    description: 'The side that the rate card is for; by default accountType, otherwise driver.',
  })
  ownerType?: RateOwnerType | null;
  @Field(() => ID, optional) driverId?: string | null;
}

@InputType()
export class UpdateRateInput extends RateFields {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => RateType, { nullable: true, description: 'A change to another type requires all values of that type.' })
  type?: RateType | null;
}

@InputType()
@About('Rate')
export class CopyRateInput extends RateDimensions {
  @Field(() => String, { nullable: true, description: "By default, the original's name followed by (copy)." })
  @Length(1, 255)
  name?: string | null;
  @Field(() => ID, optional) driverId?: string | null;
}

@InputType()
@About('Rate')
export class CalculateCostInput {
  /** The hours of each truck. */
  @Field(() => DecimalScalar) @Range(0, 10_000) estimatedHours!: Decimal;
  @Field(() => DecimalScalar) @Range(0, MOST) orderQuantity!: Decimal;
  @Field(() => UnitOfMeasure) orderUnitOfMeasure!: UnitOfMeasure;
  @Field(() => ID) customerRateId!: string;
  @Field(() => ID) vendorRateId!: string;
  /** 1 by default. */
  @Field(() => Int, optional) @Range(1, TRUCKS_OF_ORDER) truckCount?: number | null;
}
