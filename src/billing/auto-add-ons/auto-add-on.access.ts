import { defineAccess } from '../../platform/read/access.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';

export const autoAddOnAccess = defineAccess(AutoAddOnAssignment, {
  // Deductions from a driver's pay are the driver's own; all others are for the office.
  ownRecords: (t, p) => `${t}.driver_id = ${p}`,
});
