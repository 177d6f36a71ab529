import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Geofence, RoutingGeofence } from './geofence.entity.ts';

export const routingGeofenceAccess = defineAccess(RoutingGeofence, {
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'siteId', 'geofence', 'movingGeofence', 'tag', 'geofenceType'] },
});

export const geofenceAccess = defineAccess(Geofence, {
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'name', 'type', 'geojson', 'circleCenter', 'circleRadius', 'tag'] },
});
