import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import type { Connection } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/run.ts';
import { LoadMatch } from './load-match.entity.ts';
import {
  CreateVendorBillInput,
  LoadMatchConnection,
  LoadMatchListArgs,
  VendorBillConnection,
  VendorBillListArgs,
  WaiveLoadMatchInput,
} from './match.inputs.ts';
import { VendorBill } from './vendor-bill.entity.ts';
import { createVendorBill, deleteVendorBill, MATCHES, unwaiveLoadMatch, waiveLoadMatch } from './vendor-bills.ts';

const READS = 'view_settlements';
const SIDES = { customer: 'receivable_company_id', vendor: 'vendor_company_id', driver: 'driver_company_id' } as const;

/**
 * Rows of sides whose rates the viewer sees: the order of the list would reveal what is masked of the others (B-I11).
 */
function ofSeenSides(ctx: Context): Where {
  const viewer = viewerOf(ctx);
  const seen = Object.entries(SIDES).flatMap(([side, column]) => (viewer.can(`view_${side}_rates`) ? [column] : []));
  return {
    key: `seen sides ${seen.join()}`,
    sql: (t, p) => `(${seen.length === 0 ? 'false' : `num_nonnulls(${seen.map((column) => `${t}.${column}`).join(', ')}) > 0`}) = ${p}`,
    cast: 'boolean',
    value: true,
  };
}

/** Whether tickets, reports, invoices and bills of vendors say the same (BILLING B10). */
@Resolver(() => LoadMatch)
export class LoadMatchResolver {
  @Query(() => LoadMatchConnection, {
    description:
      "The comparisons of tickets, reports, invoices and vendors' bills of loads, by the money that is at stake: the most first.",
  })
  @Requires(READS)
  async loadMatches(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LoadMatchListArgs) args: LoadMatchListArgs,
  ): Promise<Connection<LoadMatch>> {
    allow(ctx, READS);
    return ctx.read.page(LoadMatch, info, { ...args, sort: { amountAtStake: 'desc' }, where: [ofSeenSides(ctx)] });
  }

  @Query(() => LoadMatch, { description: 'The comparison of the ticket, report, invoice and bill of a load.' })
  @Requires(READS)
  async loadMatch(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<LoadMatch> {
    // Whoever lacks the permission learns that, and not which sides they do not see.
    const where = viewerOf(ctx).can(READS) ? [ofSeenSides(ctx)] : [];
    const found = (await ctx.read.one(LoadMatch, info, { id, companyId, where })) as LoadMatch;
    allow(ctx, READS);
    return found;
  }
}

export const LoadMatchMutations = mutationsOf(LoadMatch, {
  waiveLoadMatch: requires(
    ['approve_invoice'],
    withInput(WaiveLoadMatchInput, waiveLoadMatch, 'Says that what differs of a load is right, as long as the same differs.'),
  ),
  unwaiveLoadMatch: requires(['approve_invoice'], describe('Takes that back.', unwaiveLoadMatch)),
});

/** Bills of vendors, as they were sent on paper or as a file. */
@Resolver(() => VendorBill)
export class VendorBillResolver {
  @Query(() => VendorBillConnection, { description: 'The bills of vendors, as they were entered to be compared.' })
  @Requires(READS)
  async vendorBills(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => VendorBillListArgs) args: VendorBillListArgs,
  ): Promise<Connection<VendorBill>> {
    allow(ctx, READS);
    return ctx.read.page(VendorBill, info, args);
  }

  @Query(() => VendorBill, { description: 'The bill of a vendor. `loadMatches` lists its lines.' })
  @Requires(READS)
  async vendorBill(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<VendorBill> {
    const found = (await ctx.read.one(VendorBill, info, { id, companyId })) as VendorBill;
    allow(ctx, READS);
    return found;
  }

  @Mutation(() => VendorBill, {
    description: 'Compares what a vendor bills with tickets and payables, load by load; nothing is taken over.',
  })
  @Requires(MATCHES)
  @Requires('view_vendor_rates')
  async createVendorBill(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateVendorBillInput) input: CreateVendorBillInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<VendorBill> {
    return ctx.read.one(VendorBill, info, { id: (await createVendorBill(ctx, input, companyId)).id });
  }

  @Mutation(() => Boolean, { description: 'Forgets what a vendor billed.' })
  @Requires(MATCHES)
  @Requires('view_vendor_rates')
  async deleteVendorBill(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteVendorBill(ctx, { id, companyId });
    return true;
  }
}
