import { Arg, Ctx, Field, ID, InputType, ObjectType, Query, Resolver } from 'type-graphql';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import { allow, findKept } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Invalid } from '../../platform/errors.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { FuelSurchargeWarning, fuelRateOn, SEES_FUEL } from '../fuel/fuel-rate.ts';
import { AddOn } from './add-on.entity.ts';

@ObjectType({ simpleResolvers: true, description: 'The charge for fuel of an add-on on a day, and its reason.' })
export class AddOnFuelSurchargeRate {
  @Field(() => DecimalScalar, { nullable: true, description: 'Money for each unit, of a schedule by unit.' })
  surcharge!: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Percent of the freight, of a schedule by percentage.' })
  surchargePercentage!: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The price of fuel that counts; null if there is none by then.' })
  fuelPrice!: Decimal | null;
  @Field(() => LocalDate, { nullable: true, description: 'The day from which that price holds.' }) fuelPriceDate!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The price of the row that applies.' }) rowPrice!: Decimal | null;
  @Field(() => [FuelSurchargeWarning]) warnings!: FuelSurchargeWarning[];
}

@InputType()
class FuelSurchargeRateFilter {
  @Field(() => LocalDate, { nullable: true, description: "The day of the work; by default, today in the company's time zone." })
  date?: string | null;
}

/** The charges of add-ons for fuel. */
@Resolver()
export class FuelSurchargeRateResolver {
  @Query(() => AddOnFuelSurchargeRate, {
    description: 'The charge of an add-on of the type FuelSurcharge for work of a day, and its reason.',
  })
  @Requires(SEES_FUEL)
  async addOnFuelSurchargeRate(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('filter', () => FuelSurchargeRateFilter, { nullable: true }) filter?: FuelSurchargeRateFilter | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<AddOnFuelSurchargeRate> {
    const addOn = await findKept(ctx, AddOn, id, { companyId });
    allow(ctx, SEES_FUEL);
    const schedule = addOn.fuelSurchargeSchedule && (await addOn.fuelSurchargeSchedule.load({ filters: { tenant: false } }));
    if (!schedule) throw new Invalid([{ model: 'AddOn', field: 'id', key: 'no_fuel_surcharge' }]);
    const day = filter?.date ?? localDate(presentTime(), await zoneOf(ctx, addOn.company.id));
    const rate = await fuelRateOn((sql, values) => queryOf(ctx, sql, values), schedule.id, day);
    const byPercentage = schedule.surchargeType === 'percentage';
    return {
      surcharge: byPercentage ? null : rate.billSurcharge,
      surchargePercentage: byPercentage ? rate.billSurcharge : null,
      fuelPrice: rate.price?.price ?? null,
      fuelPriceDate: rate.price?.date ?? null,
      rowPrice: rate.row?.price ?? null,
      warnings: rate.warnings,
    };
  }
}
