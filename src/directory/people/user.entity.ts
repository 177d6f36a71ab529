import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Choices, Coordinate, Flag, Instant, One, RecordBase, stringEnum, Text, Uuids } from '../../platform/model/columns.ts';
import { Computed, Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { DateTime, Json, LocalDate } from '../../platform/scalars.ts';
import { Company } from '../companies/company.entity.ts';
import { DriverPayBy } from '../companies/settings/driver-pay-by.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import { Label } from '../master-data/label.entity.ts';
import { CompanyShare } from '../shares/company-share.entity.ts';
import { shareOf } from '../shares/shared-with.ts';
import { ofNewestDevice, UserDevicePermission } from './device-permission.entity.ts';
import { GpsStatus } from './gps-status.ts';
import { IamRole } from './iam-role.entity.ts';
import { LastPosition } from './last-position.ts';

export const Role = stringEnum('Role', [
  'platform_admin',
  'company_admin',
  'dispatcher',
  'biller',
  'foreman',
  'driver',
  'it_admin',
  'manager',
]);
export type Role = keyof typeof Role;

/** The work of one driver on one day of their company. */
@ObjectType({ simpleResolvers: true })
export class CompanyDayDriverStat {
  @Field(() => ID) id!: string;
  @Field(() => LocalDate) day!: string;
  @Field(() => Int) jobsCount!: number;
  @Field(() => DateTime) createdAt!: string;
  @Field(() => DateTime) updatedAt!: string;
}

const unproven = (address: string) =>
  `False if another company entered the ${address}. Once the person has signed in by other means, no link or code for signing in is sent to it until they, or an administrator of their company, save it again.`;

/** A person of a company. Drivers, foremen, salespeople and requesters are people with a role, with or without a login. */
@Entity({ tableName: 'app_user' })
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class User extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) firstName: string = '';
  @Text({ required: true }) lastName: string = '';
  @Text() email?: string | null;
  /** E.164. */
  @Text() phone?: string | null;
  /** `signsInBy` says what follows from it. */
  @Flag({ required: true, default: true, description: unproven('e-mail address') })
  emailProven: boolean = true;
  @Flag({ required: true, default: true, description: unproven('telephone') }) phoneProven: boolean = true;
  @Text() externalId?: string | null;
  /** Keys of built-in roles. Whom somebody is shared to finds them among its drivers or foremen. */
  @Choices(() => Role) roles: Role[] = [];
  /** Roles that the person's company defined. */
  @Uuids({ hidden: true }) customRoleIds: string[] = [];
  @Flag({ required: true }) scheduleOn: boolean = false;
  /** A trigger keeps it, whatever writes: it follows from accounts that manage the company. */
  @Flag({ required: true, description: "True if another company manages the person's company, and plans and enters data for it." })
  managed: boolean = false;
  @Flag({ required: true }) textToAcceptEnabled: boolean = false;
  /** Null means the company's zone. */
  @Text() timeZone?: string | null;
  @Instant() lastLoginAt?: Date | null;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @One(() => Equipment) defaultEquipment?: Ref<Equipment> | null;
  @Uuids({ hidden: true }) additionalEquipmentIds: string[] = [];
  @Uuids({ hidden: true }) defaultAdditionalEquipmentIds: string[] = [];
  @Uuids({ hidden: true }) labelIds: string[] = [];
  /** The events of which the person wants to be notified, and how: `{ notifications: { new_job_request: ['push'] } }`. */
  @Property({ type: 'json', columnType: 'jsonb' }) @Field(() => Json) preferences: object = {};
  @Instant({ hidden: true }) lastPingAt?: Date | null;
  /** Where they were then: degrees, WGS 84. */
  @Coordinate({ hidden: true }) lastLat?: Decimal | null;
  @Coordinate({ hidden: true }) lastLon?: Decimal | null;
  /** Since when their telephone has not moved without a job. */
  @Instant({ hidden: true }) stillSince?: Date | null;
  /** Made out of a payload; others may have the same e-mail and telephone until somebody edits or invites this person. */
  @Flag({ required: true, hidden: true }) unclaimed: boolean = false;
  @Choice(() => DriverPayBy, {
    description: "Whether time is paid for each job or for the day of the driver; null as the company's setting.",
  })
  payBy?: DriverPayBy | null;
  @Text({ description: 'By which prevailing wages of projects a driver is paid; of no case.' }) wageClassification?: string | null;
  @Instant() discardedAt?: Date | null;

  /** By which the reader has it, when it is another company's. */
  @Single(() => CompanyShare, { on: shareOf('User') }) companyShare?: CompanyShare | null;

  @Field(() => String, { description: "The person's time zone, or the company's." })
  @Computed({ sql: (t) => `coalesce(${t}.time_zone, (select c.time_zone from company c where c.id = ${t}.company_id))` })
  effectiveTimeZone!: string;

  @Many(() => Equipment, { ids: 'additionalEquipmentIds' }) additionalEquipment!: Equipment[];
  @Many(() => Equipment, { ids: 'defaultAdditionalEquipmentIds' }) defaultAdditionalEquipment!: Equipment[];
  @Many(() => UserDevicePermission, { on: ofNewestDevice }) userDevicePermissions!: UserDevicePermission[];
  @Many(() => Label, { ids: 'labelIds' }) labels!: Label[];

  @Many(() => IamRole, {
    on: (role, user) => `((${role}.company_id is null and ${role}.key = any(${user}.roles))
      or (${role}.company_id = ${user}.company_id and ${role}.id = any(${user}.custom_role_ids)))`,
  })
  iamRoles!: IamRole[];

  @Field(() => CompanyDayDriverStat, { nullable: true, description: 'For drivers: their work of today; null without any.' })
  @Computed({
    sql: (t) => `(select json_build_object('id', md5(${t}.id::text || d.day)::uuid, 'day', d.day, 'jobsCount', count(*),
        'createdAt', min(j.created_at), 'updatedAt', max(j.updated_at))
      from company c, lateral (select (present_time() at time zone c.time_zone)::date as day) d,
        lateral (select ${dayStartSql('d.day', 'c.time_zone')} as start, ${dayStartSql('d.day + 1', 'c.time_zone')} as until offset 0) b, job j
      where c.id = ${t}.company_id and j.driver_id = ${t}.id and j.state not in ('canceled', 'rejected')
        and j.job_start_at >= b.start and j.job_start_at < b.until group by d.day)`,
  })
  companyDayDriverStat?: CompanyDayDriverStat | null;

  @Field(() => GpsStatus)
  @Computed({
    columns: ['lastPingAt', 'stillSince'],
    compute: (row) => GpsStatus.of(row.lastPingAt as string | null, row.stillSince as string | null),
  })
  gpsStatus!: GpsStatus;

  @Field(() => LastPosition, {
    nullable: true,
    description: "The last position of the telephone, for people who assign the person's work.",
  })
  @Computed({ columns: LastPosition.columns, compute: LastPosition.of })
  lastPosition?: LastPosition | null;
}
