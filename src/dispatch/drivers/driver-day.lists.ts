import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSorts, flag } from '../../platform/read/grammar.ts';
import type { PageOptions } from '../../platform/read/options.ts';
import { AsOf, UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { dayWords } from '../access/driver-day.access.ts';
import { hauledFor } from '../access/subcontracted.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { dayIn } from '../model/company-day.ts';
import { DriverDay, isDayToReview, jobOfDay } from '../model/driver-day.entity.ts';
import { Job } from '../model/job.entity.ts';
import { previousDays } from './my-driver-day.ts';

const optional = { nullable: true };

export const DriverDayConnection = connectionOf('DriverDay', () => DriverDay);

@InputType()
class DriverDayDates {
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
}

@InputType()
class PreviousDayFilter extends DriverDayDates {
  @UpdatedSince() updatedSince?: Date | null;
}

@InputType()
class DriverDayFilter extends DriverDayDates {
  @Field(() => [ID], { nullable: true, description: 'Days with a job for one of these accounts.' }) customerAccountIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'Days of drivers of these vendors.' }) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only days of drivers of your company that need a person: the shift is over and not approved for billing, or work was reported after the approval.',
  })
  needsReview?: boolean | null;
}

@InputType()
class DriverDayDriverSort {
  @Field(() => SortDirection, optional) firstName?: SortDirection | null;
  @Field(() => SortDirection, optional) lastName?: SortDirection | null;
}

@InputType()
class DriverDayVendorSort {
  @Field(() => SortDirection, optional) name?: SortDirection | null;
}

@InputType()
class DriverDaySort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) driverDayDate?: SortDirection | null;
  @Field(() => DriverDayDriverSort, optional) driver?: DriverDayDriverSort | null;
  @Field(() => DriverDayVendorSort, optional) vendorAccount?: DriverDayVendorSort | null;
}

@ArgsType()
export class DriverDayArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

@ArgsType()
export class DriverDayListArgs extends DriverDayArgs {
  @Field(() => DriverDayFilter, optional) filter?: DriverDayFilter | null;
  @Field(() => DriverDaySort, optional) sort?: DriverDaySort | null;
  @AsOf() asOf?: Date | null;
}

@ArgsType()
export class PreviousDayArgs extends PageArgs {
  @Field(() => PreviousDayFilter, optional) filter?: PreviousDayFilter | null;
}

/** Days that the viewer sees, those of drivers of its vendors among them. @throws Invalid if the dates are in the wrong order */
export async function listedDays(args: DriverDayListArgs, ctx: Context): Promise<PageOptions> {
  await refuseReversed(args.filter, ctx, args.companyId);
  return { ...args, shared: true };
}

/** The caller's days before the current one. @throws Denied if the caller is no driver; Invalid if the dates are in the wrong order */
export async function listedPreviousDays(args: PreviousDayArgs, ctx: Context): Promise<PageOptions> {
  const where = await previousDays(ctx);
  await refuseReversed(args.filter, ctx);
  return { ...args, sort: { driverDayDate: SortDirection.desc }, where };
}

async function refuseReversed(filter: DriverDayDates | null | undefined, ctx: Context, companyId?: string | null): Promise<void> {
  if (!filter?.startDate || !filter.endDate) return;
  const company = companyOf(ctx, companyId);
  if ((await dayIn(filter.endDate, ctx, company)) < (await dayIn(filter.startDate, ctx, company)))
    throw new Invalid([{ model: 'DriverDay', field: 'filter.endDate', key: 'before_start' }]);
}

export const driverDayFilters = defineFilters(DriverDay, {
  driverIds: { sql: (t, p) => `${t}.driver_id = any(${p})`, cast: 'uuid[]' },
  vendorAccountIds: {
    sql: (t, p) => `exists (select 1 from account va where va.id = any(${p}) and va.connected_company_id = ${t}.company_id)`,
    cast: 'uuid[]',
  },
  // For whom another company's order is, is kept: its jobs are found by no id of its accounts, but by that of the customer who passed them on.
  customerAccountIds: {
    sql: (t, p, limits, companies) =>
      `exists (select 1 from job cj join orders co on co.id = cj.order_id
        where ${jobOfDay('cj', t)} and ((co.account_id = any(${p}) and co.company_id = any(${companies()})) or ${hauledFor('cj.id', p, companies)})${limits(Job, 'cj')})`,
    cast: 'uuid[]',
  },
  ...flag('needsReview', isDayToReview),
  startDate: { sql: (t, p) => `${t}.driver_day_date >= ${p}`, cast: 'date', value: dayIn },
  endDate: { sql: (t, p) => `${t}.driver_day_date <= ${p}`, cast: 'date', value: dayIn },
});

const driver = (t: string) => `left join app_user ${t}_driver on ${t}_driver.id = ${t}.driver_id`;
export const driverDaySorts = defineSorts(DriverDay, {
  driverDayDate: { sql: (t) => `${t}.driver_day_date`, cast: 'date' },
  'driver.firstName': { sql: (t) => `lower(coalesce(${t}_driver.first_name, ''))`, join: driver, cast: 'text' },
  'driver.lastName': { sql: (t) => `lower(coalesce(${t}_driver.last_name, ''))`, join: driver, cast: 'text' },
  'vendorAccount.name': {
    // A company has one account of another one; the viewer sees no account but its own.
    sql: (t) => `lower(coalesce(${t}_vendor.name, ''))`,
    join: (t) => `left join lateral (select min(v.name) as name from account v where v.connected_company_id = ${t}.company_id
      and v.company_id <> ${t}.company_id) ${t}_vendor on true`,
    cast: 'text',
  },
});

export const driverDaySearch = defineSearch(DriverDay, dayWords);
