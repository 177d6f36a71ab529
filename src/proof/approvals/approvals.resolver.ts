import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Int, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../../dispatch/fields/search.inputs.ts';
import { JobConnection, LoadConnection } from '../../dispatch/jobs/job.lists.ts';
import { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, mutationsOf, requires, withOptionalInput } from '../../platform/graphql/record-mutations.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { ApprovalAssignment, RequestedApprovalType } from './approval-assignment.entity.ts';
import { jobApprovalStatus } from './approval-status.ts';
import { approveJob, approveLoad, unapproveJob, unapproveLoad } from './approve.ts';
import { ofJobsFound, waitingFor } from './waiting.ts';

const optional = { nullable: true };
@InputType()
@About('Load')
export class ApprovalInput {
  @Field(() => String, optional) @Length(1, 200) externalApproverName?: string | null;
  /** Only company administrators choose; everybody else approves as what they are. */
  @Field(() => RequestedApprovalType, optional) approvalType?: RequestedApprovalType | null;
}
@InputType()
@About('Job')
export class JobApprovalInput extends ApprovalInput {
  @Field(() => Int, { nullable: true, description: 'The minutes that billing uses instead of the worked ones.' })
  @Range(0, 100_000)
  approvedWorkTimeMinutes?: number | null;
}

@InputType()
class ApprovalFilter {
  @Field(() => DateOrInstant, optional) startDate?: string | null;
  @Field(() => DateOrInstant, optional) endDate?: string | null;
  @UpdatedSince() updatedSince?: Date | null;
}
@ArgsType()
class JobApprovalArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ApprovalFilter, optional) filter?: ApprovalFilter | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
}
@InputType()
class LoadApprovalSearch {
  @Field(() => SearchInput, optional) job?: SearchInput | null;
}
@ArgsType()
class LoadApprovalArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ApprovalFilter, optional) filter?: ApprovalFilter | null;
  @Field(() => LoadApprovalSearch, optional) search?: LoadApprovalSearch | null;
}
@ArgsType()
class JobApprovalListArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ID) jobId!: string;
}
@ArgsType()
class LoadApprovalListArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ID) loadId!: string;
}
export const ApprovalAssignmentConnection = connectionOf('ApprovalAssignment', () => ApprovalAssignment);

@Resolver()
export class ApprovalsResolver {
  @Query(() => LoadConnection, { description: "Completed loads that wait for the caller's approval." })
  @AnySignedIn()
  async loadsToApprove(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadApprovalArgs) args: LoadApprovalArgs,
  ): Promise<Connection<Load>> {
    const { search, ...rest } = args;
    return ctx.read.page(Load, info, { ...rest, where: [...waitingFor(ctx, 'Load'), ...ofJobsFound(ctx, search?.job?.datagrid)] });
  }

  @Query(() => ApprovalAssignmentConnection, { description: 'Approvals of a job and their withdrawals, newest first.' })
  @AnySignedIn()
  async jobApprovals(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => JobApprovalListArgs) { jobId, companyId, ...args }: JobApprovalListArgs,
  ): Promise<Connection<ApprovalAssignment>> {
    return approvalsOf(ctx, info, { ...args, companyId }, await find(ctx, Job, jobId, { companyId }));
  }

  @Query(() => ApprovalAssignmentConnection, { description: 'Approvals of a load and their withdrawals, newest first.' })
  @AnySignedIn()
  async loadApprovals(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadApprovalListArgs) { loadId, companyId, ...args }: LoadApprovalListArgs,
  ): Promise<Connection<ApprovalAssignment>> {
    return approvalsOf(ctx, info, { ...args, companyId }, await find(ctx, Load, loadId, { companyId }));
  }

  @Query(() => ApprovalStatus, { description: 'The present approvals of a job by your company.' })
  @AnySignedIn()
  jobApprovalStatus(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ApprovalStatus> {
    return jobApprovalStatus(ctx, jobId, companyId);
  }
}

/** The approval of one job. */
export const JobApprovalMutations = mutationsOf(Job, {
  approveJob: requires(allOrOwn('approve_job'), withOptionalInput(JobApprovalInput, approveJob, 'Approves a finished job and its loads.')),
  unapproveJob: requires(
    allOrOwn('approve_job'),
    withOptionalInput(ApprovalInput, unapproveJob, 'Withdraws the approvals of a job and its loads.'),
  ),
});

/** The approval of one load. */
export const LoadApprovalMutations = mutationsOf(Load, {
  approveLoad: requires(allOrOwn('approve_load'), withOptionalInput(ApprovalInput, approveLoad, 'Approves a completed load.')),
  unapproveLoad: requires(
    allOrOwn('approve_load'),
    withOptionalInput(ApprovalInput, unapproveLoad, 'Withdraws the approvals of a load; its job keeps its approval.'),
  ),
});

/** Approvals of a record by the viewer's company, and by those of its direct partners. */
export function approvalsOf(
  ctx: Context,
  info: GraphQLResolveInfo,
  args: PageArgs & { companyId?: string | null },
  { id }: { id: string },
): Promise<Connection<ApprovalAssignment>> {
  const where = [{ key: 'record', sql: (t: string, p: string) => `${t}.approvable_id = ${p}`, cast: 'uuid', value: id }];
  return ctx.read.page(ApprovalAssignment, info, { ...args, family: !args.companyId, shared: true, where });
}

export const JobQueries = queriesOf(Job, {
  jobsToApprove: page(AnySignedIn(), JobConnection, JobApprovalArgs, (args, ctx) => ({ ...args, where: waitingFor(ctx, 'Job') }), {
    description: "Finished jobs that wait for the caller's approval.",
  }),
});
