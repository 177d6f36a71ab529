import type { RoutingGeofenceInput } from '../../directory/sites/geofence.inputs.ts';
import { MOST_CORNERS, polygonProblem } from '../../directory/sites/polygons.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { FENCES_BY_ID, type FenceRow } from '../fences/fence-rows.ts';

/** Reads the geofences of a calculation: shapes as they were sent, and known geofences of the company by their id. Problems go to `to`. */
export async function sentFences(
  query: Query,
  companyId: string,
  inputs: readonly RoutingGeofenceInput[],
  to: ErrorCollector,
): Promise<FenceRow[]> {
  const ids = inputs.flatMap(({ id, geofence }) => (id && !geofence && isUuid(id) ? id.toLowerCase() : []));
  const known = new Map((ids.length === 0 ? [] : await query<FenceRow>(FENCES_BY_ID, [ids, companyId])).map((row) => [row.id, row]));
  return inputs.flatMap((input, at) => {
    const field = `geofences.${at}`;
    if (input.geofence) return drawn(input, `${field}.geofence`, to) ?? [];
    const row = input.id ? known.get(input.id.toLowerCase()) : undefined;
    if (!row)
      to.items.push({ model: to.model, field: `${field}.${input.id ? 'id' : 'geofence'}`, key: input.id ? 'must_exist' : 'required' });
    return row ?? [];
  });
}

function drawn(input: RoutingGeofenceInput, field: string, to: ErrorCollector): FenceRow | undefined {
  const shape = input.geofence!;
  const before = to.items.length;
  const report = (name: string, key: string, params?: Record<string, number>) =>
    to.items.push({ model: to.model, field: `${field}.${name}`, key, params });
  const polygon = shape.type ? shape.type === 'polygon' : Boolean(shape.geojson);
  if (polygon && !shape.geojson) report('geojson', 'required');
  const problem = polygon && shape.geojson && polygonProblem(shape.geojson.coordinates);
  if (problem) report('geojson.coordinates', problem, { max: MOST_CORNERS });
  if (!polygon && !shape.circleCenter) report('circleCenter', 'required');
  if (!polygon && !shape.circleRadius) report('circleRadius', 'required');
  // A geofence that is sent with its shape is in one place; a moving geofence is named by its id.
  if (input.movingGeofence || input.geofenceType === 'moving') report('id', 'required');
  if (to.items.length > before) return undefined;
  const type = polygon ? 'polygon' : 'circle';
  return {
    id: input.id ?? null,
    ...{ siteId: null, tag: input.tag ?? null, geofenceType: type, moving: false, machine: null },
    shape: {
      ...{ id: shape.id ?? null, name: shape.name ?? '', type, tag: shape.tag ?? null },
      geojson: polygon ? { type: 'Polygon', coordinates: shape.geojson!.coordinates as unknown[] } : null,
      circleCenter: polygon ? null : { lat: Number(shape.circleCenter!.lat), lon: Number(shape.circleCenter!.lon) },
      circleRadius: polygon ? null : Number(shape.circleRadius),
    },
  };
}
