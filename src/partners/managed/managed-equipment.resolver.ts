import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { listEquipment, offerEquipment, readEquipment } from '../../directory/equipment/equipment.resolver.ts';
import { CreateEquipmentInput, equipment, UpdateEquipmentInput } from '../../directory/equipment/equipment.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { EquipmentTypeConnection } from '../../directory/equipment/equipment-types.ts';
import { listMaster, MasterListArgs, offerMaster, TypeaheadListArgs } from '../../directory/master-data/master-data.resolver.ts';
import { createMaster, discardMaster, updateMaster } from '../../directory/master-data/master-data.ts';
import { EquipmentConnection, EquipmentListArgs, EquipmentTypeaheadArgs } from '../../directory/shares/shareable.lists.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { actingFor, ManagedPath } from './managed-companies.ts';

/** Trucks and equipment types of managed companies. */
@Resolver()
export class ManagedEquipmentResolver {
  @Query(() => EquipmentTypeConnection, { description: 'Equipment types of a managed company.' })
  @AnySignedIn()
  async managedEquipmentTypes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => MasterListArgs) { companyId, ...args }: MasterListArgs,
  ): Promise<Connection<EquipmentType>> {
    return listMaster(await actingFor(ctx, { companyId, managedCompanyId }), EquipmentType, info, args);
  }

  @Query(() => EquipmentTypeConnection, { description: 'Equipment types of a managed company, by name, while somebody types.' })
  @AnySignedIn()
  async managedEquipmentTypeTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => TypeaheadListArgs) { companyId, ...args }: TypeaheadListArgs,
  ): Promise<Connection<EquipmentType>> {
    return offerMaster(await actingFor(ctx, { companyId, managedCompanyId }), EquipmentType, info, args);
  }

  @Query(() => EquipmentConnection, { description: 'Trucks of a managed company, and those that others share with it.' })
  @AnySignedIn()
  async managedEquipmentList(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => EquipmentListArgs) { companyId, ...args }: EquipmentListArgs,
  ): Promise<Connection<Equipment>> {
    return listEquipment(await actingFor(ctx, { companyId, managedCompanyId }), info, args);
  }

  @Query(() => EquipmentConnection, { description: 'Active trucks of a managed company, by name, while somebody types.' })
  @AnySignedIn()
  async managedEquipmentTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => EquipmentTypeaheadArgs) { companyId, ...args }: EquipmentTypeaheadArgs,
  ): Promise<Connection<Equipment>> {
    return offerEquipment(await actingFor(ctx, { companyId, managedCompanyId }), info, args);
  }

  @Query(() => Equipment)
  @AnySignedIn()
  async managedEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<Equipment> {
    return readEquipment(await actingFor(ctx, path), info, id);
  }

  @Mutation(() => Equipment, { description: 'Creates a truck of a managed company.' })
  @Requires('create_equipment')
  async createManagedEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('input', () => CreateEquipmentInput) input: CreateEquipmentInput,
  ): Promise<Equipment> {
    const acting = await actingFor(ctx, path);
    return readEquipment(acting, info, (await createMaster(acting, equipment, input)).id);
  }

  @Mutation(() => Equipment)
  @Requires('edit_equipment')
  async updateManagedEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateEquipmentInput) input: UpdateEquipmentInput,
  ): Promise<Equipment> {
    const acting = await actingFor(ctx, path);
    await updateMaster(acting, equipment, { id }, input);
    return readEquipment(acting, info, id);
  }

  @Mutation(() => Boolean)
  @Requires('delete_equipment')
  async deleteManagedEquipment(
    @Ctx() ctx: Context,
    @Args(() => ManagedPath) path: ManagedPath,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    await discardMaster(await actingFor(ctx, path), equipment, { id });
    return true;
  }
}
