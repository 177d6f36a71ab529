import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Range } from '../../platform/graphql/rules.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { SiteRateSchedule } from './site-rate-schedule.entity.ts';

const optional = { nullable: true };

/** Conditions, all of which a job must meet, and for each side a rate card, or a value with what it is paid for. */
@InputType()
export class SiteRateScheduleInput {
  @Field(() => ID, { nullable: true, description: 'The first place where it is loaded.' }) siteId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The last place where it is unloaded.' }) dropoffSiteId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The equipment type; without a truck, the type that the order requests.' })
  equipmentTypeId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => ID, optional) customerRateId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) customerRateValue?: Decimal | null;
  @Field(() => RateType, optional) customerRateType?: RateType | null;
  @Field(() => ID, optional) vendorRateId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) vendorRateValue?: Decimal | null;
  @Field(() => RateType, optional) vendorRateType?: RateType | null;
  @Field(() => ID, optional) driverRateId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) driverRateValue?: Decimal | null;
  @Field(() => RateType, optional) driverRateType?: RateType | null;
}

@InputType()
export class SiteRateScheduleFilter {
  @Field(() => ID, optional) siteId?: string | null;
}

@ArgsType()
export class SiteRateScheduleArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => SiteRateScheduleFilter, optional) filter?: SiteRateScheduleFilter | null;
}

export const SiteRateScheduleConnection = connectionOf('SiteRateSchedule', () => SiteRateSchedule);
export const siteRateScheduleFilters = defineFilters(SiteRateSchedule, {
  siteId: { sql: (t, p) => `${t}.site_id = ${p}`, cast: 'uuid' },
  projectId: { sql: (t, p) => `${t}.project_id = ${p}`, cast: 'uuid' },
});
