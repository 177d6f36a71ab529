import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Query, Resolver, Root } from 'type-graphql';
import { endOfDay, startOfDay } from '../../dispatch/model/company-day.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import type { List } from '../../platform/read/lists.ts';
import type { Where } from '../../platform/read/run.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { Ticket } from '../ticket.entity.ts';
import { TicketConnection } from '../ticket.lists.ts';
import { runningTotals, TicketRunningTotal } from './running-totals.ts';
import { nearPage, servedSql } from './served.ts';

@InputType()
class AgencyTicketFilter {
  @Field(() => DateOrInstant, { nullable: true, description: 'Served on or after this day of the company, or at or after this instant.' })
  fromDate?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'Served on or before this day of the company, or at or before this instant.' })
  toDate?: string | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
class AgencyTicketArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => AgencyTicketFilter, { nullable: true }) filter?: AgencyTicketFilter | null;
}

const ofProject = (id: string): Where => ({
  key: 'ofProject',
  sql: (t, p) => `${t}.order_id in (select po.id from orders po where po.project_id = ${p})`,
  cast: 'uuid',
  value: id,
});
const servedFrom = (value: Date): Where => ({ key: 'servedFrom', sql: (t, p) => `${servedSql(t)} >= ${p}`, cast: 'timestamptz', value });
const servedBefore = (value: Date): Where => ({ key: 'servedBefore', sql: (t, p) => `${servedSql(t)} < ${p}`, cast: 'timestamptz', value });

/** Tickets as an agency takes them that pays for public works (DOMAIN 8.17). */
@Resolver(() => Ticket)
export class AgencyTicketResolver {
  @Query(() => TicketConnection, {
    description:
      "A project's tickets by the time of service, as agencies take them that pay for public works: voided and rejected ones among them, because nothing of what was issued may vanish.",
  })
  @AnySignedIn()
  async agencyTickets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Args(() => AgencyTicketArgs) { filter, ...args }: AgencyTicketArgs,
  ): Promise<Connection<Ticket>> {
    const project = await find(ctx, Project, projectId, { companyId: args.companyId });
    const companyId = project.company.id;
    const where = [ofProject(project.id)];
    const from = filter?.fromDate ? await startOfDay(filter.fromDate, ctx, companyId) : undefined;
    const to = filter?.toDate ? await endOfDay(filter.toDate, ctx, companyId) : undefined;
    if (from) where.push(servedFrom(from));
    if (to) where.push(servedBefore(to));
    return ctx.read.page(Ticket, info, {
      ...args,
      companyId,
      filter: { updatedSince: filter?.updatedSince },
      sort: { serviceDate: SortDirection.asc },
      where,
      // What changed lately may be anywhere among them.
      ...(filter?.updatedSince ? {} : { near: (list: List) => nearPage(ctx, project, list, { from, to }) }),
    });
  }

  @FieldResolver(() => TicketRunningTotal, {
    nullable: true,
    description:
      'Null of tickets that count for nothing (voided, rejected, without a quantity or an order) or are of another company, and for people who see some tickets only.',
  })
  runningTotal(@Root() { id }: Ticket, @Ctx() ctx: Context): Promise<TicketRunningTotal | null> {
    return runningTotals(ctx).load(id);
  }
}
