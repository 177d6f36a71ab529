import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import type { Where } from '../platform/read/reader.ts';
import { arriveJob, completeJob, completeLoadOfJob, enrouteJob, loadMaterial, pauseJob, resumeJob, unloadMaterial } from './drive-job.ts';
import { Job } from './job.entity.ts';
import { AssignVendorInput, JobEventInput, RejectJobInput, UpdateJobInput } from './job.inputs.ts';
import { JobConnection, JobEventConnection, JobEventListArgs, JobListArgs } from './job.lists.ts';
import { JobEvent } from './job-event.entity.ts';
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
import { addJob, deleteJob } from './load-commands.ts';
import { Order } from './order.entity.ts';
import { updateJob } from './update-job.ts';

const companyArg = { nullable: true, description: 'Only inside this company; by default anything you may see.' };
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
    return ctx.read.page(JobEvent, info, { ...args, companyId: undefined, where: [ofJob(job.id)] });
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

  @Mutation(() => Job)
  async updateJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateJobInput) input: UpdateJobInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await updateJob(ctx, { id, companyId }, input);
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

  @Mutation(() => Job)
  async assignVendorToJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AssignVendorInput) input: AssignVendorInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await assignVendor(ctx, { id, companyId }, input);
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async unassignJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await unassignJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async sendJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await sendJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async acceptJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await acceptJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async rejectJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => RejectJobInput, { nullable: true }) input?: RejectJobInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await rejectJob(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async enrouteJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JobEventInput, { nullable: true }) input?: JobEventInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await enrouteJob(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async arriveJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JobEventInput, { nullable: true }) input?: JobEventInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await arriveJob(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async loadJobMaterial(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JobEventInput, { nullable: true }) input?: JobEventInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await loadMaterial(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async unloadJobMaterial(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JobEventInput, { nullable: true }) input?: JobEventInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await unloadMaterial(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async completeJobLoad(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JobEventInput, { nullable: true }) input?: JobEventInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await completeLoadOfJob(ctx, { id, companyId }, input ?? {});
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async completeJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await completeJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async cancelJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await cancelJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async pauseJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await pauseJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async resumeJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await resumeJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async reviewJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await reviewJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async flagJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await flagJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async removeJobFlag(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await removeJobFlag(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async signOffJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await signOffJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async removeJobSignoff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await removeJobSignoff(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => Job)
  async payJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await payJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id });
  }
}

/** The company whose list holds the children of a visible record: its own, or the viewer's when it was passed on to it. */
export function companyFor(ctx: Context, record: { company: { id: string } }, asked?: string | null): string | undefined {
  if (asked) return asked;
  return viewerOf(ctx).companyIds.includes(record.company.id) ? record.company.id : undefined;
}
