import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { CompanyType } from '../../directory/companies/company-enums.ts';
import { isOff } from '../../directory/people/time-off.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { shareFilters } from '../../directory/shares/shareable.lists.ts';
import { PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters, defineSorts, type FilterPredicate } from '../../platform/read/grammar.ts';
import { AsOf, UpdatedSince } from '../../platform/read/time-range.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { endOfDay, startOfDay } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { OVER } from '../model/states.ts';
import { OrderJobFilter } from '../orders/order.lists.ts';

const optional = { nullable: true };

@InputType()
export class ForemanFilter {
  @Field(() => Boolean, { nullable: true, description: 'True for people whom another company shares, false for your own.' })
  shared?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'True for people whose share has an end.' }) expiring?: boolean | null;
  @Field(() => [CompanyType], { nullable: true, description: 'Only people shared by companies of these types.' })
  senderCompanyTypes?: CompanyType[] | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@InputType()
export class DriverFilter extends ForemanFilter {
  @Field(() => Boolean, { nullable: true, description: 'Whether work may be assigned to them; always true for your own people.' })
  dispatchable?: boolean | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'True for people without an open job on the date who are not off, false for the others.',
  })
  availability?: boolean | null;
  @Field(() => LocalDate, { nullable: true, description: 'The day of `availability` in the time zone of the company; by default, today.' })
  date?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'True: deactivated people, too.' }) showAll?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether add-ons are added to their work automatically.' }) autoAddOns?:
    | boolean
    | null;
  @Field(() => [ID], { nullable: true, description: 'Only people with one of these labels.' }) labelIds?: string[] | null;
}

@InputType()
export class PersonSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By last name, then first name.' }) name?: SortDirection | null;
}

@ArgsType()
class PeopleArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => PersonSort, optional) sort?: PersonSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}

@ArgsType()
export class ForemanListArgs extends PeopleArgs {
  @Field(() => ForemanFilter, optional) filter?: ForemanFilter | null;
  @AsOf() asOf?: Date | null;
}

@ArgsType()
export class DriverListArgs extends PeopleArgs {
  @Field(() => DriverFilter, optional) filter?: DriverFilter | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class DriverListAsOfArgs extends DriverListArgs {
  @AsOf() asOf?: Date | null;
}

@InputType()
export class PeopleFacetFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => [ID], optional) dispatchNumberIds?: string[] | null;
  @Field(() => OrderJobFilter, optional) job?: OrderJobFilter | null;
}

/** Today counts from now on: a driver who was off this morning may be available now. */
const restOf = (p: string) => `case when present_time() between (${p})[1] and (${p})[2] then present_time() else (${p})[1] end`;
const booked = (t: string, p: string, limits: Parameters<FilterPredicate>[2]): string =>
  `(${isOff('user_id', t, restOf(p), `(${p})[2]`)} or exists (select 1 from job j where j.driver_id = ${t}.id and j.job_start_at >= (${p})[1] and j.job_start_at < (${p})[2] and j.state not in ${OVER}${limits(Job, 'j')}))`;
const day = async (date: unknown, ctx: Parameters<typeof startOfDay>[1], companyId: string) => [
  (await startOfDay(date, ctx, companyId)).toISOString(),
  (await endOfDay(date, ctx, companyId)).toISOString(),
];

export const userFilters = defineFilters(User, {
  role: { sql: (t, p) => `${p} = any(${t}.roles)`, cast: 'text' },
  free: { sql: (t, p, limits) => `not ${booked(t, p, limits)}`, cast: 'timestamptz[]', value: day },
  booked: { sql: booked, cast: 'timestamptz[]', value: day },
  ...shareFilters(() => 'true'),
});
export const userSorts = defineSorts(User, { name: { sql: (t) => `lower(${t}.last_name || ' ' || ${t}.first_name)`, cast: 'text' } });
