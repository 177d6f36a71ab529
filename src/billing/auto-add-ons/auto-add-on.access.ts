import { defineAccess } from '../../platform/read/access.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';

export const autoAddOnAccess = defineAccess(AutoAddOnAssignment, {
  // What is deducted from a driver's pay is their own; all others are for the office.
  ownRecords: (t, p) => `${t}.driver_id = ${p}`,
});
