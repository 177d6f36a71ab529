import { of, type Row } from './expectation.ts';

/** Who may use the root fields of the rooms that have no file of their own here. */
export const OTHERS: Row[] = [
  ...of(undefined, 'company', 'createDirectUpload'),
  ...of(undefined, 'person', 'recordPosition', 'recordPositions', 'updateMyDevicePermissions'),
  ...of('job', 'company', 'jobDeviceStatus', 'jobLocationHistories'),
];
