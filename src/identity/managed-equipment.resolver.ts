import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { EquipmentType } from '../directory/equipment-type.entity.ts';
import { EquipmentTypeConnection } from '../directory/equipment-types.ts';
import { listMaster, MasterListArgs, offerMaster, TypeaheadListArgs } from '../directory/master-data.resolver.ts';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { actingFor } from './managed-companies.ts';

/** Trucks and types of trucks of companies that another one speaks for. */
@Resolver()
export class ManagedEquipmentResolver {
  @Query(() => EquipmentTypeConnection, { description: 'Types of equipment of a managed company.' })
  async managedEquipmentTypes(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => MasterListArgs) { companyId, ...args }: MasterListArgs,
  ): Promise<Connection<EquipmentType>> {
    return listMaster(await actingFor(ctx, companyId, managedCompanyId), EquipmentType, info, args);
  }

  @Query(() => EquipmentTypeConnection, { description: 'Types of equipment of a managed company, by name, while somebody types.' })
  async managedEquipmentTypeTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('managedCompanyId', () => ID) managedCompanyId: string,
    @Args(() => TypeaheadListArgs) { companyId, ...args }: TypeaheadListArgs,
  ): Promise<Connection<EquipmentType>> {
    return offerMaster(await actingFor(ctx, companyId, managedCompanyId), EquipmentType, info, args);
  }
}
