import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { allOrOwn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { setJobTrucks } from './job-trucks.ts';

/** The truck and the trailers of a job, without the rest of it. */
@Resolver()
export class JobEquipmentResolver {
  @Mutation(() => Equipment, { nullable: true, description: 'Sets the truck of a job, and returns it; null removes it.' })
  @Requires(...allOrOwn('edit_job_equipment'))
  async setJobEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('equipmentId', () => ID, { nullable: true }) equipmentId?: string | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Equipment | null> {
    const { equipment } = await setJobTrucks(ctx, { id, companyId }, { equipmentId });
    return (await trucks(ctx, info, equipment ? [equipment.id] : []))[0] ?? null;
  }

  @Mutation(() => [Equipment], { description: 'Sets the trailers of a job, and returns them.' })
  @Requires(...allOrOwn('edit_job_equipment'))
  async setJobAdditionalEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('additionalEquipmentIds', () => [ID], { nullable: true }) additionalEquipmentIds?: string[] | null,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Equipment[]> {
    const job = await setJobTrucks(ctx, { id, companyId }, { additionalEquipmentIds });
    return trucks(ctx, info, job.additionalEquipmentIds);
  }
}

/** Returns the trucks that the reader may see. A truck that a vendor assigned is visible to the vendor only. */
const trucks = (ctx: Context, info: GraphQLResolveInfo, value: string[]): Promise<Equipment[]> =>
  ctx.read.list(Equipment, info, {
    shared: true,
    where: [{ key: 'these', sql: (t, p) => `${t}.id = any(${p})`, cast: 'uuid[]', value }],
  });
