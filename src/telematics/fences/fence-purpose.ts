import { definePurpose } from '../../platform/database/scope.ts';

/**
 * Finds the work of a driver and the geofences of it, whichever company the work belongs to, and keeps what is known of the driver and these
 * geofences. What follows for a job is done as the company of the job.
 */
export const FENCES = definePurpose('fences', {
  location_history: [
    'select (id, company_id, asset_id, equipment_id, user_id, device_id, source, occurred_at, lat, lon, accuracy, job_id)',
  ],
  job: ['select (id, company_id, order_id, driver_id, equipment_id, state, job_start_at, state_changed_at, route_id)'],
  job_event: ['select (job_id, event_name, occurred_at, undone_at)'],
  orders: ['select (id, geofence_delay_seconds)'],
  company: ['select (id, default_geofence_delay_seconds, site_radius)'],
  waypoint: ['select (route_id, site_id, type, ordinality)'],
  site: ['select (id, company_id, name, site_type, lat, lon, routing_geofence_id, state, discarded_at)'],
  routing_geofence: ['select'],
  geofence: ['select'],
  moving_site: ['select (id, site_id, equipment_id, polling_interval_seconds, created_at)'],
  app_user: ['select (id, company_id, equipment_id, positions_forgotten_at)'],
  equipment: ['select (id, company_id)'],
  geofence_trigger: ['select', 'update (state, updated_at)'],
  fence_progress: ['select', 'insert', 'update'],
});
