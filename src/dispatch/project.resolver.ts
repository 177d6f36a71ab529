import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { ProjectConnection, ProjectListArgs } from './order.lists.ts';
import { Project } from './project.entity.ts';

@Resolver(() => Project)
export class ProjectResolver {
  @Query(() => Project)
  project(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<Project> {
    return ctx.read.one(Project, info, { id, companyId });
  }

  @Query(() => ProjectConnection)
  projects(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ProjectListArgs) args: ProjectListArgs,
  ): Promise<Connection<Project>> {
    return ctx.read.page(Project, info, args);
  }

  /** Active projects whose name or external id holds the text (SPEC); inactive ones are hidden unless asked for (DOMAIN 1.9). */
  @Query(() => ProjectConnection)
  projectTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ProjectListArgs) args: ProjectListArgs,
  ): Promise<Connection<Project>> {
    const filter = { ...args.filter, states: args.filter?.states ?? ['active'], query: args.search?.query || undefined };
    return ctx.read.page(Project, info, { ...args, search: null, filter });
  }
}
