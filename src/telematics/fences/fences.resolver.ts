import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { companyFor, ofJob } from '../../dispatch/jobs/job.resolver.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, DRIVER, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ReportsArchived } from '../../platform/read/past/archived.ts';
import type { Where } from '../../platform/read/reader.ts';
import { calculateJobTriggers, calculateTriggers } from '../calculations/calculate-triggers.ts';
import { FoundGeofenceTrigger } from '../calculations/found-trigger.ts';
import { CalculateJobTriggersInput, CalculateTriggersInput } from '../calculations/triggers.inputs.ts';
import { GeofenceTrigger, GeofenceTriggerState } from './geofence-trigger.entity.ts';
import { confirmTrigger, dismissTrigger } from './judge-trigger.ts';
import { undoAutomaticEvent } from './undo-automatic-event.ts';
import { needingPerson } from './undoable.ts';

const GeofenceTriggerConnection = connectionOf('GeofenceTrigger', () => GeofenceTrigger);

@ArgsType()
class GeofenceTriggerListArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only those of this job.' }) jobId?: string | null;
  @Field(() => GeofenceTriggerState, { nullable: true, description: 'Only those of which this became.' })
  state?: GeofenceTriggerState | null;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only those of jobs of your company about which a person should decide: they wait for somebody, or moved a job without being quite certain, or although later positions disprove them, and can be undone.',
  })
  needsReview?: boolean | null;
}

/** The decisions of a person about a crossing. */
export const GeofenceTriggerMutations = mutationsOf(GeofenceTrigger, {
  confirmTrigger: requires(
    [...allOrOwn('edit_job'), DRIVER],
    describe('Moves the job by an entry or exit that was not certain.', confirmTrigger),
  ),
  dismissTrigger: requires([...allOrOwn('edit_job'), DRIVER], describe('Refuses an entry or exit that was not certain.', dismissTrigger)),
});

/** Entries into geofences and exits from them: stored ones, and those that are worked out without changing anything. */
@Resolver()
export class FenceResolver {
  @Query(() => GeofenceTriggerConnection, { description: 'When trucks entered and left geofences, and what became of it, newest first.' })
  @AnySignedIn()
  async geofenceTriggers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => GeofenceTriggerListArgs) { companyId, jobId, state, needsReview, ...page }: GeofenceTriggerListArgs,
  ): Promise<Connection<GeofenceTrigger>> {
    const job = jobId ? await find(ctx, Job, jobId, { companyId }) : undefined;
    const { companyIds } = viewerOf(ctx);
    const where = [
      ...(job ? [ofJob(job.id)] : []),
      ...(state ? [inState(state)] : []),
      ...(typeof needsReview === 'boolean' ? [needingPerson(needsReview, companyId ? [companyId] : companyIds)] : []),
    ];
    const list = { ...page, sort: { occurredAt: 'desc' }, where };
    return ctx.read.page(GeofenceTrigger, info, { ...list, companyId: job ? companyFor(ctx, job, companyId) : companyId });
  }

  @Mutation(() => Job, { description: 'Puts a job and its loads back to what they were before the last automatic event.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async undoAutomaticEvent(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobEventId', () => ID, { description: 'An event of the job that a geofence or a ticket caused.' }) jobEventId: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Job> {
    const { id } = await undoAutomaticEvent(ctx, jobEventId, companyId);
    return ctx.read.one(Job, info, { id });
  }

  @ReportsArchived()
  @Query(() => [FoundGeofenceTrigger], { description: "Works out when a company's drivers entered and left geofences. Stores nothing." })
  @Requires('assign_job')
  driverGeofenceTriggers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CalculateTriggersInput) input: CalculateTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateTriggers(ctx, info, 'driver', input, companyId);
  }

  @ReportsArchived()
  @Query(() => [FoundGeofenceTrigger], { description: "Works out when a company's equipment entered and left geofences. Stores nothing." })
  @Requires('assign_job')
  equipmentGeofenceTriggers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CalculateTriggersInput) input: CalculateTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateTriggers(ctx, info, 'equipment', input, companyId);
  }

  @ReportsArchived()
  @Query(() => [FoundGeofenceTrigger], {
    description: 'Returns the stored entries and exits of a job, or works them out anew. Stores nothing.',
  })
  @Requires('edit_job')
  jobGeofenceTriggers(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('input', () => CalculateJobTriggersInput) input: CalculateJobTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateJobTriggers(ctx, info, { id: jobId, companyId }, input);
  }
}

const inState = (state: GeofenceTriggerState): Where => ({ key: 'state', sql: (t, p) => `${t}.state = ${p}`, cast: 'text', value: state });
