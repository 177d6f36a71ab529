import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { one, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/run.ts';
import { readsInvoices } from '../invoices/read-invoice.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';
import { AddOnChargeChange, AddOnChargeConnection, AddOnChargeInput, AddOnChargeListArgs } from './charge.inputs.ts';
import { REQUEST, requestedFor, seenWork, type Work, withBilled } from './charged-work.ts';
import { changeCharges, createCharge, deleteCharge, updateCharge } from './charges.ts';

/** SPEC does not require the list: without it nothing changes. */
const CHANGES = { nullable: true, description: 'At most 100 changes.' };

/** Charges of an invoice or a settlement are read by those who read these. */
function readable(ctx: Context): Where[] {
  const viewer = viewerOf(ctx);
  if (viewer.can('view_settlements')) return [];
  return readsInvoices(ctx) ? [{ ...ofPayee, value: viewer.id }] : [requested];
}
const ofPayee = {
  key: 'requested or paid',
  sql: (t: string, p: string) => `(${t}.add_on_applicable_id is null or ${t}.payee_driver_id = ${p})`,
  cast: 'uuid',
};
const requested: Where = { key: 'requested', sql: (t, p) => `(${t}.add_on_applicable_id is null and ${p})`, cast: 'boolean', value: true };
// Whoever got an invoice or a settlement reads its charges, and its feed has them.
export const AddOnChargeQueries = queriesOf(AddOnCharge, {
  addOnCharge: one(AnySignedIn(), (ctx) => ({ where: readable(ctx), shared: true }), { company: { nullable: true } }),
});

/** The charges that were requested in addition to the freight of jobs and driver days. */
@Resolver(() => AddOnCharge)
export class AddOnChargeResolver {
  @Query(() => AddOnChargeConnection, { description: 'The charges that were requested for a job, in the books of the caller.' })
  @AnySignedIn()
  jobAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Args(() => AddOnChargeListArgs) args: AddOnChargeListArgs,
  ): Promise<Connection<AddOnCharge>> {
    return chargesOf(ctx, info, { type: 'Job', id }, args);
  }

  @Query(() => AddOnChargeConnection, { description: 'The charges that were requested for a driver day.' })
  @AnySignedIn()
  driverDayAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => AddOnChargeListArgs) args: AddOnChargeListArgs,
  ): Promise<Connection<AddOnCharge>> {
    return chargesOf(ctx, info, { type: 'DriverDay', id }, args);
  }

  @Mutation(() => AddOnCharge, { description: 'Requests a charge for a job, or adds it to a pending invoice of it.' })
  @Requires(...allOrOwn(REQUEST))
  async createJobAddOnCharge(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('input', () => AddOnChargeInput) input: AddOnChargeInput,
  ): Promise<AddOnCharge> {
    return ctx.read.one(AddOnCharge, info, { id: (await createCharge(ctx, { type: 'Job', id }, input)).id });
  }

  @Mutation(() => AddOnCharge, { description: 'Requests a charge for a driver day, or adds it to a pending invoice of it.' })
  @Requires(...allOrOwn(REQUEST))
  async createDriverDayAddOnCharge(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('input', () => AddOnChargeInput) input: AddOnChargeInput,
  ): Promise<AddOnCharge> {
    return ctx.read.one(AddOnCharge, info, { id: (await createCharge(ctx, { type: 'DriverDay', id }, input)).id });
  }

  @Mutation(() => [AddOnCharge], {
    description:
      'Adds, changes and removes charges that were requested for a job, all or none; answers all of them, and what was added to its invoices.',
  })
  @Requires(...allOrOwn(REQUEST))
  async changeJobAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('addOnCharges', () => [AddOnChargeChange], CHANGES) changes?: AddOnChargeChange[] | null,
  ): Promise<AddOnCharge[]> {
    return allOf(ctx, info, await changeCharges(ctx, { type: 'Job', id }, changes ?? []));
  }

  @Mutation(() => [AddOnCharge], {
    description:
      'Adds, changes and removes charges that were requested for a driver day, all or none; answers all of them, and what was added to its invoices.',
  })
  @Requires(...allOrOwn(REQUEST))
  async changeDriverDayAddOnCharges(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('addOnCharges', () => [AddOnChargeChange], CHANGES) changes?: AddOnChargeChange[] | null,
  ): Promise<AddOnCharge[]> {
    return allOf(ctx, info, await changeCharges(ctx, { type: 'DriverDay', id }, changes ?? []));
  }

  @Mutation(() => AddOnCharge, { description: 'Changes a requested charge.' })
  @Requires(...allOrOwn(REQUEST))
  async updateAddOnCharge(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AddOnChargeInput) input: AddOnChargeInput,
  ): Promise<AddOnCharge> {
    await updateCharge(ctx, id, input);
    return ctx.read.one(AddOnCharge, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Withdraws a requested charge.' })
  @Requires(...allOrOwn(REQUEST))
  async deleteAddOnCharge(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteCharge(ctx, id);
    return true;
  }
}

type Changed = Awaited<ReturnType<typeof changeCharges>>;

async function chargesOf(ctx: Context, info: GraphQLResolveInfo, work: Work, args: AddOnChargeListArgs): Promise<Connection<AddOnCharge>> {
  const { companyId, ...seen } = await seenWork(ctx, work);
  return ctx.read.page(AddOnCharge, info, { ...args, companyId, where: [requestedFor(seen)] });
}

const allOf = (ctx: Context, info: GraphQLResolveInfo, { work: { companyId, ...work }, billed }: Changed): Promise<AddOnCharge[]> =>
  ctx.read.list(AddOnCharge, info, { companyId, where: [billed.length === 0 ? requestedFor(work) : withBilled(work, billed)] });
