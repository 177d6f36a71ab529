import { Arg, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { WaypointType } from '../../dispatch/model/states.ts';
import { RouteEstimateSource } from '../../dispatch/orders/estimates/route-estimate.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { DateTime } from '../../platform/scalars.ts';
import { etaOfJob } from './job-eta.ts';

@ObjectType({ simpleResolvers: true, description: 'When the truck of a job will probably be at its next site.' })
export class JobEta {
  @Field(() => ID, { description: 'Where it goes.' }) siteId!: string;
  @Field(() => WaypointType) waypointType!: WaypointType;
  @Field(() => DateTime, { description: 'When the truck was where the estimate begins.' }) positionAt!: Date;
  @Field(() => DateTime) arrivesAt!: Date;
  @Field(() => DateTime, { description: 'If it takes a fifth less time.' }) earliestAt!: Date;
  @Field(() => DateTime, { description: 'If it takes a fifth more time.' }) latestAt!: Date;
  @Field(() => Int) remainingMeters!: number;
  @Field(() => RouteEstimateSource, { description: 'Whether the way is that of a routing service or a straight line times a road factor.' })
  basis!: RouteEstimateSource;
}

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
