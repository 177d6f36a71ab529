/** The SQL of a hand-written server for positions. $1 is the company. */

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * w20: stores what a telephone sends, the same rows as the product. $2 is its person, $3 the device, the rest are columns. Ids that grow are what the
 * index of a partition takes best.
 */
export const STORE_POSITIONS = `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon, accuracy, speed_meters_per_second, bearing_degrees, job_id, offline_mode)
  select uuidv7(), $1, $2, $3, x.*, x.occurred_at < now() - interval '5 minutes'
  from unnest($4::timestamptz[], $5::numeric[], $6::numeric[], $7::float8[], $8::float8[], $9::float8[], $10::uuid[])
    x (occurred_at, lat, lon, accuracy, speed, bearing, job_id)
  on conflict (asset_id, occurred_at, device_id) do nothing`;

const COLUMNS = ['occurred_at', 'lat', 'lon', 'accuracy', 'speed_meters_per_second', 'bearing_degrees', 'job_id'] as const;

/** The device and the columns of `STORE_POSITIONS` from a body. */
export function positionValues(body: string): unknown[] {
  const { device_id, locations } = JSON.parse(body) as { device_id: string; locations: Record<(typeof COLUMNS)[number], unknown>[] };
  return [device_id, ...COLUMNS.map((column) => locations.map((one) => one[column]))];
}

/** w21: the newest position of each job under way, with the driver, the truck, the load and the order. */
export const LATEST_POSITIONS = `select json_build_object('data', coalesce(json_agg(json_build_object('id', h.id, 'lat', trim_scale(h.lat)::text, 'lon', trim_scale(h.lon)::text,
    'accuracy', h.accuracy::text, 'device_id', h.device_id, 'job_id', j.id, 'order_id', o.order_id, 'created_at', ${iso('h.created_at')}, 'occurred_at', ${iso('h.occurred_at')},
    'load_id', v.load_id, 'load_state', v.state, 'speed_meters_per_second', h.speed_meters_per_second::text, 'bearing_degrees', h.bearing_degrees::text,
    'equipment', (select json_build_object('id', e.id, 'name', e.name, 'equipment_id', e.equipment_id, 'external_id', e.external_id, 'license_number', e.license_number,
      'equipment_type', (select json_build_object('id', t.id, 'name', t.name) from equipment_type t where t.id = e.equipment_type_id)) from equipment e where e.id = h.equipment_id),
    'driver', json_build_object('id', d.id, 'first_name', d.first_name, 'last_name', d.last_name, 'email', d.email, 'phone', d.phone),
    'radii', (select json_agg(json_build_object('id', g.id, 'radius_meters', g.circle_radius, 'site_id', s.id)) from waypoint w join site s on s.id = w.site_id
      join routing_geofence r on r.id = s.routing_geofence_id join geofence g on g.id = r.geofence_id where w.route_id = j.route_id and g.type = 'circle'),
    'vendor_job_assignment', (select json_build_object('id', a.id) from job_assignment a where a.job_id = j.id and a.customer_company_id = $1 limit 1))), '[]'))
  from job j join orders o on o.id = j.order_id left join app_user d on d.id = j.driver_id
  cross join lateral (select * from location_history h where h.job_id = j.id and h.occurred_at > now() - interval '2 days' order by h.occurred_at desc limit 1) h
  left join lateral (select e.load_id, l.state from job_event e join load l on l.id = e.load_id where e.job_id = j.id and e.occurred_at <= h.occurred_at
    order by e.occurred_at desc limit 1) v on true
  where j.company_id = $1 and j.job_start_at > now() - interval '8 days' and j.state in ('to_pickup','arrived_pickup','loaded','to_dropoff','arrived_dropoff','unloaded','load_completed','paused')`;
