import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, mutationsOf, withInput, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { addJob, deleteJob } from '../loads/load-commands.ts';
import { Job } from '../model/job.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Order } from '../model/order.entity.ts';
import { arriveJob, completeJob, completeLoadOfJob, enrouteJob, loadMaterial, pauseJob, resumeJob, unloadMaterial } from './drive-job.ts';
import { AssignVendorInput, JobEventInput, RejectJobInput, UpdateJobInput } from './job.inputs.ts';
import { JobConnection, JobEventConnection, JobEventListArgs, JobListArgs } from './job.lists.ts';
import {
  acceptJob,
  assignVendor,
  cancelJob,
  flagJob,
  payJob,
  rejectJob,
  removeJobFlag,
  removeJobSignoff,
  reviewJob,
  sendJob,
  signOffJob,
  unassignJob,
} from './job-events.ts';
import { JobTimelineEntry, jobTimeline } from './job-timeline.ts';
import { updateJob } from './update-job.ts';

export const ofOrder = (orderId: string): Where => ({ key: 'order', sql: (t, p) => `${t}.order_id = ${p}`, cast: 'uuid', value: orderId });
export const ofJob = (jobId: string): Where => ({ key: 'job', sql: (t, p) => `${t}.job_id = ${p}`, cast: 'uuid', value: jobId });

@Resolver(() => Job)
export class JobResolver {
  @Query(() => Job)
  job(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    return ctx.read.one(Job, info, { id, companyId });
  }

  @Query(() => JobConnection)
  async jobs(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Args(() => JobListArgs) args: JobListArgs): Promise<Connection<Job>> {
    const filter = args.ids ? { ...args.filter, ids: args.ids } : args.filter;
    if (!args.orderId) return ctx.read.page(Job, info, { ...args, filter });
    const order = await find(ctx, Order, args.orderId, { companyId: args.companyId });
    return ctx.read.page(Job, info, { ...args, filter, companyId: companyFor(ctx, order, args.companyId), where: [ofOrder(order.id)] });
  }

  @Query(() => JobEventConnection, { description: 'What happened to a job, newest first.' })
  async jobEvents(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => JobEventListArgs) args: JobEventListArgs,
  ): Promise<Connection<JobEvent>> {
    const job = await find(ctx, Job, args.jobId, { companyId: args.companyId });
    return ctx.read.page(JobEvent, info, { ...args, family: !args.companyId, where: [ofJob(job.id)] });
  }

  @Query(() => [JobTimelineEntry], { description: 'Who changed what of a job, newest first.' })
  jobTimeline(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobTimelineEntry[]> {
    return jobTimeline(ctx, { id: jobId, companyId });
  }

  @Mutation(() => Job, { description: 'Adds one truck to an order.' })
  async addJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('orderId', () => ID) orderId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    const { id } = await addJob(ctx, { id: orderId, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Boolean)
  async deleteJob(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteJob(ctx, { id, companyId });
    return true;
  }
}

/** Commands on one job. */
export const JobMutations = mutationsOf(Job, {
  updateJob: withInput(UpdateJobInput, updateJob),
  assignVendorToJob: withInput(AssignVendorInput, assignVendor),
  unassignJob,
  sendJob,
  acceptJob,
  rejectJob: withOptionalInput(RejectJobInput, rejectJob),
  enrouteJob: withOptionalInput(JobEventInput, enrouteJob),
  arriveJob: withOptionalInput(JobEventInput, arriveJob),
  loadJobMaterial: withOptionalInput(JobEventInput, loadMaterial),
  unloadJobMaterial: withOptionalInput(JobEventInput, unloadMaterial),
  completeJobLoad: withOptionalInput(JobEventInput, completeLoadOfJob),
  completeJob,
  cancelJob,
  pauseJob,
  resumeJob,
  reviewJob,
  flagJob,
  removeJobFlag,
  signOffJob,
  removeJobSignoff,
  payJob,
});

/**
 * Returns the company whose list contains the children of a visible record: the record's company, or the viewer's if it was passed on to
 * it.
 */
export function companyFor(ctx: Context, record: { company: { id: string } }, asked?: string | null): string | undefined {
  if (asked) return asked;
  return viewerOf(ctx).companyIds.includes(record.company.id) ? record.company.id : undefined;
}
