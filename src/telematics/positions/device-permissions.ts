import { UserDevicePermission } from '../../directory/people/device-permission.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { personOf } from './phone-positions.ts';
import type { UpdateDevicePermissionsInput } from './position.inputs.ts';

/** Keeps what a telephone of the caller's lets the app do; what it does not name any more is forgotten. @throws Missing, Invalid */
export function updateDevicePermissions(ctx: Context, input: UpdateDevicePermissionsInput): Promise<void> {
  return transact(ctx, async (tx) => {
    const { id: userId, companyId } = personOf(tx);
    const { deviceId } = input;
    const given = new Map(input.devicePermissions.map((one) => [one.userDevicePermission, one.userDevicePermissionState]));
    if (given.size < input.devicePermissions.length)
      throw new Invalid([{ model: 'UserDevicePermission', field: 'devicePermissions', key: 'named_twice' }]);
    // Two concurrent requests of one telephone would both add a row that neither found.
    await find(tx, User, userId, { lock: true });
    const before = await tx.em.find(UserDevicePermission, { companyId, userId, deviceId });
    for (const one of before) if (!given.has(one.devicePermission)) tx.em.remove(one);
    for (const [devicePermission, devicePermissionState] of given) {
      const known = before.find((one) => one.devicePermission === devicePermission);
      // A repeated report makes this telephone the newest one.
      if (known) Object.assign(known, { devicePermissionState, updatedAt: tx.tx.now });
      else
        tx.em.persist(Object.assign(new UserDevicePermission(), { companyId, userId, deviceId, devicePermission, devicePermissionState }));
    }
  });
}
