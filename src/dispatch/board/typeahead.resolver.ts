import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { ActivityState } from '../../directory/master-data/activity-state.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { MaterialConnection, SiteConnection } from '../../directory/master-data/typeaheads.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { find, findKept } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { one, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { type Around, defineFilters, defineSearch, defineSorts, type FilterSpec, jointly } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/reader.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { companyFor } from '../jobs/job.resolver.ts';
import { DispatchNumber } from '../model/dispatch-number.entity.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import { Project } from '../model/project.entity.ts';
import { ORDER_FILTERS } from '../orders/order.filters.ts';
import { OrderJobFilter } from '../orders/order.lists.ts';

export const DispatchNumberConnection = connectionOf('DispatchNumber', () => DispatchNumber);
export const PhaseConnection = connectionOf('Phase', () => Phase);

export const dispatchNumberSearch = defineSearch(DispatchNumber, (t, p) => `fold(${t}.name) like fold(${p})`);
const ofAnOrder: Around = (t, condition, limits) =>
  `exists (select 1 from orders o join job j on j.order_id = o.id where o.dispatch_number_id = ${t}.id and ${condition}${limits(Job, 'j')})`;
const ofItsOrders = ({ joint, sql, cast, value }: FilterSpec): FilterSpec =>
  jointly(ofAnOrder, joint?.condition ?? ((p, companies) => sql('o', p, () => '', companies)), cast, value);
export const dispatchNumberFilters = defineFilters(DispatchNumber, {
  dispatchNumberIds: { sql: (t, p) => `${t}.id = any(${p})`, cast: 'uuid[]' },
  used: {
    sql: (t, p, limits) => `exists (select 1 from orders o where o.dispatch_number_id = ${t}.id${limits(Order, 'o')}) = ${p}`,
    cast: 'boolean',
  },
  // The same filters that apply to an order's jobs apply to the orders of a dispatch number.
  ...Object.fromEntries(
    Object.entries(ORDER_FILTERS).flatMap(([name, spec]) => (name.startsWith('job.') ? [[name, ofItsOrders(spec)]] : [])),
  ),
});
export const dispatchNumberSorts = defineSorts(DispatchNumber, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });
export const phaseSearch = defineSearch(Phase, (t, p) => `fold(${t}.name) like fold(${p}) or fold(${t}.code) like fold(${p})`);

@ArgsType()
class TypeaheadArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => SearchInput, { nullable: true }) search?: SearchInput | null;
}

@InputType()
class ActivityFilter {
  @Field(() => [ActivityState], { nullable: true }) states?: ActivityState[] | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
class ActivityTypeaheadArgs extends TypeaheadArgs {
  @Field(() => ActivityFilter, { nullable: true, description: 'By default, active ones only.' }) filter?: ActivityFilter | null;
}

@InputType()
class FacetSearch {
  @Field(() => String, { nullable: true }) query?: string | null;
}

/** `facet[search][query]` narrows what the facet offers, but not the jobs from which it is collected. */
@InputType()
class Facet {
  @Field(() => FacetSearch, { nullable: true }) search?: FacetSearch | null;
}

@InputType()
class DispatchNumberFacetFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => [ID], { nullable: true }) dispatchNumberIds?: string[] | null;
  @Field(() => OrderJobFilter, { nullable: true }) job?: OrderJobFilter | null;
}

@ArgsType()
class DispatchNumberFacetArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => DispatchNumberFacetFilter, { nullable: true }) filter?: DispatchNumberFacetFilter | null;
  @Field(() => Facet, { nullable: true }) facet?: Facet | null;
}

const byName = { sort: { name: 'asc' } };
const inOrder = { sort: { createdAt: 'asc' } };
const usable = ({ filter }: ActivityTypeaheadArgs) => ({ ...filter, usable: true, states: filter?.states ?? ['active'] });
const of = (column: string, id: string): Where => ({ key: column, sql: (t, p) => `${t}.${column} = ${p}`, cast: 'uuid', value: id });

/** The choices that a form offers while somebody types. */
@Resolver()
export class TypeaheadResolver {
  @Query(() => DispatchNumberConnection, { description: 'Dispatch numbers of the orders whose jobs match the filter.' })
  @AnySignedIn()
  dispatchNumberFacets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DispatchNumberFacetArgs) args: DispatchNumberFacetArgs,
  ): Promise<Connection<DispatchNumber>> {
    const search = args.facet?.search ?? null;
    return ctx.read.page(DispatchNumber, info, { ...args, ...byName, search, filter: { ...args.filter, used: true } });
  }

  @Query(() => PhaseConnection)
  @AnySignedIn()
  async orderPhases(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => TypeaheadArgs) args: TypeaheadArgs,
  ): Promise<Connection<Phase>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    // A company to which the order was passed on reads the phases of the company that passed it on.
    return withPartnerVisibility(() => ctx.read.page(Phase, info, { ...args, ...inOrder, where: [of('order_id', order.id)] }));
  }

  @Query(() => PhaseConnection)
  @AnySignedIn()
  async projectPhases(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Args(() => TypeaheadArgs) args: TypeaheadArgs,
  ): Promise<Connection<Phase>> {
    const project = await findKept(ctx, Project, projectId, { companyId: args.companyId });
    return ctx.read.page(Phase, info, { ...args, ...inOrder, where: [of('project_id', project.id)] });
  }

  @Query(() => SiteConnection, { description: "Sites for an order: those of the order's company." })
  @AnySignedIn()
  async orderSites(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => ActivityTypeaheadArgs) args: ActivityTypeaheadArgs,
  ): Promise<Connection<Site>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Site, info, {
      ...args,
      ...byName,
      ranked: true,
      shared: true,
      companyId: companyFor(ctx, order, args.companyId),
      filter: usable(args),
    });
  }

  @Query(() => MaterialConnection, { description: "Materials for an order: those of the order's company." })
  @AnySignedIn()
  async orderMaterials(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => ActivityTypeaheadArgs) args: ActivityTypeaheadArgs,
  ): Promise<Connection<Material>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Material, info, { ...args, ...byName, companyId: companyFor(ctx, order, args.companyId), filter: usable(args) });
  }
}

export const DispatchNumberQueries = queriesOf(DispatchNumber, {
  dispatchNumber: one(AnySignedIn()),
  dispatchNumbers: page(AnySignedIn(), DispatchNumberConnection, TypeaheadArgs, (args) => ({ ...args, ...byName })),
});
