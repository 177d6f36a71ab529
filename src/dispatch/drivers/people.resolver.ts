import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { WITH_DISCARDED } from '../../directory/master-data/discarded-filter.ts';
import { User } from '../../directory/people/user.entity.ts';
import { UserConnection } from '../../identity/people/user.lists.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { facetPage, type PartOfJob } from '../board/job-facet.ts';
import { zoneOf } from '../model/company-day.ts';
import { DriverListAsOfArgs, ForemanListArgs, PeopleFacetFilter } from './people.lists.ts';

type Part = 'driver' | 'foreman';

@InputType()
class PeopleFacetSearch {
  @Field(() => String, { nullable: true }) query?: string | null;
}

@InputType()
class PeopleFacet {
  @Field(() => PeopleFacetSearch, { nullable: true }) search?: PeopleFacetSearch | null;
}

@ArgsType()
class PeopleFacetArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => PeopleFacetFilter, { nullable: true }) filter?: PeopleFacetFilter | null;
  @Field(() => PeopleFacet, { nullable: true }) facet?: PeopleFacet | null;
}

/** A company's drivers and foremen include those that other companies share with it. */
const shared = true;
const withRole = (role: Part): Where => ({
  key: 'role',
  sql: (t, p) => `${p} = any(${t}.roles)`,
  cast: 'text',
  value: role,
  changes: true,
});
/** The condition for people with the role of driver. */
export const DRIVERS = withRole('driver');
const PART: Record<Part, PartOfJob> = {
  driver: { key: 'driver', id: (job) => `${job}.driver_id` },
  foreman: { key: 'foreman', id: (job) => `unnest(${job}.foreman_ids)` },
};

/** The drivers and foremen of a company. */
@Resolver(() => User)
export class PeopleResolver {
  @Query(() => UserConnection, { description: 'The drivers of one company.' })
  @AnySignedIn()
  drivers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DriverListAsOfArgs) args: DriverListAsOfArgs,
  ): Promise<Connection<User>> {
    return driverPage(ctx, info, args);
  }

  @Query(() => UserConnection, { description: 'Drivers of the jobs that match the filter.' })
  @AnySignedIn()
  driverFacets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PeopleFacetArgs) args: PeopleFacetArgs,
  ): Promise<Connection<User>> {
    return facetPage(ctx, info, User, PART.driver, args);
  }

  @Query(() => UserConnection, { description: 'Foremen of the jobs that match the filter.' })
  @AnySignedIn()
  foremanFacets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PeopleFacetArgs) args: PeopleFacetArgs,
  ): Promise<Connection<User>> {
    return facetPage(ctx, info, User, PART.foreman, args);
  }
}

/** Returns a page of a company's drivers, its own and those shared with it. */
export async function driverPage(ctx: Context, info: GraphQLResolveInfo, args: DriverListAsOfArgs): Promise<Connection<User>> {
  const { availability, date, showAll, ...filter } = args.filter ?? {};
  const companyId = companyOf(ctx, args.companyId);
  if (args.asOf && typeof availability === 'boolean')
    throw new Invalid([{ model: 'User', field: 'filter.availability', key: 'as_of_filter' }]);
  const on =
    date ?? (availability === undefined || availability === null ? undefined : localDate(presentTime(), await zoneOf(ctx, companyId)));
  const free = availability === true ? { free: on } : availability === false ? { booked: on } : {};
  const discarded = showAll ? {} : { discarded: false };
  return ctx.read.page(User, info, {
    ...args,
    ranked: true,
    shared,
    filter: { ...filter, ...free, ...discarded, role: 'driver' },
    where: showAll ? [WITH_DISCARDED] : [],
  });
}

export const PeopleQueries = queriesOf(User, {
  foremen: page(
    AnySignedIn(),
    UserConnection,
    ForemanListArgs,
    (args) => ({ ...args, ranked: true, shared, filter: { ...args.filter, discarded: false, role: 'foreman' } }),
    { description: 'The foremen of one company.' },
  ),
  // People of other companies, too, whom `user` does not find.
  driver: oneAsOf(AnySignedIn(), () => ({ shared, where: [DRIVERS, WITH_DISCARDED] }), { finds: 'also' }),
  foreman: oneAsOf(AnySignedIn(), () => ({ shared, where: [withRole('foreman')] }), { finds: 'also' }),
});
