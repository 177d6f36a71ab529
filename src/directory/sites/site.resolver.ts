import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { RequiresColumns } from '../../platform/model/decorators.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { activityMutations } from '../master-data/activity.ts';
import { KEPT, masterMutations } from '../master-data/master-data.resolver.ts';
import { SiteConnection } from '../master-data/typeaheads.ts';
import { SiteListArgs, SiteTypeaheadArgs } from '../shares/shareable.lists.ts';
import { Site } from './site.entity.ts';
import { CreateSiteInput, UpdateSiteInput } from './site.inputs.ts';
import { sites } from './sites.ts';

const shared = true;

export const SiteMutations = masterMutations(sites, {
  create: { name: 'createSite', input: CreateSiteInput },
  update: { name: 'updateSite', input: UpdateSiteInput },
  discard: { name: 'deleteSite' },
});
export const SiteActivity = activityMutations(sites, { activate: 'activateSite', deactivate: 'deactivateSite' });

/** Sites of a company, and those that others share with it for as long as they do. */
@Resolver(() => Site)
export class SiteResolver {
  @Query(() => SiteConnection, { description: 'Suggestions for a form while somebody types: by default, active sites only.' })
  @AnySignedIn()
  siteTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SiteTypeaheadArgs) args: SiteTypeaheadArgs,
  ): Promise<Connection<Site>> {
    const filter = { ...args.filter, states: args.filter?.states ?? ['active'] };
    return ctx.read.page(Site, info, { ...args, filter, sort: { name: 'asc' }, ranked: true, shared, where: [KEPT] });
  }

  @FieldResolver(() => Boolean, { description: 'False for a site that another company shares.' })
  @RequiresColumns(['companyId'])
  editable(@Ctx() ctx: Context, @Root() site: Site & { companyId: string }): boolean {
    return viewerOf(ctx).companyIds.includes(site.companyId);
  }
}

export const SiteQueries = queriesOf(Site, {
  sites: page(AnySignedIn(), SiteConnection, SiteListArgs, (args) => ({ ...args, shared, where: [KEPT] })),
  site: oneAsOf(AnySignedIn(), () => ({ shared, where: [KEPT] })),
});
