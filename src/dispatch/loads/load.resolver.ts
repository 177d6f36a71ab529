import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, DRIVER, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { oneAsOf, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { CreateLoadInput, UpdateLoadInput } from '../jobs/job.inputs.ts';
import { LoadConnection, LoadListArgs } from '../jobs/job.lists.ts';
import { companyThen, ofJob, ofOrder } from '../jobs/job.resolver.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import { completeLoad, createLoad, deleteLoad, updateLoad } from './load-commands.ts';

@Resolver(() => Load)
export class LoadResolver {
  @Query(() => LoadConnection)
  @AnySignedIn()
  async loads(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadListArgs) args: LoadListArgs,
  ): Promise<Connection<Load>> {
    const parent = args.jobId
      ? await find(ctx, Job, args.jobId, { companyId: args.companyId })
      : args.orderId
        ? await find(ctx, Order, args.orderId, { companyId: args.companyId })
        : undefined;
    if (!parent) return ctx.read.page(Load, info, args);
    const where = [args.jobId ? ofJob(parent.id) : ofOrder(parent.id)];
    return ctx.read.page(Load, info, { ...args, companyId: companyThen(ctx, parent, args), where });
  }

  @Mutation(() => Load)
  @Requires(...allOrOwn('create_loads'))
  async createLoad(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('input', () => CreateLoadInput, { nullable: true }) input?: CreateLoadInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Load> {
    const { id } = await createLoad(ctx, { id: jobId, companyId }, input ?? {});
    return ctx.read.one(Load, info, { id });
  }

  @Mutation(() => Boolean)
  @Requires(...allOrOwn('delete_load'))
  async deleteLoad(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteLoad(ctx, { id, companyId });
    return true;
  }
}

/** Commands on one load. */
export const LoadMutations = mutationsOf(Load, {
  updateLoad: requires(allOrOwn('edit_load'), withInput(UpdateLoadInput, updateLoad)),
  completeLoad: requires([...allOrOwn('edit_job'), DRIVER], describe('Completes one load by hand.', completeLoad)),
});

export const LoadQueries = queriesOf(Load, {
  load: oneAsOf(AnySignedIn()),
});
