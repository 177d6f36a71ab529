import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { KEPT } from '../../directory/master-data/master-data.resolver.ts';
import { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { seesSide } from '../../dispatch/pricing/see-rates.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import type { PageOptions } from '../../platform/read/options.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { AddOnConnection } from '../add-ons/add-ons.ts';
import { AutoAddOnAssignmentListArgs } from './auto-add-on.inputs.ts';
import { parentIdOf } from './auto-add-on-assignment.entity.ts';
import { removeAutoAddOns } from './auto-add-ons.ts';
import { PARENT_KINDS } from './parents.ts';

const RECORD = { description: 'The add-on.' };

/** The add-ons themselves, as older clients list and remove them. */
@Resolver(() => AddOn)
export class ChargedAddOnResolver {
  @Query(() => AddOnConnection, {
    description: 'The add-ons that are charged by themselves for the work of an account.',
    deprecationReason: 'Use accountAutoAddOnAssignments.',
  })
  @AnySignedIn()
  accountAutoAddOns(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('accountId', () => ID) id: string,
    @Args(() => AutoAddOnAssignmentListArgs) { filter, ...args }: AutoAddOnAssignmentListArgs,
  ): Promise<Connection<AddOn>> {
    const { accountType, ...rest } = filter ?? {};
    return addOnsOf(ctx, info, 'Account', id, { ...args, filter: rest }, accountType);
  }

  @Query(() => AddOnConnection, {
    description: 'The add-ons that are charged by themselves for the work of a driver.',
    deprecationReason: 'Use driverAutoAddOnAssignments.',
  })
  @AnySignedIn()
  driverAutoAddOns(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverId', () => ID) id: string,
    @Args(() => PageArgs) args: PageArgs,
  ): Promise<Connection<AddOn>> {
    return addOnsOf(ctx, info, 'Driver', id, args);
  }

  @Mutation(() => Boolean, { description: 'Charges an add-on no more by itself for the work of an account, on one side.' })
  @Requires('edit_account')
  async removeAccountAutoAddOn(
    @Ctx() ctx: Context,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID, RECORD) id: string,
    @Arg('accountType', () => AccountType, { description: 'The side.' }) accountType: AccountType,
  ): Promise<boolean> {
    await removeAutoAddOns(ctx, PARENT_KINDS.Account, { id: accountId }, id, accountType);
    return true;
  }

  @Mutation(() => Boolean, { description: 'Charges an add-on no more by itself for the work of a driver.' })
  @Requires('edit_user')
  async removeDriverAutoAddOn(
    @Ctx() ctx: Context,
    @Arg('driverId', () => ID) driverId: string,
    @Arg('id', () => ID, RECORD) id: string,
  ): Promise<boolean> {
    await removeAutoAddOns(ctx, PARENT_KINDS.Driver, { id: driverId }, id);
    return true;
  }
}

async function addOnsOf(
  ctx: Context,
  info: GraphQLResolveInfo,
  kind: 'Account' | 'Driver',
  id: string,
  args: PageOptions,
  side?: AccountType | null,
): Promise<Connection<AddOn>> {
  const parent = await PARENT_KINDS[kind].find(ctx, { id });
  const sides = Object.values(RateOwnerType).filter((one) => (side ?? one) === one && seesSide(viewerOf(ctx), one, parent.id));
  const named = sides.map((one) => `'${one}'`).join(', ') || 'null';
  const charged = {
    key: `charged for ${kind} ${named}`,
    sql: (t: string, p: string) =>
      `${t}.id in (select a.add_on_id from auto_add_on_assignment a where ${parentIdOf('a')} = ${p} and a.side in (${named}))`,
    cast: 'uuid',
    value: parent.id,
  };
  return ctx.read.page(AddOn, info, { ...args, companyId: parent.companyId, where: [charged, KEPT] });
}
