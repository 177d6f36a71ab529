import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { amongShared } from '../shares/shared-with.ts';
import { UserDevicePermission } from './device-permission.entity.ts';

export const userDevicePermissionAccess = defineAccess(UserDevicePermission, {
  // A company with which a driver is shared sees why their telephone reports nothing.
  rowPolicy: {
    readable: amongShared('User', 'user_id'),
  },
  partnerFields: {
    passed: [...RECORD_FIELDS, 'companyId', 'userId', 'devicePermission', 'devicePermissionState'],
    kept: ['deviceId'],
  },
});
