import { defineAccess } from '../../platform/read/access.ts';
import { DriverDay, dayOfPerson } from '../model/driver-day.entity.ts';

export const driverDayAccess = defineAccess(DriverDay, {
  ownRecords: dayOfPerson,
});
