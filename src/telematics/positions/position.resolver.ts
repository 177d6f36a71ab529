import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { updateDevicePermissions } from './device-permissions.ts';
import { DeviceStatus, deviceStatusOfJob } from './device-status.ts';
import { forgetPositions } from './forget-positions.ts';
import { recordPhonePositions } from './phone-positions.ts';
import { MobileDeviceLocationInput, MobileDeviceLocationsInput, UpdateDevicePermissionsInput } from './position.inputs.ts';

/** The reports of drivers' telephones: where they are, and which permissions the app has. */
@Resolver()
export class PositionResolver {
  @Query(() => DeviceStatus, {
    description: "Whether the telephone of a job's driver is connected, and the permissions that it grants to the app.",
  })
  @AnySignedIn()
  jobDeviceStatus(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) jobId: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<DeviceStatus> {
    return deviceStatusOfJob(ctx, jobId, companyId);
  }

  @Mutation(() => Boolean, { description: "Stores the position of the calling person's telephone." })
  @AnySignedIn()
  async recordPosition(
    @Ctx() ctx: Context,
    @Arg('input', () => MobileDeviceLocationInput) input: MobileDeviceLocationInput,
  ): Promise<boolean> {
    await recordPhonePositions(ctx, input.deviceId, 'location', input);
    return true;
  }

  @Mutation(() => Boolean, { description: "Stores past positions of the calling person's telephone." })
  @AnySignedIn()
  async recordPositions(
    @Ctx() ctx: Context,
    @Arg('input', () => MobileDeviceLocationsInput) input: MobileDeviceLocationsInput,
  ): Promise<boolean> {
    await recordPhonePositions(ctx, input.deviceId, 'locations', input);
    return true;
  }

  @Mutation(() => Int, {
    description: "Deletes all positions of a person's telephones and returns how many there were. Figures, distances and crossings stay.",
  })
  @Requires('edit_user')
  forgetPositions(@Ctx() ctx: Context, @Arg('id', () => ID, { description: 'Of the person.' }) id: string): Promise<number> {
    return forgetPositions(ctx, id);
  }

  @Mutation(() => String, { description: "Stores the permissions that the calling person's telephone grants to the app." })
  @AnySignedIn()
  async updateMyDevicePermissions(
    @Ctx() ctx: Context,
    @Arg('input', () => UpdateDevicePermissionsInput) input: UpdateDevicePermissionsInput,
  ): Promise<string> {
    await updateDevicePermissions(ctx, input);
    return 'kept';
  }
}
