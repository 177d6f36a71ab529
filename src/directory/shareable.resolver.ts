import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { Equipment } from './equipment.entity.ts';
import { EquipmentConnection, EquipmentListArgs } from './shareable.lists.ts';

const companyArg = { nullable: true, description: 'Only inside this company; by default anything you may see.' };
const shared = true;

/** Trucks: a company's own, and what others share with it for as long as they do. */
@Resolver()
export class ShareableResolver {
  @Query(() => EquipmentConnection)
  equipmentList(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => EquipmentListArgs) args: EquipmentListArgs,
  ): Promise<Connection<Equipment>> {
    return ctx.read.page(Equipment, info, { ...args, shared, filter: { ...args.filter, discarded: false } });
  }

  @Query(() => Equipment)
  equipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Equipment> {
    return ctx.read.one(Equipment, info, { id, companyId, shared });
  }
}
