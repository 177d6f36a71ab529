import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { allow, findKept } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { KEEPS_REPORTS } from '../reports/reports.ts';
import { ExportRun, ExportSchedule } from './export-schedule.entity.ts';
import {
  CreateExportScheduleInput,
  ExportRunConnection,
  ExportRunListArgs,
  ExportScheduleConnection,
  ExportScheduleListArgs,
  UpdateExportScheduleInput,
} from './export-schedule.inputs.ts';
import { createExportSchedule, deleteExportSchedule, updateExportSchedule } from './export-schedules.ts';

@Resolver(() => ExportSchedule)
export class ExportScheduleResolver {
  @Query(() => ExportSchedule, { description: 'A schedule of exports.' })
  @Requires(KEEPS_REPORTS)
  async exportSchedule(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ExportSchedule> {
    const found = (await ctx.read.one(ExportSchedule, info, { id, companyId, where: [KEPT] })) as ExportSchedule;
    allow(ctx, KEEPS_REPORTS);
    return found;
  }

  @Query(() => ExportScheduleConnection, { description: 'The schedules of exports of a company.' })
  @Requires(KEEPS_REPORTS)
  exportSchedules(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ExportScheduleListArgs) args: ExportScheduleListArgs,
  ): Promise<Connection<ExportSchedule>> {
    allow(ctx, KEEPS_REPORTS);
    return ctx.read.page(ExportSchedule, info, { ...args, where: [KEPT] });
  }

  @Query(() => ExportRunConnection, { description: 'The due times of a schedule in the last 90 days, and what became of them.' })
  @Requires(KEEPS_REPORTS)
  async exportRuns(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ExportRunListArgs) { exportScheduleId, companyId, ...args }: ExportRunListArgs,
  ): Promise<Connection<ExportRun>> {
    const { id, company } = await findKept(ctx, ExportSchedule, exportScheduleId, { companyId });
    allow(ctx, KEEPS_REPORTS);
    const where = [{ key: 'of schedule', sql: (t: string, p: string) => `${t}.export_schedule_id = ${p}`, cast: 'uuid', value: id }];
    return ctx.read.page(ExportRun, info, { ...args, companyId: company.id, where });
  }

  @Mutation(() => ExportSchedule, { description: 'Has a list exported daily or weekly, as you may read it, and sent by mail.' })
  @Requires(KEEPS_REPORTS)
  async createExportSchedule(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateExportScheduleInput) input: CreateExportScheduleInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ExportSchedule> {
    return ctx.read.one(ExportSchedule, info, { id: (await createExportSchedule(ctx, input, companyId)).id });
  }

  @Mutation(() => ExportSchedule, { description: 'Changes a schedule, which has your permissions from then on.' })
  @Requires(KEEPS_REPORTS)
  async updateExportSchedule(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateExportScheduleInput) input: UpdateExportScheduleInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ExportSchedule> {
    await updateExportSchedule(ctx, { id, companyId }, input);
    return ctx.read.one(ExportSchedule, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Ends a schedule.' })
  @Requires(KEEPS_REPORTS)
  async deleteExportSchedule(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteExportSchedule(ctx, { id, companyId });
    return true;
  }
}
