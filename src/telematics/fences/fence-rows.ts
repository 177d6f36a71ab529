import type { GeofenceAreaTag, GeofenceTag, GeofenceType } from '../../directory/sites/geofence.entity.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import { type Fix, type Region, regionOf, type Shape } from './region.ts';

/** A geofence as statements read it (`FENCE_COLUMNS`). */
export interface FenceRow {
  /** The geofence; the site if a circle is drawn around it for want of one, and null if it was sent with its shape. */
  id: string | null;
  siteId: string | null;
  tag: GeofenceTag | null;
  geofenceType: GeofenceType | null;
  moving: boolean;
  shape: {
    id: string | null;
    name: string;
    type: GeofenceType;
    geojson: { type: string; coordinates: unknown[] } | null;
    circleCenter: { lat: number; lon: number } | null;
    circleRadius: number | null;
    tag: GeofenceAreaTag | null;
  } | null;
  /** Of a site that is where a machine is. */
  machine: { equipmentId: string; pollingSeconds: number } | null;
}

/** Metres of the circle around a site, if its company does not say (PROOF A5). */
const SITE_RADIUS = 150;

/** Milliseconds before the first position in which a machine was somewhere. */
const BEFORE = 30 * 60_000;

/** SQL of the geofences of sites `s` of a company with `site_radius` `r`: the main one, the further ones, and a circle for want of a main one. */
export const FENCES_OF_SITE = (radius: string): string => `(
  select f.id, s.id as "siteId", f.tag, f.geofence_type as "geofenceType", f.moving_geofence as moving, ${shapeJson('g')} as shape, ${machineJson('= s.id')} as machine
    from routing_geofence f join geofence g on g.id = f.geofence_id where f.id = s.routing_geofence_id or f.site_id = s.id
  union all
  select s.id, s.id, 'site', 'circle', false, json_build_object('id', null, 'name', s.name, 'type', 'circle', 'geojson', null,
      'circleCenter', json_build_object('lat', s.lat::float8, 'lon', s.lon::float8), 'circleRadius', coalesce(${radius}::float8, ${SITE_RADIUS}), 'tag', null), null
    where s.lat is not null and s.lon is not null and not exists (
      select 1 from routing_geofence f join geofence g on g.id = f.geofence_id where f.id = s.routing_geofence_id))`;

/** Geofences `$1` of the company `$2`. */
export const FENCES_BY_ID = `select f.id, f.site_id as "siteId", f.tag, f.geofence_type as "geofenceType", f.moving_geofence as moving,
    ${shapeJson('g')} as shape, ${machineJson('in (select coalesce(f.site_id, (select s.id from site s where s.routing_geofence_id = f.id)) offset 0)')} as machine
  from routing_geofence f left join geofence g on g.id = f.geofence_id where f.id = any($1::uuid[]) and f.company_id = $2`;

function shapeJson(g: string): string {
  return `json_build_object('id', ${g}.id, 'name', ${g}.name, 'type', ${g}.type, 'geojson', ${g}.geojson, 'circleCenter', ${g}.circle_center,
    'circleRadius', ${g}.circle_radius, 'tag', ${g}.tag)`;
}

/** @param site what the id of the machine's site is compared with, by a comparison that finds it by an index */
function machineJson(site: string): string {
  return `(select json_build_object('equipmentId', m.equipment_id, 'pollingSeconds', m.polling_interval_seconds) from moving_site m
    where m.site_id ${site} order by m.created_at limit 1)`;
}

/** @param track of the machine of a moving geofence. @returns undefined if nobody knows where the geofence is */
export function regionOfRow({ shape, moving, machine }: FenceRow, track: readonly Fix[] = []): Region | undefined {
  const stored = shape && (moving && machine ? movingShape(shape, machine.pollingSeconds, track) : fixedShape(shape));
  return stored ? regionOf(stored) : undefined;
}

function movingShape(shape: NonNullable<FenceRow['shape']>, pollingSeconds: number, track: readonly Fix[]): Shape {
  return { kind: 'moving', radius: shape.circleRadius ?? SITE_RADIUS, track, pollingSeconds };
}

function fixedShape({ geojson, circleCenter: center, circleRadius: radius }: NonNullable<FenceRow['shape']>): Shape | undefined {
  if (geojson) return { kind: 'polygon', ring: geojson.coordinates[0] as [number, number][] };
  return center && radius ? { kind: 'circle', center, radius } : undefined;
}

/** Geofences, some of which may move, and the positions that are looked at against them. */
export interface MeetingFences {
  fences: readonly FenceRow[];
  positions: readonly { at: number }[];
}

const TRACKS = `select a.at as one, m.* from unnest($1::int[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) as a (at, machine, since, until)
  cross join lateral (select h.equipment_id as id, (extract(epoch from h.occurred_at) * 1000)::float8 as at, h.lat::float8 as lat, h.lon::float8 as lon from location_history h
    where h.equipment_id = a.machine and h.occurred_at >= a.since and h.occurred_at <= a.until offset 0) m`;

/** Where the machines of moving geofences were in the time of the positions, for each of those who meet them. */
export async function tracksOf(query: Query, meeting: readonly MeetingFences[]): Promise<ReadonlyMap<string, Fix[]>[]> {
  const asked = meeting.flatMap(({ fences, positions }, one) => {
    const machines = new Set(fences.flatMap(({ moving, machine }) => (moving && machine ? machine.equipmentId : [])));
    if (machines.size === 0 || positions.length === 0) return [];
    let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { at } of positions) [from, until] = [Math.min(from, at), Math.max(until, at)];
    return [...machines].map((machine) => ({ one, machine, from: new Date(from - BEFORE), until: new Date(until + BEFORE) }));
  });
  if (asked.length === 0) return meeting.map(() => new Map());
  const rows = await query<Fix & { id: string; one: number }>(planOnceForFew(TRACKS, asked.length), [
    ...[asked.map(({ one }) => one), asked.map(({ machine }) => machine), asked.map(({ from }) => from), asked.map(({ until }) => until)],
  ]);
  const found = Map.groupBy(rows, ({ one }) => one);
  return meeting.map((_, one) => Map.groupBy(found.get(one) ?? [], ({ id }) => id));
}
