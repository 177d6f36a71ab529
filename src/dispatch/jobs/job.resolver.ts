import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, DRIVER, type Requirement, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import { companyArg, mutationsOf, requires, withInput, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ReportsArchived } from '../../platform/read/past/archived.ts';
import { READS_HISTORY } from '../../platform/read/past/as-of.ts';
import type { Where } from '../../platform/read/reader.ts';
import { assignVendor, unassignJob } from '../assignment/assign-job.ts';
import { Job } from '../model/job.entity.ts';
import { JobEvent } from '../model/job-event.entity.ts';
import { Order } from '../model/order.entity.ts';
import { addJob } from './add-job.ts';
import { deleteJob } from './delete-job.ts';
import { AssignVendorInput, JobEventInput, RejectJobInput, UpdateJobInput } from './job.inputs.ts';
import { JobConnection, JobEventConnection, JobEventListArgs, JobListArgs } from './job.lists.ts';
import {
  acceptJob,
  arriveJob,
  cancelJob,
  completeJob,
  completeLoadOfJob,
  enrouteJob,
  flagJob,
  loadMaterial,
  pauseJob,
  payJob,
  rejectJob,
  removeJobFlag,
  removeJobSignoff,
  resumeJob,
  reviewJob,
  sendJob,
  signOffJob,
  unloadMaterial,
} from './job-events.ts';
import { JobTimelineEntry, jobTimeline } from './job-timeline.ts';
import { updateJob } from './update-job.ts';

export const ofOrder = (orderId: string): Where => ({ key: 'order', sql: (t, p) => `${t}.order_id = ${p}`, cast: 'uuid', value: orderId });
export const ofJob = (jobId: string): Where => ({ key: 'job', sql: (t, p) => `${t}.job_id = ${p}`, cast: 'uuid', value: jobId });

@Resolver(() => Job)
export class JobResolver {
  @Query(() => JobConnection)
  @AnySignedIn()
  async jobs(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Args(() => JobListArgs) args: JobListArgs): Promise<Connection<Job>> {
    const filter = args.ids ? { ...args.filter, ids: args.ids } : args.filter;
    if (!args.orderId) return ctx.read.page(Job, info, { ...args, filter });
    const order = await find(ctx, Order, args.orderId, { companyId: args.companyId });
    return ctx.read.page(Job, info, { ...args, filter, companyId: companyThen(ctx, order, args), where: [ofOrder(order.id)] });
  }

  @Query(() => JobEventConnection, { description: 'The events of a job, newest first.' })
  @AnySignedIn()
  async jobEvents(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => JobEventListArgs) args: JobEventListArgs,
  ): Promise<Connection<JobEvent>> {
    const job = await find(ctx, Job, args.jobId, { companyId: args.companyId });
    return ctx.read.page(JobEvent, info, { ...args, family: !args.companyId, where: [ofJob(job.id)] });
  }

  @ReportsArchived()
  @Query(() => [JobTimelineEntry], { description: 'The changes of a job with their authors, newest first.' })
  @AnySignedIn()
  jobTimeline(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobTimelineEntry[]> {
    return jobTimeline(ctx, info, { id: jobId, companyId });
  }

  @Mutation(() => Job, { description: 'Adds one truck to an order.' })
  @Requires(...allOrOwn('create_job'))
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
  @Requires(...allOrOwn('delete_job'))
  async deleteJob(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteJob(ctx, { id, companyId });
    return true;
  }
}

/** The requirement for acts of the office on a job. */
const OFFICE = allOrOwn('edit_job');
/** The requirement for reports of the driver, or of the office for the driver. */
const DRIVING: Requirement[] = [...OFFICE, DRIVER];

/** Commands on one job. */
export const JobMutations = mutationsOf(Job, {
  updateJob: requires(OFFICE, withInput(UpdateJobInput, updateJob)),
  assignVendorToJob: requires(allOrOwn('assign_job'), withInput(AssignVendorInput, assignVendor)),
  unassignJob: requires(allOrOwn('assign_job'), unassignJob),
  sendJob: requires(OFFICE, sendJob),
  acceptJob: requires(DRIVING, acceptJob),
  rejectJob: requires(DRIVING, withOptionalInput(RejectJobInput, rejectJob)),
  enrouteJob: requires(DRIVING, withOptionalInput(JobEventInput, enrouteJob)),
  arriveJob: requires(DRIVING, withOptionalInput(JobEventInput, arriveJob)),
  loadJobMaterial: requires(DRIVING, withOptionalInput(JobEventInput, loadMaterial)),
  unloadJobMaterial: requires(DRIVING, withOptionalInput(JobEventInput, unloadMaterial)),
  completeJobLoad: requires(DRIVING, withOptionalInput(JobEventInput, completeLoadOfJob)),
  completeJob: requires(DRIVING, (ctx, path) => completeJob(ctx, path)),
  cancelJob: requires(allOrOwn('cancel_job'), cancelJob),
  pauseJob: requires(DRIVING, pauseJob),
  resumeJob: requires(DRIVING, resumeJob),
  reviewJob: requires(OFFICE, reviewJob),
  flagJob: requires(OFFICE, flagJob),
  removeJobFlag: requires(OFFICE, removeJobFlag),
  signOffJob: requires(OFFICE, signOffJob),
  removeJobSignoff: requires(OFFICE, removeJobSignoff),
  payJob: requires(OFFICE, payJob),
});

/**
 * Returns the company whose list contains the children of a visible record: the record's company, or the viewer's if it was passed on to
 * it.
 */
export function companyFor(ctx: Context, record: { company: { id: string } }, asked?: string | null): string | undefined {
  if (asked) return asked;
  return viewerOf(ctx).companyIds.includes(record.company.id) ? record.company.id : undefined;
}

/**
 * The same for children that may be asked for as they were.
 * @throws Denied if they are, and the record was passed on: whoever got work reads it as it is
 */
export function companyThen(
  ctx: Context,
  record: { company: { id: string } },
  { companyId, asOf }: { companyId?: string | null; asOf?: Date | null },
): string | undefined {
  if (asOf && !viewerOf(ctx).companyIds.includes(record.company.id)) throw new Denied(READS_HISTORY, 'permission_of_owning_company');
  return companyFor(ctx, record, companyId);
}

export const JobQueries = queriesOf(Job, {
  job: oneAsOf(AnySignedIn()),
});
