import { Field, Float, ID, InputType } from 'type-graphql';
import { DevicePermission, DevicePermissionState } from '../../directory/people/device-permission.entity.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AsSent } from '../../platform/graphql/as-sent.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';

/** Characters of what a telephone calls itself. */
const DEVICE = 255;

@InputType()
export class GpsLocationInput {
  @Field(() => DateTime) occurredAt!: Date;
  @Field(() => DecimalScalar, { description: 'Degrees, WGS 84.' }) @Range(-90, 90) lat!: Decimal | number | string;
  @Field(() => DecimalScalar, { description: 'Degrees, WGS 84.' }) @Range(-180, 180) lon!: Decimal | number | string;
  @Field(() => ID, { nullable: true, description: 'The job that is being driven; null without one.' }) jobId?: string | null;
  @Field(() => Float, { nullable: true, description: 'In metres.' }) accuracy?: number | null;
  @Field(() => Float, { nullable: true }) speedMetersPerSecond?: number | null;
  @Field(() => Float, { nullable: true, description: 'Degrees clockwise from north.' }) bearingDegrees?: number | null;
}

@InputType()
@AsSent()
export class MobileDeviceLocationInput {
  @Field({ description: "The telephone's id of itself." }) @Length(1, DEVICE) deviceId!: string;
  @Field(() => GpsLocationInput) location!: GpsLocationInput;
}

@InputType()
@AsSent()
@About('MobileDeviceLocation')
export class MobileDeviceLocationsInput {
  @Field({ description: "The telephone's id of itself." }) @Length(1, DEVICE) deviceId!: string;
  @Field(() => [GpsLocationInput], { description: 'In any order; positions that were sent before are not stored again.' })
  locations!: GpsLocationInput[];
}

@InputType()
export class DevicePermissionInput {
  @Field(() => DevicePermission) userDevicePermission!: DevicePermission;
  @Field(() => DevicePermissionState) userDevicePermissionState!: DevicePermissionState;
}

@InputType()
@About('UserDevicePermission')
export class UpdateDevicePermissionsInput {
  @Field({ description: "The telephone's id of itself." }) @Length(1, DEVICE) deviceId!: string;
  @Field(() => [DevicePermissionInput], {
    description: 'All permissions that this telephone grants to the app; they replace the previous ones.',
  })
  devicePermissions!: DevicePermissionInput[];
}
