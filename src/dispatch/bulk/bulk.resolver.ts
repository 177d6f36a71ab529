import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, DRIVER, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import { page, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { BulkAssignVendorInput, BulkCopyAssignmentsInput, BulkUpdateJobInput, DriverAssignmentInput } from './bulk.inputs.ts';
import { BulkAction, BulkActionItem, BulkItemState } from './bulk-action.entity.ts';
import { bulkCopyAssignments } from './copy-assignments.ts';
import { bulkDriverSms, textJobDriver, textOrderDrivers } from './driver-sms.ts';
import {
  bulkAccept,
  bulkAssignDrivers,
  bulkAssignVendors,
  bulkCancel,
  bulkDelete,
  bulkSend,
  bulkSendDay,
  bulkUnassign,
  bulkUpdate,
} from './job-bulk.ts';

const BulkActionConnection = connectionOf('BulkAction', () => BulkAction);
const BulkActionItemConnection = connectionOf('BulkActionItem', () => BulkActionItem);
const company = { nullable: true, description: 'Only jobs of this company; by default any you may see.' };
/** The number of characters in a text message of ten parts. */
const LONGEST_TEXT = 1_530;

@ArgsType()
class BulkActionListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
@InputType()
class BulkActionItemFilter {
  @Field(() => [BulkItemState], { nullable: true }) states?: BulkItemState[] | null;
  @UpdatedSince() updatedSince?: Date | null;
}
@ArgsType()
class BulkActionItemListArgs extends PageArgs {
  @Field(() => ID) bulkActionId!: string;
  @Field(() => BulkActionItemFilter, { nullable: true }) filter?: BulkActionItemFilter | null;
}
@InputType()
@About('Job')
class DriverSmsInput {
  @Field(() => String, { nullable: true, description: 'By default, the text names the job and its start.' })
  @Length(0, LONGEST_TEXT)
  message?: string | null;
}
@InputType()
@About('Job')
class BulkDriverSmsInput extends DriverSmsInput {
  @Field(() => [ID]) jobIds!: string[];
}

/** The number of jobs of the day that are being sent. */
@ObjectType({ simpleResolvers: true })
class BulkSendDayResult {
  @Field(() => Int) count!: number;
  @Field(() => ID, { nullable: true, description: 'Null if there is nothing to send.' }) bulkActionId!: string | null;
}

/** Answers as soon as the action is stored. `bulkAction` returns its progress, `bulkActionItems` the outcome of each job. */
@Resolver(() => BulkAction)
export class BulkResolver {
  @Query(() => BulkAction)
  @AnySignedIn()
  bulkAction(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<BulkAction> {
    return ctx.read.one(BulkAction, info, { id, where: asked(ctx) });
  }

  @Query(() => BulkActionItemConnection, { description: 'The outcomes of a bulk action, in the order of the request.' })
  @AnySignedIn()
  async bulkActionItems(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => BulkActionItemListArgs) { bulkActionId, ...args }: BulkActionItemListArgs,
  ): Promise<Connection<BulkActionItem>> {
    const { id, createdById } = await find(ctx, BulkAction, bulkActionId);
    const { siteIds, id: asker } = viewerOf(ctx);
    if (siteIds && createdById !== asker) throw new Missing();
    const where = [{ key: 'action', sql: (t: string, p: string) => `${t}.bulk_action_id = ${p}`, cast: 'uuid', value: id }];
    return ctx.read.page(BulkActionItem, info, { ...args, family: true, sort: { itemIndex: 'asc' }, where });
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async bulkAcceptJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID]) jobIds: string[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkAccept(ctx, jobIds, companyId));
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('assign_job'))
  async bulkUnassignJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID]) jobIds: string[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkUnassign(ctx, jobIds, companyId));
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('cancel_job'))
  async bulkCancelJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID]) jobIds: string[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkCancel(ctx, jobIds, companyId));
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('delete_job'))
  async bulkDeleteJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID]) jobIds: string[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkDelete(ctx, jobIds, companyId));
  }

  @Mutation(() => BulkAction, { description: 'Sends jobs, and the assigned jobs of orders.' })
  @Requires(...allOrOwn('edit_job'))
  async bulkSendJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID], { nullable: true }) jobIds?: string[],
    @Arg('orderIds', () => [ID], { nullable: true }) orderIds?: string[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkSend(ctx, { jobIds, orderIds }, companyId));
  }

  @Mutation(() => BulkSendDayResult, { description: "Sends every assigned job of a day in the company's time zone." })
  @Requires(...allOrOwn('edit_job'))
  async bulkSendDay(
    @Ctx() ctx: Context,
    @Arg('date', () => LocalDate) date: string,
    @Arg('companyId', () => ID) companyId: string,
  ): Promise<BulkSendDayResult> {
    const action = await bulkSendDay(ctx, date, companyId);
    return { count: action?.totalCount ?? 0, bulkActionId: action?.id ?? null };
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('assign_job'))
  async bulkAssignDrivers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverAssignments', () => [DriverAssignmentInput]) driverAssignments: DriverAssignmentInput[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkAssignDrivers(ctx, driverAssignments, companyId));
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('assign_job'))
  async bulkAssignVendors(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('vendorAssignments', () => [BulkAssignVendorInput]) vendorAssignments: BulkAssignVendorInput[],
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkAssignVendors(ctx, vendorAssignments, companyId));
  }

  @Mutation(() => BulkAction)
  @Requires(...allOrOwn('edit_job'))
  async bulkUpdateJobs(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobIds', () => [ID]) jobIds: string[],
    @Arg('data', () => BulkUpdateJobInput) data: BulkUpdateJobInput,
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkUpdate(ctx, jobIds, data, companyId));
  }

  @Mutation(() => BulkAction, { description: "Assigns the drivers and vendors of other jobs to an order's unassigned jobs." })
  @Requires(...allOrOwn('edit_job'))
  async bulkCopyAssignments(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => BulkCopyAssignmentsInput) input: BulkCopyAssignmentsInput,
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkCopyAssignments(ctx, input, companyId));
  }

  @Mutation(() => BulkAction, { description: 'Sends a text to the driver of each job.' })
  @Requires(...allOrOwn('edit_job'))
  async bulkTextDrivers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => BulkDriverSmsInput) input: BulkDriverSmsInput,
  ): Promise<BulkAction> {
    return describeItem(ctx, info, bulkDriverSms(ctx, input));
  }

  @Mutation(() => String, { description: 'Sends a text to the driver of a job.' })
  @Requires(...allOrOwn('edit_job'))
  async textJobDriver(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => DriverSmsInput, { nullable: true }) input?: DriverSmsInput,
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<string> {
    await textJobDriver(ctx, { id, companyId }, input?.message);
    return id;
  }

  @Mutation(() => String, { description: 'Sends a text to every driver of an order.' })
  @Requires(...allOrOwn('edit_job'))
  async textOrderDrivers(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => DriverSmsInput, { nullable: true }) input?: DriverSmsInput,
    @Arg('companyId', () => ID, company) companyId?: string,
  ): Promise<string> {
    await textOrderDrivers(ctx, { id, companyId }, input?.message);
    return id;
  }
}

/** A person who is limited to sites sees only the bulk actions that they asked for, because an action names jobs of other sites, too. */
export function asked(ctx: Context): Where[] {
  const { id, siteIds } = viewerOf(ctx);
  return siteIds ? [{ key: 'asked', sql: (t, p) => `${t}.created_by_id = ${p}`, cast: 'uuid', value: id }] : [];
}

async function describeItem(ctx: Context, info: GraphQLResolveInfo, accepted: Promise<BulkAction>): Promise<BulkAction> {
  return ctx.read.one(BulkAction, info, { id: (await accepted).id });
}

export const BulkActionQueries = queriesOf(BulkAction, {
  bulkActions: page(AnySignedIn(), BulkActionConnection, BulkActionListArgs, (args, ctx) => ({ ...args, where: asked(ctx) })),
});
