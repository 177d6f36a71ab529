import type { GraphQLResolveInfo } from 'graphql';
import { Arg, ArgsType, Ctx, Field, ID, Info, Mutation, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { Project } from '../model/project.entity.ts';
import { ProjectConnection, ProjectListArgs, ProjectListAsOfArgs } from '../orders/order.lists.ts';
import { createProject } from './create-project.ts';
import { CreateProjectInput, UpdateProjectInput } from './project.inputs.ts';
import { discardProject, setProjectState } from './project-events.ts';
import { updateProject } from './update-project.ts';

@ArgsType()
class OwnProjectArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

const WITH_EXTERNAL_ID: Where = {
  key: 'external',
  sql: (t, p) => `(${t}.external_id is not null) = ${p}`,
  cast: 'boolean',
  value: true,
};
const soldBy = (userId: string): Where => ({
  key: 'sold',
  sql: (t, p) => `${p} = any(${t}.salesperson_ids)`,
  cast: 'uuid',
  value: userId,
});

@Resolver(() => Project)
export class ProjectResolver {
  @Mutation(() => Project)
  @Requires('create_project')
  async createProject(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateProjectInput) input: CreateProjectInput,
  ): Promise<Project> {
    return ctx.read.one(Project, info, { id: (await createProject(ctx, input)).id });
  }

  @Mutation(() => Project)
  @Requires('edit_project')
  async updateProject(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateProjectInput) input: UpdateProjectInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Project> {
    return ctx.read.one(Project, info, { id: (await updateProject(ctx, { id, companyId }, input)).id });
  }

  @Mutation(() => Project, { description: 'Activates a project: it takes new orders again.' })
  @Requires('edit_project')
  async activateProject(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Project> {
    await setProjectState(ctx, { id, companyId }, 'active');
    return ctx.read.one(Project, info, { id });
  }

  @Mutation(() => Project, { description: 'Deactivates a project: it takes no new orders, but running work continues.' })
  @Requires('edit_project')
  async deactivateProject(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Project> {
    await setProjectState(ctx, { id, companyId }, 'inactive');
    return ctx.read.one(Project, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Discards a project: lists and forms no longer show it, but its orders do.' })
  @Requires('delete_project')
  async deleteProject(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await discardProject(ctx, { id, companyId });
    return true;
  }
}

/** With a text, the best match comes first, then by name; without one, the newest, in the order of an index. */
const offered = (args: ProjectListArgs) => ({
  ...args,
  ranked: true,
  sort: args.search?.query ? { name: 'asc' } : undefined,
  search: { query: args.search?.query },
  filter: { ...args.filter, states: args.filter?.states ?? ['active'] },
});

export const ProjectQueries = queriesOf(Project, {
  project: oneAsOf(AnySignedIn(), () => ({ where: [KEPT] }), { company: { nullable: true } }),
  projects: page(AnySignedIn(), ProjectConnection, ProjectListAsOfArgs, (args) => ({ ...args, where: [KEPT] })),
  ownProjects: page(
    AnySignedIn(),
    ProjectConnection,
    OwnProjectArgs,
    (args, ctx) => ({ ...args, where: [KEPT, soldBy(viewerOf(ctx).id)] }),
    { description: 'Projects of which the calling person is a salesperson. A machine client has none.' },
  ),
  /** Active projects whose name or external id contains the text (SPEC); inactive ones are hidden by default (DOMAIN 1.9). */
  projectTypeahead: page(AnySignedIn(), ProjectConnection, ProjectListArgs, (args) => ({ ...offered(args), where: [KEPT] })),
  projectExternalIdTypeahead: page(
    AnySignedIn(),
    ProjectConnection,
    ProjectListArgs,
    (args) => ({ ...offered(args), where: [KEPT, WITH_EXTERNAL_ID] }),
    { description: 'The same for projects that have an external id, by that id.' },
  ),
});
