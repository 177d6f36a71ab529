import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const DevicePermission = stringEnum('DevicePermission', [
  'location_while_using',
  'location_always',
  'notifications',
  'motion_and_fitness',
  'physical_activity',
  'ignore_battery_optimizations',
  'background_refresh',
]);
export type DevicePermission = keyof typeof DevicePermission;

export const DevicePermissionState = stringEnum('DevicePermissionState', [
  'denied',
  'granted',
  'restricted',
  'limited',
  'permanently_denied',
  'provisional',
]);
export type DevicePermissionState = keyof typeof DevicePermissionState;

/** The permissions that a person's telephone grants to the app. */
@Entity({ tableName: 'user_device_permission' })
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: "A permission that a person's telephone grants to the app." })
export class UserDevicePermission extends RecordBase {
  /** The person's. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true, hidden: true }) userId!: string;
  /** The telephone's id of itself. */
  @Text({ required: true, hidden: true }) deviceId!: string;
  @Choice(() => DevicePermission, { required: true }) devicePermission!: DevicePermission;
  @Choice(() => DevicePermissionState, { required: true }) devicePermissionState!: DevicePermissionState;
}

/** Those of the telephone that was heard from last, for the person `u`. */
export const ofNewestDevice = (p: string, u: string): string => `${p}.user_id = ${u}.id and ${p}.device_id = (
  select n.device_id from user_device_permission n where n.user_id = ${u}.id order by n.updated_at desc, n.id desc limit 1)`;
