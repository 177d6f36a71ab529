import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { JobPart, ownJobs } from '../access/own-jobs.ts';
import { LoadCycles, loadCyclesOf } from '../loads/load-cycles.ts';
import { Job } from '../model/job.entity.ts';
import { JobSummary } from '../model/job-summary.ts';
import { LoadSummary, summaryOf } from '../model/load-summary.ts';
import { Order } from '../model/order.entity.ts';
import { JobState } from '../model/states.ts';
import { EstimateRouteInput, estimateRoute, RouteEstimate } from '../orders/estimates/route-estimate.ts';
import { SimulateOrderInput, simulateOrder } from '../orders/estimates/simulate-order.ts';
import { copyJob } from './copy-job.ts';
import { JobConnection } from './job.lists.ts';
import { jobSummaryOf, UpdateJobSummaryInput, UpdateLoadSummaryInput, updateJobSummary, updateLoadSummary } from './summaries.ts';
import { setJobPhase } from './update-job.ts';

const optional = { nullable: true };
@InputType()
export class OwnJobFilter {
  @Field(() => [JobState], optional) states?: JobState[] | null;
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
class OwnJobArgs extends PageArgs {
  @Field(() => OwnJobFilter, optional) filter?: OwnJobFilter | null;
}

/** The further reads and acts of jobs and loads: their company, cycles, summaries and copies. */
@Resolver()
export class JobRecordsResolver {
  @Query(() => JobConnection, { description: 'The jobs of the calling person, in one part or in any.' })
  @AnySignedIn()
  ownJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('as', () => JobPart, { defaultValue: 'assigned' }) as: JobPart,
    @Args(() => OwnJobArgs) args: OwnJobArgs,
  ): Promise<Connection<Job>> {
    return ctx.read.page(Job, info, { ...args, where: [ownJobs(ctx, as)] });
  }

  @Query(() => LoadCycles, { description: 'Times from arrival to arrival at the pickup, over consecutive loads of a job.' })
  @AnySignedIn()
  loadCycles(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<LoadCycles> {
    return loadCyclesOf(ctx, jobId, companyId);
  }

  @Query(() => JobSummary, { description: 'The figures of a finished job.' })
  @AnySignedIn()
  jobSummary(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobSummary> {
    return jobSummaryOf(ctx, jobId, companyId);
  }

  @Query(() => RouteEstimate, { description: 'Distance and time between two places.' })
  @AnySignedIn()
  estimateRoute(@Ctx() ctx: Context, @Arg('input', () => EstimateRouteInput) input: EstimateRouteInput): Promise<RouteEstimate> {
    return estimateRoute(ctx, input);
  }

  @Mutation(() => Job, { description: 'Adds one more truck to the order, on the terms of this job.' })
  @Requires(...allOrOwn('create_job'))
  async copyJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    const copy = await copyJob(ctx, { id, companyId });
    return ctx.read.one(Job, info, { id: copy.id });
  }

  @Mutation(() => Job, { description: "Puts a job under one of its order's phases, or under none." })
  @Requires(...allOrOwn('edit_job_phase'))
  async setJobPhase(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('phaseId', () => ID, { nullable: true, description: 'Required; null for none.' }) phaseId?: string | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    await setJobPhase(ctx, { id, companyId }, phaseId);
    return ctx.read.one(Job, info, { id });
  }

  @Mutation(() => JobSummary, { description: 'Corrects the times of a finished job.' })
  @Requires(...allOrOwn('edit_job_summary'))
  async updateJobSummary(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateJobSummaryInput) input: UpdateJobSummaryInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobSummary> {
    await updateJobSummary(ctx, { id, companyId }, input);
    return jobSummaryOf(ctx, id, companyId);
  }

  @Mutation(() => LoadSummary, { description: 'Corrects the four times of a load.' })
  @Requires(...allOrOwn('edit_load_summaries'))
  @Requires('edit_job', 'edit_load_summaries:own')
  async updateLoadSummary(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateLoadSummaryInput) input: UpdateLoadSummaryInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<LoadSummary> {
    return summaryOf(await updateLoadSummary(ctx, { id, companyId }, input));
  }

  @Mutation(() => Order, { description: 'Creates an order to practise with.' })
  @Requires(...allOrOwn('create_order'))
  async simulateOrder(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => SimulateOrderInput) input: SimulateOrderInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Order> {
    const { id } = await simulateOrder(ctx, input, companyId);
    return ctx.read.one(Order, info, { id });
  }
}
