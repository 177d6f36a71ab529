import { ref } from '@mikro-orm/core';
import { changePart } from '../../platform/commands/change-part.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Decimal } from '../../platform/decimal.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { Company } from '../companies/company.entity.ts';
import { Geofence, RoutingGeofence } from './geofence.entity.ts';
import { type GeofenceInput, NARROWEST, type RoutingGeofenceInput, WIDEST } from './geofence.inputs.ts';
import { MOST_CORNERS, polygonProblem } from './polygons.ts';
import type { Site } from './site.entity.ts';

/** The site of a geofence, as it will be. */
export interface GeofencedSite {
  site: Site;
  /** It follows a piece of equipment. */
  moves: boolean;
}

/**
 * Makes a geofence of a site, or changes the fields of one that are sent; absent fields are kept.
 * @param known the geofence to change
 * @param field its path in the input, with a dot at the end unless it is the input itself
 */
export async function applyGeofence(
  tx: TxContext,
  { site, moves }: GeofencedSite,
  known: RoutingGeofence | null | undefined,
  input: RoutingGeofenceInput,
  field: string,
  to: ErrorCollector,
): Promise<RoutingGeofence> {
  const report = (name: string, key: string, params?: Record<string, string>) =>
    to.items.push({ model: to.model, field: `${field}${name}`, key, params });
  if (input.id && input.id.toLowerCase() !== known?.id) report('id', 'not_of_this_site');
  const fence = known ?? Object.assign(new RoutingGeofence(), { company: site.company });
  fence.movingGeofence = input.movingGeofence ?? (input.geofenceType === 'moving' || fence.movingGeofence);
  fence.tag = input.tag ?? fence.tag ?? 'site';
  if (fence.movingGeofence && !moves) report('movingGeofence', 'needs_moving_site');
  let shape = await fence.geofence?.load();
  if (input.geofence === null) {
    if (shape) tx.em.remove(shape);
    fence.geofence = shape = null;
  } else if (input.geofence) {
    const given = input.geofence;
    const known = shape;
    if (given.id && given.id.toLowerCase() !== known?.id) report('geofence.id', 'not_of_this_site');
    const drawn = known ?? Object.assign(new Geofence(), { company: site.company });
    const radius = given.circleRadius ?? drawn.circleRadius ?? (await radiusOf(tx, site));
    const apply = () => applyShape(drawn, { site, moves: fence.movingGeofence, radius }, given, `${field}geofence.`, to);
    if (known) changePart(tx, site, known, apply);
    else apply();
    shape = drawn;
    tx.em.persist(shape);
    fence.geofence = ref(shape);
  }
  fence.geofenceType = fence.movingGeofence ? 'moving' : shape ? shape.type : null;
  if (input.geofenceType && fence.geofenceType && input.geofenceType !== fence.geofenceType)
    report('geofenceType', 'geofence_type_differs', { type: fence.geofenceType });
  tx.em.persist(fence);
  return fence;
}

/** Removes a geofence and its shape. */
export async function removeGeofence(tx: TxContext, fence: RoutingGeofence): Promise<void> {
  const shape = await fence.geofence?.load();
  tx.em.remove(fence);
  if (shape) tx.em.remove(shape);
}

/** @param radius metres of a circle, if one is known */
function applyShape(
  shape: Geofence,
  { site, moves, radius }: GeofencedSite & { radius: GeofenceInput['circleRadius'] | number },
  input: GeofenceInput,
  field: string,
  to: ErrorCollector,
): void {
  const report = (name: string, key: string, params?: Record<string, number>) =>
    to.items.push({ model: to.model, field: `${field}${name}`, key, params });
  shape.name = input.name?.trim() || shape.name || site.name;
  shape.type = input.type ?? typeOf(input) ?? shape.type;
  if (input.tag !== undefined) shape.tag = input.tag;
  if (shape.type === 'polygon') {
    if (moves) report('type', 'moving_is_a_circle');
    if (input.geojson) {
      const problem = polygonProblem(input.geojson.coordinates);
      if (problem) report('geojson.coordinates', problem, { max: MOST_CORNERS });
      shape.geojson = { type: 'Polygon', coordinates: input.geojson.coordinates as unknown[] };
    } else if (input.geojson === null || !shape.geojson) report('geojson', 'required');
    shape.circleCenter = shape.circleRadius = null;
    return;
  }
  shape.geojson = null;
  const center = input.circleCenter ?? shape.circleCenter ?? (site.lat && site.lon ? { lat: site.lat, lon: site.lon } : null);
  shape.circleCenter = center && { lat: Number(center.lat), lon: Number(center.lon) };
  if (!center && !moves) report('circleCenter', 'required');
  shape.circleRadius = radius ? Number(radius) : null;
  if (!radius) report('circleRadius', 'required');
}

/** The defaults of absent fields. */
const typeOf = (input: GeofenceInput): 'circle' | 'polygon' | undefined =>
  input.geojson ? 'polygon' : input.circleCenter || input.circleRadius ? 'circle' : undefined;

/** Metres, as the company draws circles; undefined if it says none that a geofence may have. */
async function radiusOf(tx: TxContext, site: Site): Promise<Decimal | undefined> {
  const radius = (await tx.em.findOne(Company, { id: site.company.id }, { filters: { tenant: false } }))?.siteRadius;
  return radius?.gte(NARROWEST) && radius.lte(WIDEST) ? radius : undefined;
}
