import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { SiteConnection } from '../../directory/master-data/typeaheads.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { companyFor } from '../jobs/job.resolver.ts';
import { WaypointType } from '../model/states.ts';
import { addDefaultSite, type DefaultSitesOf, ownerOf, removeDefaultSite } from './default-sites.ts';

@ArgsType()
class DefaultSitesArgs extends PageArgs {
  @Field(() => WaypointType) waypointType!: WaypointType;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class DefaultSiteArgs {
  @Field(() => WaypointType) waypointType!: WaypointType;
  @Field(() => ID) siteId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

/** Sites that forms offer first for the stops of an order, or of a project's orders. */
@Resolver()
export class DefaultSiteResolver {
  @Query(() => SiteConnection, { description: 'Sites that are suggested first for a kind of stop of an order, by name.' })
  @AnySignedIn()
  orderDefaultSites(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) id: string,
    @Args(() => DefaultSitesArgs) args: DefaultSitesArgs,
  ): Promise<Connection<Site>> {
    return list(ctx, info, { owner: 'order', id, ...args }, args);
  }

  @Query(() => SiteConnection, { description: "Sites that are suggested first for a kind of stop of a project's orders, by name." })
  @AnySignedIn()
  projectDefaultSites(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) id: string,
    @Args(() => DefaultSitesArgs) args: DefaultSitesArgs,
  ): Promise<Connection<Site>> {
    return list(ctx, info, { owner: 'project', id, ...args }, args);
  }

  @Mutation(() => Site)
  @Requires(...allOrOwn('edit_order'), ...allOrOwn('edit_order_pre_accept'))
  addOrderDefaultSite(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) id: string,
    @Args(() => DefaultSiteArgs) { siteId, ...args }: DefaultSiteArgs,
  ): Promise<Site> {
    return add(ctx, info, { owner: 'order', id, ...args }, siteId);
  }

  @Mutation(() => Site)
  @Requires('edit_project')
  addProjectDefaultSite(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) id: string,
    @Args(() => DefaultSiteArgs) { siteId, ...args }: DefaultSiteArgs,
  ): Promise<Site> {
    return add(ctx, info, { owner: 'project', id, ...args }, siteId);
  }

  @Mutation(() => ID, { description: 'Removes a site that was suggested for stops of the order and returns its id.' })
  @Requires(...allOrOwn('edit_order'), ...allOrOwn('edit_order_pre_accept'))
  async removeOrderDefaultSite(
    @Ctx() ctx: Context,
    @Arg('orderId', () => ID) id: string,
    @Args(() => DefaultSiteArgs) { siteId, ...args }: DefaultSiteArgs,
  ): Promise<string> {
    await removeDefaultSite(ctx, { owner: 'order', id, ...args }, siteId);
    return siteId;
  }

  @Mutation(() => ID, { description: 'Removes a site that was suggested for stops of the project and returns its id.' })
  @Requires('edit_project')
  async removeProjectDefaultSite(
    @Ctx() ctx: Context,
    @Arg('projectId', () => ID) id: string,
    @Args(() => DefaultSiteArgs) { siteId, ...args }: DefaultSiteArgs,
  ): Promise<string> {
    await removeDefaultSite(ctx, { owner: 'project', id, ...args }, siteId);
    return siteId;
  }
}

async function list(
  ctx: Context,
  info: GraphQLResolveInfo,
  of: DefaultSitesOf,
  { waypointType: _, ...args }: DefaultSitesArgs,
): Promise<Connection<Site>> {
  const owner = await ownerOf(ctx, of);
  const chosen: Where = {
    key: `default_${of.owner}_${of.waypointType}`,
    sql: (t, p) =>
      `exists (select 1 from default_site d where d.site_id = ${t}.id and d.${of.owner}_id = ${p} and d.waypoint_type = '${of.waypointType}')`,
    cast: 'uuid',
    value: owner.id,
  };
  return ctx.read.page(Site, info, {
    ...args,
    companyId: companyFor(ctx, owner, of.companyId),
    sort: { name: 'asc' },
    shared: true,
    where: [KEPT, chosen],
  });
}

async function add(ctx: Context, info: GraphQLResolveInfo, of: DefaultSitesOf, siteId: string): Promise<Site> {
  const site = await addDefaultSite(ctx, of, siteId);
  return ctx.read.one(Site, info, { id: site.id, shared: true });
}
