import { Field, ObjectType } from 'type-graphql';
import { UserDevicePermission } from '../../directory/people/device-permission.entity.ts';
import { GpsStatus } from '../../directory/people/gps-status.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';

/** Why a driver's telephone is heard from or not. */
@ObjectType({ simpleResolvers: true })
export class DeviceStatus {
  @Field(() => [UserDevicePermission]) userDevicePermissions!: UserDevicePermission[];
  @Field(() => GpsStatus) gpsStatus!: GpsStatus;
}

/** The telephone of the driver of a job, also of a vendor's; of a job that nobody drives nothing is heard. @throws Missing */
export async function deviceStatusOfJob(ctx: Context, jobId: string, companyId?: string | null): Promise<DeviceStatus> {
  const job = await find(ctx, Job, jobId, { companyId });
  const id = job.driver?.id;
  // The job was checked already; row-level security decides whose telephones partners in work see.
  const beyond = { filters: { tenant: false } } as const;
  return withPartnerVisibility(async () => {
    const driver = id && (await ctx.em.findOne(User, { id }, beyond));
    if (!driver) return { userDevicePermissions: [], gpsStatus: GpsStatus.of(null) };
    const permissions = await ctx.em.find(
      UserDevicePermission,
      { userId: driver.id },
      { ...beyond, orderBy: { updatedAt: 'desc', id: 'desc' } },
    );
    return {
      userDevicePermissions: permissions.filter(({ deviceId }) => deviceId === permissions[0]?.deviceId),
      gpsStatus: GpsStatus.of(iso(driver.lastPingAt), iso(driver.stillSince)),
    };
  });
}

const iso = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;
