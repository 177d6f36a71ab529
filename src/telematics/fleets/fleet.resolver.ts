import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import type { Connection } from '../../platform/read/connection.ts';
import {
  ConnectTelematicsFleetInput,
  RemoteVehicleArgs,
  TelematicsFleetArgs,
  UpdateTelematicsFleetInput,
  UpdateTelematicsRemoteVehicleInput,
} from './fleet.inputs.ts';
import { type Connected, connectFleet, disconnectFleet, pauseFleet, renewFleetPushPassword, resumeFleet, updateFleet } from './fleets.ts';
import { TelematicsRemoteVehicle, TelematicsRemoteVehicleConnection } from './remote-vehicle.entity.ts';
import { suggestedFor, updateRemoteVehicle } from './remote-vehicles.ts';
import { MANAGES_FLEETS, TelematicsFleet, TelematicsFleetConnection } from './telematics-fleet.entity.ts';

const PASSWORDS = 'passwords of telematics fleets';

export const telematicsFleetExtension = extendEntity(TelematicsFleet, { pushPassword: { columns: ['id'] } });

/** Fleets of telematics providers, and their vehicles. */
@Resolver(() => TelematicsFleet)
export class TelematicsFleetResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The password with which the provider sends positions. Returned only when it is created; otherwise null.',
  })
  pushPassword(@Root() fleet: TelematicsFleet, @Ctx() ctx: Context): string | null {
    return passwordsOf(ctx).get(fleet.id) ?? null;
  }

  @Query(() => TelematicsFleet)
  @Requires(MANAGES_FLEETS)
  telematicsFleet(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<TelematicsFleet> {
    return permitted(ctx, ctx.read.one(TelematicsFleet, info, { id, companyId }));
  }

  @Query(() => TelematicsFleetConnection, { description: 'The accounts of a company at telematics providers; by default, of your own.' })
  @Requires(MANAGES_FLEETS)
  telematicsFleets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => TelematicsFleetArgs) args: TelematicsFleetArgs,
  ): Promise<Connection<TelematicsFleet>> {
    companyOf(ctx, args.companyId);
    allow(ctx, MANAGES_FLEETS);
    return ctx.read.page(TelematicsFleet, info, args);
  }

  @Query(() => TelematicsRemoteVehicle)
  @Requires(MANAGES_FLEETS)
  telematicsRemoteVehicle(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<TelematicsRemoteVehicle> {
    return permitted(ctx, ctx.read.one(TelematicsRemoteVehicle, info, { id, companyId }));
  }

  @Query(() => TelematicsRemoteVehicleConnection, { description: 'The vehicles of a fleet.' })
  @Requires(MANAGES_FLEETS)
  async telematicsRemoteVehicles(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => RemoteVehicleArgs) { fleetId, ...args }: RemoteVehicleArgs,
  ): Promise<Connection<TelematicsRemoteVehicle>> {
    const { id, companyId } = await permitted(ctx, find(ctx, TelematicsFleet, fleetId));
    const sql = (t: string, p: string) => `${t}.telematics_fleet_id = ${p}`;
    return ctx.read.page(TelematicsRemoteVehicle, info, { ...args, companyId, where: [{ key: 'ofFleet', sql, cast: 'uuid', value: id }] });
  }

  @Query(() => [Equipment], {
    description: 'Equipment that a vehicle is likely to be: with the same plate, the VIN as external id, or the same name.',
  })
  @Requires(MANAGES_FLEETS)
  async suggestedEquipment(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('telematicsRemoteVehicleId', () => ID, { description: 'The vehicle that equipment is looked for.' }) vehicleId: string,
  ): Promise<Equipment[]> {
    const { id, companyId } = await permitted(ctx, find(ctx, TelematicsRemoteVehicle, vehicleId));
    return ctx.read.list(Equipment, info, { companyId, where: [suggestedFor(id)], most: 10 });
  }

  @Mutation(() => TelematicsFleet, { description: 'Connects the account at a provider. It is read once before anything is stored.' })
  @Requires(MANAGES_FLEETS)
  async connectTelematicsFleet(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => ConnectTelematicsFleetInput) input: ConnectTelematicsFleetInput,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
  ): Promise<TelematicsFleet> {
    return answerOf(ctx, info, await connectFleet(ctx, input, companyId));
  }

  @Mutation(() => TelematicsFleet, { description: 'Creates another password for what the provider sends; the old one ends.' })
  @Requires(MANAGES_FLEETS)
  async renewTelematicsPushPassword(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<TelematicsFleet> {
    return answerOf(ctx, info, await renewFleetPushPassword(ctx, { id, companyId }));
  }

  @Mutation(() => Boolean, { description: 'Removes a fleet with its vehicles and credentials; positions stay.' })
  @Requires(MANAGES_FLEETS)
  async disconnectTelematicsFleet(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await disconnectFleet(ctx, { id, companyId });
    return true;
  }
}

export const TelematicsFleetMutations = mutationsOf(TelematicsFleet, {
  updateTelematicsFleet: requires([MANAGES_FLEETS], withInput(UpdateTelematicsFleetInput, updateFleet)),
  pauseTelematicsFleet: requires([MANAGES_FLEETS], describe('Stops reading the provider, and refuses what it sends.', pauseFleet)),
  resumeTelematicsFleet: requires([MANAGES_FLEETS], describe('Goes on with a paused fleet, or tries a failing one at once.', resumeFleet)),
});

export const TelematicsRemoteVehicleMutations = mutationsOf(TelematicsRemoteVehicle, {
  updateTelematicsRemoteVehicle: requires(
    [MANAGES_FLEETS],
    withInput(
      UpdateTelematicsRemoteVehicleInput,
      updateRemoteVehicle,
      'Says which equipment a vehicle is, and corrects what the provider says of it.',
    ),
  ),
});

/** Foreign ids are missing before anything is denied. @throws Missing, Denied */
async function permitted<T>(ctx: Context, found: Promise<T>): Promise<T> {
  const record = await found;
  allow(ctx, MANAGES_FLEETS);
  return record;
}

/** The answer that contains the password. A repeated request cannot show it again and gets only the fleet. */
function answerOf(ctx: Context, info: GraphQLResolveInfo, { id, pushPassword }: Connected): Promise<TelematicsFleet> {
  if (pushPassword) passwordsOf(ctx).set(id, pushPassword);
  return ctx.read.one(TelematicsFleet, info, { id });
}

function passwordsOf(ctx: Context): Map<string, string> {
  const passwords = (ctx.memo.get(PASSWORDS) as Map<string, string> | undefined) ?? new Map<string, string>();
  ctx.memo.set(PASSWORDS, passwords);
  return passwords;
}
