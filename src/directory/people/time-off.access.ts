import { defineAccess } from '../../platform/read/access.ts';
import { amongShared } from '../shares/shared-with.ts';
import { ScheduledTimeOff } from './time-off.entity.ts';

export const scheduledTimeOffAccess = defineAccess(ScheduledTimeOff, {
  // A company with which a driver is shared plans with them, and must know when they are off.
  rowPolicy: {
    readable: amongShared('User', 'user_id'),
  },
});
