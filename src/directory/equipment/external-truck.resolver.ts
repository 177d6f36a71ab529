import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { one, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import {
  AccountExternalTruckIdentifier,
  ExternalTruckArgs,
  ExternalTruckConnection,
  UpdateExternalTruckInput,
} from './external-truck.entity.ts';
import { deleteExternalTruck, updateExternalTruck } from './external-trucks.ts';

/** The names by which vendors call their trucks. */
@Resolver(() => AccountExternalTruckIdentifier)
export class ExternalTruckResolver {
  @Mutation(() => AccountExternalTruckIdentifier, { description: "Sets which of the vendor's shared trucks a name refers to." })
  @Requires('edit_account')
  async updateAccountExternalTruckIdentifier(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateExternalTruckInput) input: UpdateExternalTruckInput,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<AccountExternalTruckIdentifier> {
    await updateExternalTruck(ctx, { id, companyId }, input);
    return ctx.read.one(AccountExternalTruckIdentifier, info, { id, companyId });
  }

  @Mutation(() => Boolean, { description: "Deletes a name; the vendor's next ticket with it adds it again." })
  @Requires('edit_account')
  async deleteAccountExternalTruckIdentifier(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<boolean> {
    await deleteExternalTruck(ctx, { id, companyId });
    return true;
  }
}

export const AccountExternalTruckIdentifierQueries = queriesOf(AccountExternalTruckIdentifier, {
  accountExternalTruckIdentifiers: page(AnySignedIn(), ExternalTruckConnection, ExternalTruckArgs, undefined, {
    description: 'Names that vendors use for their trucks on tickets.',
  }),
  accountExternalTruckIdentifier: one(AnySignedIn(), undefined, { company: { nullable: true } }),
});
