import { firstKnown } from '../../platform/database/first-known.ts';
import type { Query } from '../../platform/database/sql.ts';
import { FENCES_OF_SITE, type FenceRow } from '../fences/fence-rows.ts';
import { answeredFence, type FoundGeofenceTrigger } from './found-trigger.ts';

const FENCES_OF_JOB = `select distinct on (f.id) f.* from job j join company c on c.id = j.company_id
    join waypoint w on w.route_id = j.route_id join site s on s.id = w.site_id
    cross join lateral ${FENCES_OF_SITE('c.site_radius')} f
  where j.id = $1`;

/** The geofences of the sites to which a job goes. */
export const fencesOfJob = (query: Query, jobId: string): Promise<FenceRow[]> => query<FenceRow>(FENCES_OF_JOB, [jobId]);

interface Stored extends Omit<FoundGeofenceTrigger, 'geofence'> {
  fence: FenceRow;
}

/** A geofence that is gone is answered with its id and its site's name alone. */
const STORED = `select t.geofence_trigger_type as "geofenceTriggerType", t.confirmed_at as "confirmedAt", t.confidence::float8 as confidence,
    json_build_object('id', t.location_id, 'lat', t.lat::text, 'lon', t.lon::text, 'occurredAt', t.occurred_at,
      'driver', (select json_build_object('id', u.id, 'firstName', u.first_name, 'lastName', u.last_name) from app_user u where u.id = t.asset_id),
      'equipment', (select json_build_object('id', e.id, 'name', e.name, 'externalId', e.external_id) from equipment e where e.id = ${firstKnown('j.equipment_id', 't.asset_id')}),
      'order', (select json_build_object('id', o.id, 'orderId', o.order_id) from orders o where o.id = j.order_id),
      'job', json_build_object('id', j.id, 'jobId', j.job_id)) as "triggeredLocation",
    json_build_object('id', t.fence_id, 'siteId', t.site_id, 'tag', t.tag, 'geofenceType', coalesce(f."geofenceType", 'circle'),
      'moving', coalesce(f.moving, false), 'shape', f.shape) as fence
  from geofence_trigger t join job j on j.id = t.job_id join company c on c.id = j.company_id
    left join site s on s.id = t.site_id left join lateral ${FENCES_OF_SITE('c.site_radius')} f on f.id = t.fence_id
  where t.job_id = $1 and t.state in ('applied', 'proposed') order by t.occurred_at, t.id`;

/** The entries and exits of a job that were neither skipped nor disproved. */
export async function storedTriggers(query: Query, jobId: string): Promise<FoundGeofenceTrigger[]> {
  const rows = await query<Stored>(STORED, [jobId]);
  return rows.map(({ fence, ...trigger }) => ({ ...trigger, geofence: answeredFence(fence) }));
}
