import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, DRIVER } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { ofOrderOfPerson } from '../access/own-work.sql.ts';
import { PhaseConnection } from '../board/typeahead.resolver.ts';
import { JobConnection } from '../jobs/job.lists.ts';
import { DriverDay, jobOfDay } from '../model/driver-day.entity.ts';
import { DriverState } from '../model/driver-state.entity.ts';
import { Job } from '../model/job.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import { DriverStateInput } from '../shifts/begin-state.ts';
import {
  DriverDayArgs,
  DriverDayConnection,
  DriverDayListArgs,
  listedDays,
  listedPreviousDays,
  PreviousDayArgs,
} from './driver-day.lists.ts';
import { readOwnDay, setOwnDay } from './my-driver-day.ts';
import { UpdateDriverDayInput, updateDriverDay } from './update-driver-day.ts';

@ArgsType()
class DriverDayJobArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** Driver days. */
@Resolver(() => DriverDay)
export class DriverDayResolver {
  @Query(() => PhaseConnection, { description: 'Phases of the orders that a driver hauled for on a day.' })
  @AnySignedIn()
  async driverDayPhases(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) driverDayId: string,
    @Args(() => DriverDayArgs) args: DriverDayArgs,
  ): Promise<Connection<Phase>> {
    const day = await find(ctx, DriverDay, driverDayId, { companyId: args.companyId });
    const where = [ofOrdersOf(day), ...readBy(ctx)];
    // Orders that were passed on have phases of the company that passed them on.
    return withPartnerVisibility(() => ctx.read.page(Phase, info, { ...args, sort: { createdAt: 'asc' }, where }));
  }

  @Query(() => JobConnection, { description: 'Jobs of a driver day, as far as you may see them.' })
  @AnySignedIn()
  async driverDayJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) driverDayId: string,
    @Args(() => DriverDayJobArgs) args: DriverDayJobArgs,
  ): Promise<Connection<Job>> {
    const day = await find(ctx, DriverDay, driverDayId, { companyId: args.companyId, shared: true });
    const where: Where[] = [{ key: 'day', sql: (t, p) => `${t}.driver_day_id = ${p}`, cast: 'uuid', value: day.id }];
    return ctx.read.page(Job, info, { ...args, family: !args.companyId, where });
  }

  @Query(() => DriverDay, { description: 'The day of your shift; before it begins, the day of the date as it will be.' })
  @AnySignedIn()
  myDriverDay(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo): Promise<DriverDay> {
    return readOwnDay(ctx, info);
  }

  @Mutation(() => DriverDay, {
    description: 'Puts the calling driver on duty, on a break or off duty. Going off duty ends the jobs that are under way.',
  })
  @AnySignedIn()
  async setMyDriverDay(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('state', () => DriverState) state: DriverState,
    @Arg('input', () => DriverStateInput, { nullable: true }) input?: DriverStateInput,
  ): Promise<DriverDay> {
    return readOwnDay(ctx, info, await setOwnDay(ctx, state, input ?? {}));
  }
}

/** The condition for phases of orders of the day's company, and of those passed on to it. */
const ofOrdersOf = ({ id }: DriverDay): Where => ({
  key: 'ofDay',
  sql: (t, p) => `exists (select 1 from driver_day d join job j on ${jobOfDay('j', 'd')} where d.id = ${p} and j.order_id = ${t}.order_id
    and (j.company_id = d.company_id or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = d.company_id)))`,
  cast: 'uuid',
  value: id,
});

/** A phase has no limits of its own: who may read its order may read it. */
function readBy(ctx: Context): Where[] {
  const { id, ownRecordsOnly, siteIds } = viewerOf(ctx);
  const own: Where = { key: 'own', sql: (t, p) => ofOrderOfPerson(`${t}.order_id`, p), cast: 'uuid', value: id };
  const near: Where = { key: 'near', sql: (t, p) => ofOrderAtSites(`${t}.order_id`, p), cast: 'uuid[]', value: siteIds };
  return [...(ownRecordsOnly ? [own] : []), ...(siteIds ? [near] : [])];
}

/** Changes of one day. */
export const DriverDayMutations = mutationsOf(DriverDay, {
  updateDriverDay: requires(
    ['edit_job_summary', DRIVER],
    withInput(UpdateDriverDayInput, updateDriverDay, 'Corrects the times of a shift that is over; the logged times are kept.'),
  ),
});

export const DriverDayQueries = queriesOf(DriverDay, {
  driverDay: oneAsOf(AnySignedIn(), () => ({ shared: true })),
  driverDays: page(AnySignedIn(), DriverDayConnection, DriverDayListArgs, listedDays, {
    description: 'Days of your drivers, and of drivers of vendors who hauled for you.',
  }),
  myPreviousDriverDays: page(AnySignedIn(), DriverDayConnection, PreviousDayArgs, listedPreviousDays, {
    description: 'Your days before the current one, newest first.',
  }),
  driverDayTypeahead: page(AnySignedIn(), DriverDayConnection, DriverDayArgs, undefined, {
    description: 'Days by their number or the name of their driver, newest first.',
  }),
});
