import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ResourceUsageLog } from './resource-usage-log.entity.ts';
import {
  CreateResourceUsageLogInput,
  ResourceUsageLogChange,
  ResourceUsageLogConnection,
  UpdateResourceUsageLogInput,
  UsageLogListArgs,
} from './usage-log.inputs.ts';
import { changeUsageLogs, createUsageLog, deleteUsageLog, updateUsageLog } from './usage-logs.ts';
import { seenWork, type Work } from './usage-of-work.ts';

const COLUMN = { DriverDay: 'driver_day_id', Job: 'job_id', Load: 'load_id' } as const;
const ANY = ['edit_resource_usage_log', 'create_resource_usage_log', 'delete_resource_usage_log'];

/** The logs that divide the time of days, jobs and loads. */
@Resolver(() => ResourceUsageLog)
export class UsageLogResolver {
  @Query(() => ResourceUsageLogConnection, { description: 'The logs of a driver day, its jobs and their loads.' })
  @AnySignedIn()
  driverDayResourceUsageLogs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => UsageLogListArgs) args: UsageLogListArgs,
  ): Promise<Connection<ResourceUsageLog>> {
    return logsOf(ctx, info, { type: 'DriverDay', id }, args);
  }

  @Query(() => ResourceUsageLogConnection, { description: 'The logs of a job and its loads.' })
  @AnySignedIn()
  jobResourceUsageLogs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Args(() => UsageLogListArgs) args: UsageLogListArgs,
  ): Promise<Connection<ResourceUsageLog>> {
    return logsOf(ctx, info, { type: 'Job', id }, args);
  }

  @Query(() => ResourceUsageLogConnection, { description: 'The logs of a load.' })
  @AnySignedIn()
  loadResourceUsageLogs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Args(() => UsageLogListArgs) args: UsageLogListArgs,
  ): Promise<Connection<ResourceUsageLog>> {
    return logsOf(ctx, info, { type: 'Load', id }, args);
  }

  @Mutation(() => ResourceUsageLog, { description: 'Adds a log to a driver day, or to a job or load of it.' })
  @Requires('create_resource_usage_log')
  async createDriverDayResourceUsageLog(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('input', () => CreateResourceUsageLogInput) input: CreateResourceUsageLogInput,
  ): Promise<ResourceUsageLog> {
    const log = await createUsageLog(ctx, { type: 'DriverDay', id }, input);
    return ctx.read.one(ResourceUsageLog, info, { id: log.id });
  }

  @Mutation(() => [ResourceUsageLog], { description: 'Adds, changes and removes logs of a driver day, all or none.' })
  @Requires(...ANY)
  async changeDriverDayResourceUsageLogs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('resourceUsageLogs', () => [ResourceUsageLogChange], { description: 'At most 100 changes.' }) changes: ResourceUsageLogChange[],
  ): Promise<ResourceUsageLog[]> {
    return changed(ctx, info, await changeUsageLogs(ctx, { type: 'DriverDay', id }, changes));
  }

  @Mutation(() => [ResourceUsageLog], { description: 'Adds, changes and removes logs of a job, all or none.' })
  @Requires(...ANY)
  async changeJobResourceUsageLogs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('resourceUsageLogs', () => [ResourceUsageLogChange], { description: 'At most 100 changes.' }) changes: ResourceUsageLogChange[],
  ): Promise<ResourceUsageLog[]> {
    return changed(ctx, info, await changeUsageLogs(ctx, { type: 'Job', id }, changes));
  }

  @Mutation(() => ResourceUsageLog, { description: 'Changes minutes, truck or phase of a log.' })
  @Requires('edit_resource_usage_log')
  async updateResourceUsageLog(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateResourceUsageLogInput) input: UpdateResourceUsageLogInput,
  ): Promise<ResourceUsageLog> {
    await updateUsageLog(ctx, id, input);
    return ctx.read.one(ResourceUsageLog, info, { id });
  }

  @Mutation(() => Boolean)
  @Requires('delete_resource_usage_log')
  async deleteResourceUsageLog(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteUsageLog(ctx, id);
    return true;
  }
}

async function logsOf(ctx: Context, info: GraphQLResolveInfo, work: Work, args: UsageLogListArgs): Promise<Connection<ResourceUsageLog>> {
  const { type, id } = await seenWork(ctx, work);
  const sql = (t: string, p: string) => `${t}.${COLUMN[type]} = ${p}`;
  return ctx.read.page(ResourceUsageLog, info, { ...args, family: true, where: [{ key: `of${type}`, sql, cast: 'uuid', value: id }] });
}

const changed = (ctx: Context, info: GraphQLResolveInfo, ids: string[]): Promise<ResourceUsageLog[]> =>
  ctx.read.list(ResourceUsageLog, info, { where: [{ key: 'ids', sql: (t, p) => `${t}.id = any(${p})`, cast: 'uuid[]', value: ids }] });
