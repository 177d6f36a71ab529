import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { handOverJob } from './hand-over-job.ts';

/** A driver is replaced in the middle of the work. */
@Resolver()
export class HandOverResolver {
  @Mutation(() => Job, {
    description:
      'Hands the rest of a job over to another driver: the job is completed, and the job that is returned has its remaining loads. Its first load continues the one under way.',
  })
  @Requires(...allOrOwn('assign_job'))
  async handOverJob(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('driverId', () => ID, { description: 'The driver who goes on with it.' }) driverId: string,
    @Arg('equipmentId', () => ID, { nullable: true, description: 'Their truck; by default theirs.' }) equipmentId?: string | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    const next = await handOverJob(ctx, { id, companyId }, { driverId, equipmentId });
    return ctx.read.one(Job, info, { id: next.id });
  }
}
