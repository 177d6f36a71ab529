import { of, own, type Row } from './expectation.ts';

const FLEETS = 'edit_telematics_remote_vehicles';

/** The permissions of the root fields of rooms without a file here. */
export const OTHERS: Row[] = [
  ...of(undefined, 'company', 'createDirectUpload'),
  ...of(undefined, 'person', 'myLocationHistories', 'recordPosition', 'recordPositions', 'updateMyDevicePermissions'),
  ...of(undefined, FLEETS, 'telematicsFleets', 'connectTelematicsFleet', 'telematicsRemoteVehicles', 'suggestedEquipment'),
  ...of('fleet', FLEETS, 'telematicsFleet', 'updateTelematicsFleet', 'pauseTelematicsFleet', 'resumeTelematicsFleet'),
  ...of('fleet', FLEETS, 'renewTelematicsPushPassword', 'disconnectTelematicsFleet'),
  ...of('telematicsRemoteVehicle', FLEETS, 'telematicsRemoteVehicle', 'updateTelematicsRemoteVehicle'),
  ...of('smsIntegration', 'edit_company', 'smsIntegration'),
  ...of(undefined, 'edit_company', 'smsIntegrations'),
  ...of('driver', 'edit_user', 'forgetPositions', 'userLocationHistories'),
  ...of('order', 'company', 'node'),
  ...of(undefined, 'company', 'nodes'),
  ...of(undefined, 'assign_job', 'driverGeofenceTriggers', 'equipmentGeofenceTriggers'),
  ...of('job', 'edit_job', 'jobGeofenceTriggers'),
  ...of(undefined, 'company', 'geofenceTriggers'),
  ...own(['grant', 'driver'], of('geofenceTrigger', 'edit_job', 'confirmTrigger', 'dismissTrigger')),
  ...own(['grant', 'driver'], of('jobEvent', 'edit_job', 'undoAutomaticEvent')),
  ...of('job', 'company', 'jobEta', 'jobDeviceStatus', 'jobLocationHistories', 'jobTravelledDistances'),
  ...of('load', 'company', 'loadTravelledDistances'),
  ...of('order', 'company', 'orderTravelledDistances'),
  ...of('driverDay', 'company', 'driverDayTravelledDistances'),
  ...own(['driver'], of('driverDay', 'assign_job', 'driverDayLocationHistories')),
  ...of(undefined, 'company', 'latestLocations'),
];
