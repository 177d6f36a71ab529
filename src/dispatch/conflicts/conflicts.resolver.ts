import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { assignVendor } from '../assignment/assign-job.ts';
import { AssignVendorInput, UpdateJobInput } from '../jobs/job.inputs.ts';
import { updateJob } from '../jobs/update-job.ts';
import { Job } from '../model/job.entity.ts';
import { createOrder } from '../orders/create-order.ts';
import { CreateOrderInput, UpdateOrderInput } from '../orders/order.inputs.ts';
import { updateOrder } from '../orders/update-order.ts';
import { conflictsOf, PlanConflict } from './job-conflicts.ts';
import { newOrderSubstitutes } from './new-order.ts';
import { jobsOfOrder, Validation, validate } from './validate.ts';

/** Conflicts of a plan: of jobs as they are, and of writes before they are made. */
@Resolver(() => Job)
export class ConflictsResolver {
  @FieldResolver(() => [PlanConflict], { description: 'Conflicts of the present plan.' })
  conflicts(@Ctx() ctx: Context, @Root() job: Job): Promise<PlanConflict[]> {
    return conflictsOf(ctx).load(job.id);
  }

  @Mutation(() => Validation, { description: 'Reports what `updateJob` would answer, without changing anything.' })
  @Requires(...allOrOwn('edit_job'))
  validateJob(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateJobInput) input: UpdateJobInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Validation> {
    return validate(
      ctx,
      input,
      (tx, given) => updateJob(tx, { id, companyId }, given),
      () => [id],
    );
  }

  @Mutation(() => Validation, { description: 'Reports what `assignVendorToJob` would answer, without changing anything.' })
  @Requires(...allOrOwn('assign_job'))
  validateVendorOfJob(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AssignVendorInput) input: AssignVendorInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Validation> {
    return validate(
      ctx,
      input,
      (tx, given) => assignVendor(tx, { id, companyId }, given),
      () => [id],
      { vendorId: () => undefined },
    );
  }

  @Mutation(() => Validation, { description: 'Reports what `createOrder` would answer, without creating anything.' })
  @Requires(...allOrOwn('create_order'))
  validateNewOrder(
    @Ctx() ctx: Context,
    @Arg('input', () => CreateOrderInput) input: CreateOrderInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<Validation> {
    return validate(
      ctx,
      input,
      (tx, given) => createOrder(tx, given, companyId, { ignoreDocuments: Boolean(given.complianceOverride) }),
      jobsOfOrder,
      newOrderSubstitutes(ctx, input, companyId),
    );
  }

  @Mutation(() => Validation, { description: 'Reports what `updateOrder` would answer, without changing anything.' })
  @Requires(...allOrOwn('edit_order'), ...allOrOwn('edit_order_pre_accept'))
  validateOrder(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateOrderInput) input: UpdateOrderInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Validation> {
    return validate(ctx, input, (tx, given) => updateOrder(tx, { id, companyId }, given), jobsOfOrder);
  }
}
