import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Waypoint } from '../model/route.entity.ts';

export const waypointAccess = defineAccess(Waypoint, {
  partnerFields: { passed: [...RECORD_FIELDS, 'routeId', 'companyId', 'type', 'ordinality', 'site', 'contact'] },
});
