import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { one, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineSearch } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/reader.ts';
import { ofOrderAtSites } from '../access/at-sites.ts';
import { ofOrderOfPerson } from '../access/own-work.sql.ts';
import { PhaseConnection } from '../board/typeahead.resolver.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { DriverDay, jobOfDay } from '../model/driver-day.entity.ts';
import { Phase } from '../model/phase.entity.ts';

const DriverDayConnection = connectionOf('DriverDay', () => DriverDay);

export const driverDaySearch = defineSearch(
  DriverDay,
  (t, p) => `${t}.driver_day_id ilike ${p} or exists (select 1 from app_user u where u.id = ${t}.driver_id
    and (fold(u.first_name) like fold(${p}) or fold(u.last_name) like fold(${p})))`,
);

@ArgsType()
class DriverDayArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => SearchInput, { nullable: true }) search?: SearchInput | null;
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
  const { id, ownRecordsOnly: ownOnly, siteIds } = viewerOf(ctx);
  const own: Where = { key: 'own', sql: (t, p) => ofOrderOfPerson(`${t}.order_id`, p), cast: 'uuid', value: id };
  const near: Where = { key: 'near', sql: (t, p) => ofOrderAtSites(`${t}.order_id`, p), cast: 'uuid[]', value: siteIds };
  return [...(ownOnly ? [own] : []), ...(siteIds ? [near] : [])];
}

export const DriverDayQueries = queriesOf(DriverDay, {
  driverDay: one(AnySignedIn()),
  driverDayTypeahead: page(AnySignedIn(), DriverDayConnection, DriverDayArgs, undefined, {
    description: 'Days by their number or the name of their driver, newest first.',
  }),
});
