import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { calculateJobTriggers, calculateTriggers } from './calculate-triggers.ts';
import { FoundGeofenceTrigger } from './found-trigger.ts';
import { CalculateJobTriggersInput, CalculateTriggersInput } from './triggers.inputs.ts';

/** Entries into geofences and exits from them, worked out without changing anything. */
@Resolver()
export class FenceResolver {
  @Query(() => [FoundGeofenceTrigger], { description: "Works out when a company's drivers entered and left geofences. Stores nothing." })
  @Requires('assign_job')
  driverGeofenceTriggers(
    @Ctx() ctx: Context,
    @Arg('input', () => CalculateTriggersInput) input: CalculateTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateTriggers(ctx, 'driver', input, companyId);
  }

  @Query(() => [FoundGeofenceTrigger], { description: "Works out when a company's equipment entered and left geofences. Stores nothing." })
  @Requires('assign_job')
  equipmentGeofenceTriggers(
    @Ctx() ctx: Context,
    @Arg('input', () => CalculateTriggersInput) input: CalculateTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateTriggers(ctx, 'equipment', input, companyId);
  }

  @Query(() => [FoundGeofenceTrigger], {
    description: 'Returns the stored entries and exits of a job, or works them out anew. Stores nothing.',
  })
  @Requires('edit_job')
  jobGeofenceTriggers(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('input', () => CalculateJobTriggersInput) input: CalculateJobTriggersInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FoundGeofenceTrigger[]> {
    return calculateJobTriggers(ctx, { id: jobId, companyId }, input);
  }
}
