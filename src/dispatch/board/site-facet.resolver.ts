import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { SiteConnection } from '../../directory/master-data/typeaheads.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { PeopleFacetFilter } from '../drivers/people.lists.ts';
import { SearchInput } from '../fields/search.inputs.ts';
import { WaypointType } from '../model/states.ts';
import { facetPage, type PartOfJob } from './job-facet.ts';

@InputType()
class SiteFacetSearch {
  @Field(() => String, { nullable: true }) query?: string | null;
}

@InputType()
class SiteFacetWaypoint {
  @Field(() => WaypointType, { nullable: true }) type?: WaypointType | null;
}

@InputType()
class SiteFacetFilter {
  @Field(() => SiteFacetWaypoint, { nullable: true }) waypoint?: SiteFacetWaypoint | null;
}

/** Narrows what is offered, but not the jobs from which it is collected. */
@InputType()
class SiteFacet {
  @Field(() => SiteFacetSearch, { nullable: true }) search?: SiteFacetSearch | null;
  @Field(() => SiteFacetFilter, { nullable: true }) filter?: SiteFacetFilter | null;
}

@InputType()
class SiteFacetJobSearch {
  @Field(() => SearchInput, { nullable: true }) job?: SearchInput | null;
}

@ArgsType()
class SiteFacetArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => PeopleFacetFilter, { nullable: true }) filter?: PeopleFacetFilter | null;
  @Field(() => SiteFacetJobSearch, { nullable: true, description: 'Words that the jobs must contain.' }) search?: SiteFacetJobSearch | null;
  @Field(() => SiteFacet, { nullable: true }) facet?: SiteFacet | null;
}

const stopOf = (type: WaypointType | null | undefined): PartOfJob => ({
  key: `stop_${type ?? 'any'}`,
  through: ` join waypoint w on w.route_id = j.route_id${type ? ` and w.type = '${type}'` : ''}`,
  id: () => 'w.site_id',
});

@Resolver()
export class SiteFacetResolver {
  @Query(() => SiteConnection, { description: 'Sites at which the jobs of the filter stop, by name.' })
  @AnySignedIn()
  siteFacets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SiteFacetArgs) args: SiteFacetArgs,
  ): Promise<Connection<Site>> {
    const part = stopOf(args.facet?.filter?.waypoint?.type);
    return facetPage(ctx, info, Site, part, args, { words: args.search?.job?.datagrid, ranked: true, shared: true, where: [KEPT] });
  }
}
