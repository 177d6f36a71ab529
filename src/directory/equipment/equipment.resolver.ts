import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { asOfArg } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { DateTime } from '../../platform/scalars.ts';
import { activityMutations } from '../master-data/activity.ts';
import { KEPT, masterMutations } from '../master-data/master-data.resolver.ts';
import { EquipmentConnection, EquipmentListAsOfArgs, EquipmentTypeaheadArgs } from '../shares/shareable.lists.ts';
import { Equipment } from './equipment.entity.ts';
import { CreateEquipmentInput, equipment, UpdateEquipmentInput } from './equipment.ts';

const shared = true;

export const EquipmentMutations = masterMutations(equipment, {
  create: { name: 'createEquipment', input: CreateEquipmentInput },
  update: { name: 'updateEquipment', input: UpdateEquipmentInput },
  discard: { name: 'deleteEquipment' },
});
export const EquipmentActivity = activityMutations(equipment, { activate: 'activateEquipment', deactivate: 'deactivateEquipment' });

/** A page of trucks of the company, and of trucks shared with it. */
export const listEquipment = (ctx: Context, info: GraphQLResolveInfo, args: EquipmentListAsOfArgs): Promise<Connection<Equipment>> =>
  ctx.read.page(Equipment, info, { ...args, shared, where: [KEPT] });

/** The suggestions of a form while somebody types: active ones, by name. */
export const offerEquipment = (ctx: Context, info: GraphQLResolveInfo, args: EquipmentTypeaheadArgs): Promise<Connection<Equipment>> =>
  ctx.read.page(Equipment, info, {
    ...args,
    filter: { ...args.filter, states: ['active'] },
    sort: { name: 'asc' },
    ranked: true,
    shared,
    where: [KEPT],
  });

/** One truck, also a shared one. @throws Missing also for a discarded one */
export const readEquipment = (
  ctx: Context,
  info: GraphQLResolveInfo,
  id: string,
  { companyId, asOf }: { companyId?: string; asOf?: Date | null } = {},
): Promise<Equipment> => ctx.read.one(Equipment, info, { id, companyId, asOf, shared, where: [KEPT] });

/** Trucks of a company, and those that others share with it for as long as they do. */
@Resolver()
export class EquipmentResolver {
  @Query(() => EquipmentConnection)
  @AnySignedIn()
  equipmentList(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => EquipmentListAsOfArgs) args: EquipmentListAsOfArgs,
  ): Promise<Connection<Equipment>> {
    return listEquipment(ctx, info, args);
  }

  @Query(() => EquipmentConnection, { description: 'Suggestions for a form while somebody types, by name: active trucks.' })
  @AnySignedIn()
  equipmentTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => EquipmentTypeaheadArgs) args: EquipmentTypeaheadArgs,
  ): Promise<Connection<Equipment>> {
    return offerEquipment(ctx, info, args);
  }

  @Query(() => Equipment)
  @AnySignedIn()
  equipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
    @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
  ): Promise<Equipment> {
    return readEquipment(ctx, info, id, { companyId, asOf });
  }
}
