import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { BulkAction } from '../../dispatch/bulk/bulk-action.entity.ts';
import { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { About } from '../../platform/model/about.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { ApprovalAssignment } from '../approvals/approval-assignment.entity.ts';
import { ApprovalAssignmentConnection, ApprovalInput, approvalsOf } from '../approvals/approvals.resolver.ts';
import { approveDriverDay, unapproveDriverDay } from '../approvals/approve-day.ts';
import { bulkApproveDriverDays } from './bulk-approve-days.ts';
import { approvalsOfDay, type DayRow } from './day-approvals.ts';

@InputType()
@About('DriverDay')
export class BulkApprovalInput extends ApprovalInput {
  @Field(() => [ID], { description: 'A thousand at most.' }) driverDayIds!: string[];
}

@ArgsType()
class DriverDayApprovalListArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ID) driverDayId!: string;
}

type ApprovalOfDay = (ctx: Context, path: RecordPath, input: ApprovalInput) => Promise<unknown>;

/** A mutation on the approvals of one day, which answers with the day. */
function dayMutation(name: string, command: ApprovalOfDay, description: string): Function {
  @Resolver(() => DriverDay)
  class DayMutation {
    @Mutation(() => DriverDay, { name, description })
    @Requires(...allOrOwn('approve_driver_day'))
    async run(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('input', () => ApprovalInput, { nullable: true }) input?: ApprovalInput,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
    ): Promise<DriverDay> {
      await command(ctx, { id, companyId }, input ?? {});
      return ctx.read.one(DriverDay, info, { id, shared: true });
    }
  }
  return DayMutation;
}

export const driverDayApprovalMutations: readonly Function[] = [
  dayMutation('approveDriverDay', approveDriverDay, 'Approves a day whose shift is over, with its finished jobs and completed loads.'),
  dayMutation('unapproveDriverDay', unapproveDriverDay, 'Withdraws the approvals of a day, its jobs and their loads.'),
];

/** The approval of days. */
@Resolver()
export class DriverDayApprovalResolver {
  @Mutation(() => BulkAction, { description: 'Approves many days in the background, each by itself.' })
  @Requires(...allOrOwn('approve_driver_day'))
  async bulkApproveDriverDays(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => BulkApprovalInput) input: BulkApprovalInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BulkAction> {
    const { id } = await bulkApproveDriverDays(ctx, input, companyId);
    return ctx.read.one(BulkAction, info, { id });
  }

  @Query(() => ApprovalStatus, { description: "The present approvals of a driver day by the viewer's company." })
  @AnySignedIn()
  async driverDayApprovalStatus(
    @Ctx() ctx: Context,
    @Arg('driverDayId', () => ID) driverDayId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ApprovalStatus> {
    const day = await find(ctx, DriverDay, driverDayId, { companyId, shared: true });
    const flags = await approvalsOfDay(ctx, Object.assign(day, { companyId: day.company.id }) as DayRow);
    return { ...flags, id: day.id };
  }

  @Query(() => ApprovalAssignmentConnection, {
    description: 'Approvals of a driver day and their withdrawals by your company and its direct partners, newest first.',
  })
  @AnySignedIn()
  async driverDayApprovals(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DriverDayApprovalListArgs) { driverDayId, companyId, ...args }: DriverDayApprovalListArgs,
  ): Promise<Connection<ApprovalAssignment>> {
    return approvalsOf(ctx, info, { ...args, companyId }, await find(ctx, DriverDay, driverDayId, { companyId, shared: true }));
  }
}
