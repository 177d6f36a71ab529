import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { companyOf, find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { CreateJobAssignmentInput, UpdateJobAssignmentInput } from '../jobs/job.inputs.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { createJobAssignment, updateJobAssignment } from './job-assignments.ts';

const JobAssignmentConnection = connectionOf('JobAssignment', () => JobAssignment);
@ArgsType()
class JobAssignmentArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

/** The links that a company made or received. Links between other companies are not visible. */
const between = (ctx: Context, companyId?: string | null): Where => ({
  key: 'between',
  sql: (t, p) => `(${t}.customer_company_id = any(${p}) or ${t}.vendor_company_id = any(${p}))`,
  cast: 'uuid[]',
  value: companyId ? [companyOf(ctx, companyId)] : viewerOf(ctx).companyIds,
});

/** The links by which jobs were passed on. */
@Resolver(() => JobAssignment)
export class JobAssignmentResolver {
  @Query(() => JobAssignment)
  @AnySignedIn()
  jobAssignment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobAssignment> {
    return ctx.read.one(JobAssignment, info, { id, companyId, where: [between(ctx, companyId)] });
  }

  @Query(() => JobAssignmentConnection, { description: 'The links of one job that your company made or received.' })
  @AnySignedIn()
  async jobAssignments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
    @Args(() => JobAssignmentArgs) args: JobAssignmentArgs,
  ): Promise<Connection<JobAssignment>> {
    const { id } = await find(ctx, Job, jobId, { companyId: args.companyId });
    const ofJob: Where = { key: 'ofJob', sql: (t, p) => `${t}.job_id = ${p}`, cast: 'uuid', value: id };
    const family = args.companyId === undefined || args.companyId === null;
    return ctx.read.page(JobAssignment, info, { ...args, family, where: [between(ctx, args.companyId), ofJob] });
  }

  @Mutation(() => JobAssignment, { description: 'Passes a job on to a vendor, at a rate for this link.' })
  @Requires('create_job_assignment')
  async createJobAssignment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('input', () => CreateJobAssignmentInput) input: CreateJobAssignmentInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobAssignment> {
    const { id } = await createJobAssignment(ctx, { id: jobId, companyId }, input);
    return ctx.read.one(JobAssignment, info, { id, where: [between(ctx)] });
  }

  @Mutation(() => JobAssignment, { description: 'Changes the rate of a link.' })
  @Requires('edit_job_assignment')
  async updateJobAssignment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateJobAssignmentInput) input: UpdateJobAssignmentInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobAssignment> {
    await updateJobAssignment(ctx, id, companyId, input);
    return ctx.read.one(JobAssignment, info, { id, where: [between(ctx)] });
  }
}
