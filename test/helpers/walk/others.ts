import { of, own, type Row } from './expectation.ts';

/** The permissions of the root fields of rooms without a file here. */
export const OTHERS: Row[] = [
  ...of(undefined, 'company', 'createDirectUpload'),
  ...of(undefined, 'person', 'recordPosition', 'recordPositions', 'updateMyDevicePermissions'),
  ...of('order', 'company', 'node'),
  ...of(undefined, 'company', 'nodes'),
  ...of(undefined, 'assign_job', 'driverGeofenceTriggers', 'equipmentGeofenceTriggers'),
  ...of('job', 'edit_job', 'jobGeofenceTriggers'),
  ...of(undefined, 'company', 'geofenceTriggers'),
  ...own(['grant', 'driver'], of('geofenceTrigger', 'edit_job', 'confirmTrigger', 'dismissTrigger')),
  ...own(['grant', 'driver'], of('jobEvent', 'edit_job', 'undoAutomaticEvent')),
  ...of('job', 'company', 'jobDeviceStatus', 'jobLocationHistories', 'jobTravelledDistances'),
  ...of('load', 'company', 'loadTravelledDistances'),
  ...of('order', 'company', 'orderTravelledDistances'),
  ...of('driverDay', 'company', 'driverDayTravelledDistances', 'driverDayLocationHistories'),
  ...of(undefined, 'company', 'latestLocations'),
];
