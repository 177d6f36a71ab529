import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { ActivityState } from '../directory/activity-state.ts';
import { Material } from '../directory/named.entities.ts';
import { Site } from '../directory/site.entity.ts';
import { MaterialConnection, SiteConnection } from '../directory/typeaheads.ts';
import { find } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../platform/read/connection.ts';
import { defineSearch, defineSorts } from '../platform/read/grammar.ts';
import type { Where } from '../platform/read/reader.ts';
import { DispatchNumber } from './dispatch-number.entity.ts';
import { companyFor } from './job.resolver.ts';
import { Order } from './order.entity.ts';
import { SearchInput } from './order.lists.ts';
import { Phase } from './phase.entity.ts';
import { Project } from './project.entity.ts';

export const DispatchNumberConnection = connectionOf('DispatchNumber', () => DispatchNumber);
export const PhaseConnection = connectionOf('Phase', () => Phase);

defineSearch(DispatchNumber, (t, p) => `${t}.name ilike ${p}`);
defineSorts(DispatchNumber, { name: { sql: (t) => `${t}.name`, cast: 'text' } });
defineSearch(Phase, (t, p) => `${t}.name ilike ${p} or ${t}.code ilike ${p}`);

@ArgsType()
class TypeaheadArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => SearchInput, { nullable: true }) search?: SearchInput | null;
}

@InputType()
class ActivityFilter {
  @Field(() => [ActivityState], { nullable: true }) states?: ActivityState[] | null;
}

@ArgsType()
class ActivityTypeaheadArgs extends TypeaheadArgs {
  @Field(() => ActivityFilter, { nullable: true, description: 'Active ones unless asked for others.' }) filter?: ActivityFilter | null;
}

const byName = { sort: { name: 'asc' } };
const inOrder = { sort: { createdAt: 'asc' } };
const usable = (args: ActivityTypeaheadArgs) => ({ usable: true, states: args.filter?.states ?? ['active'] });
const of = (column: string, id: string): Where => ({ key: column, sql: (t, p) => `${t}.${column} = ${p}`, cast: 'uuid', value: id });

/** What a form offers to choose from while somebody types. */
@Resolver()
export class TypeaheadResolver {
  @Query(() => DispatchNumberConnection)
  dispatchNumbers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => TypeaheadArgs) args: TypeaheadArgs,
  ): Promise<Connection<DispatchNumber>> {
    return ctx.read.page(DispatchNumber, info, { ...args, ...byName });
  }

  @Query(() => PhaseConnection)
  async orderPhases(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => TypeaheadArgs) args: TypeaheadArgs,
  ): Promise<Connection<Phase>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Phase, info, { ...args, ...inOrder, where: [of('order_id', order.id)] });
  }

  @Query(() => PhaseConnection)
  async projectPhases(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Args(() => TypeaheadArgs) args: TypeaheadArgs,
  ): Promise<Connection<Phase>> {
    const project = await find(ctx, Project, projectId, { companyId: args.companyId });
    return ctx.read.page(Phase, info, { ...args, ...inOrder, where: [of('project_id', project.id)] });
  }

  @Query(() => SiteConnection, { description: "Sites an order may go to: the order's company's." })
  async orderSites(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Args(() => ActivityTypeaheadArgs) args: ActivityTypeaheadArgs,
  ): Promise<Connection<Site>> {
    const order = await find(ctx, Order, orderId, { companyId: args.companyId });
    return ctx.read.page(Site, info, { ...args, ...byName, companyId: companyFor(ctx, order, args.companyId), filter: usable(args) });
  }

  @Query(() => MaterialConnection, { description: "Materials an order may haul: the order's company's." })
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
