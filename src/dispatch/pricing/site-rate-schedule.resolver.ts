import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { discardMaster, updateMaster } from '../../directory/master-data/master-data.ts';
import { findKept } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { Project } from '../model/project.entity.ts';
import { SiteRateSchedule } from './site-rate-schedule.entity.ts';
import { SiteRateScheduleArgs, SiteRateScheduleConnection, SiteRateScheduleInput } from './site-rate-schedule.inputs.ts';
import { createSchedule, schedules } from './site-rate-schedules.ts';

@Resolver(() => SiteRateSchedule)
export class SiteRateScheduleResolver {
  @Query(() => SiteRateScheduleConnection, { description: "Rates for a project's work, by the place where it is loaded." })
  @AnySignedIn()
  async siteRateSchedules(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Args(() => SiteRateScheduleArgs) args: SiteRateScheduleArgs,
  ): Promise<Connection<SiteRateSchedule>> {
    const project = await findKept(ctx, Project, projectId, { companyId: args.companyId });
    const filter = { ...args.filter, projectId: project.id };
    return ctx.read.page(SiteRateSchedule, info, { ...args, companyId: project.company.id, filter, where: [KEPT] });
  }

  @Mutation(() => SiteRateSchedule)
  @Requires('edit_project')
  async createSiteRateSchedule(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Arg('input', () => SiteRateScheduleInput) input: SiteRateScheduleInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<SiteRateSchedule> {
    return ctx.read.one(SiteRateSchedule, info, { id: (await createSchedule(ctx, { id: projectId, companyId }, input)).id });
  }

  @Mutation(() => SiteRateSchedule)
  @Requires('edit_project')
  async updateSiteRateSchedule(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SiteRateScheduleInput) input: SiteRateScheduleInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<SiteRateSchedule> {
    return ctx.read.one(SiteRateSchedule, info, { id: (await updateMaster(ctx, schedules, { id, companyId }, input)).id });
  }

  @Mutation(() => Boolean, { description: 'Deletes rates of a project; work that was priced by them keeps its price.' })
  @Requires('edit_project')
  async deleteSiteRateSchedule(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<boolean> {
    await discardMaster(ctx, schedules, { id, companyId });
    return true;
  }
}
