import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { BillingProfile } from './billing-profile.entity.ts';
import { billingProfileOf, updateBillingProfile } from './billing-profiles.ts';
import { UpdateBillingProfileInput } from './profile.inputs.ts';

/** The billing profiles of accounts. */
@Resolver(() => BillingProfile)
export class BillingProfileResolver {
  @Query(() => BillingProfile, { description: 'How an account is billed, or paid.' })
  @Requires('view_settlements')
  billingProfile(
    @Ctx() ctx: Context,
    @Arg('accountId', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BillingProfile> {
    return billingProfileOf(ctx, { id, companyId });
  }

  @Mutation(() => BillingProfile, { description: 'Changes how an account is billed; invoices that nobody has approved follow.' })
  @Requires('edit_account', 'view_settlements')
  updateBillingProfile(
    @Ctx() ctx: Context,
    @Arg('accountId', () => ID) id: string,
    @Arg('input', () => UpdateBillingProfileInput) input: UpdateBillingProfileInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<BillingProfile> {
    return updateBillingProfile(ctx, { id, companyId }, input);
  }
}
