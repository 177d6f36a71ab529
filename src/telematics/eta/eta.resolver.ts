import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { etaOfJob, JobEta } from './job-eta.ts';

/** When trucks arrive. */
@Resolver()
export class EtaResolver {
  @Query(() => JobEta, {
    nullable: true,
    description:
      'When the truck of a job will be at its next site; null while it goes nowhere, or when nothing was heard of it for five minutes.',
  })
  @AnySignedIn()
  jobEta(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<JobEta | null> {
    return etaOfJob(ctx, jobId, companyId);
  }
}
