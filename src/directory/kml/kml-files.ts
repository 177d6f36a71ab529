import { ref } from '@mikro-orm/core';
import { allow } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Decimal } from '../../platform/decimal.ts';
import { Denied, Invalid } from '../../platform/errors.ts';
import { Company } from '../companies/company.entity.ts';
import { owningCompany } from '../companies/owning-company.ts';
import { lockMaster } from '../master-data/master-data.ts';
import { Geofence, RoutingGeofence } from '../sites/geofence.entity.ts';
import { Site } from '../sites/site.entity.ts';
import { KmlFile } from './kml-file.entity.ts';
import { parseKml } from './parse-kml.ts';
import type { Placemark } from './read-kml.ts';

export interface NewKmlFile {
  /** The text of the file. */
  file: string;
  fileName?: string | null;
  name?: string | null;
}

/**
 * Keeps a KML file and makes a site of each of its placemarks: all of them, or none.
 * @throws Missing, Denied, Invalid with every placemark that can be no site
 */
export async function importKml(ctx: Context, { file, fileName, name }: NewKmlFile, companyId?: string | null): Promise<KmlFile> {
  const owner = owningCompany(ctx, 'KMLFile', {}, companyId);
  // Before anything is read. A caller who is limited to some sites would make sites that they cannot see.
  if (allow(ctx, 'create_site').siteIds) throw new Denied('create_site', 'permission_beyond_sites');
  const { placemarks, problems } = await parseKml(file);
  if (problems.length > 0)
    throw new Invalid(
      problems.map(({ key, at, params }) => ({
        model: 'KMLFile',
        field: at === undefined ? 'file' : `file.placemarks.${at}`,
        key,
        params,
      })),
    );
  return transact(ctx, async (tx) => {
    const company = ref(Company, owner);
    const kept = Object.assign(new KmlFile(), {
      company,
      name: name?.trim() || null,
      fileName: fileName?.trim().slice(0, 255) || 'sites.kml',
      content: file,
    });
    tx.em.persist(kept);
    for (const placemark of placemarks) makeSite(tx, kept, placemark);
    emitEvent(tx, 'kml_file.created', kept);
    return kept;
  });
}

function makeSite(tx: TxContext, { company }: KmlFile, { name, description, lon, lat, polygon }: Placemark): void {
  const place = { lat: new Decimal(lat), lon: new Decimal(lon), routable: true };
  const site = Object.assign(new Site(), { company, name, notes: description, siteType: 'Other', ...place });
  tx.em.persist(site);
  if (polygon) {
    const shape = Object.assign(new Geofence(), { company, name, type: 'polygon', geojson: { type: 'Polygon', coordinates: polygon } });
    const fence = Object.assign(new RoutingGeofence(), { company, geofence: ref(shape), tag: 'site', geofenceType: 'polygon' });
    tx.em.persist([shape, fence]);
    site.routingGeofence = ref(fence);
  }
  emitEvent(tx, 'site.created', site);
}

/** Names a file; null takes its name away. @throws Missing, Denied */
export function nameKmlFile(ctx: Context, path: RecordPath, name: string | null | undefined): Promise<KmlFile> {
  return transact(ctx, async (tx) => {
    const file = await lockMaster(tx, { entity: KmlFile }, path, 'edit_site');
    if (name !== undefined) file.name = name?.trim() || null;
    emitEvent(tx, 'kml_file.updated', file);
    return file;
  });
}

/** Discards a file; the sites that were made of it stay. @throws Missing, Denied */
export function discardKmlFile(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const file = await lockMaster(tx, { entity: KmlFile }, path, 'delete_site');
    file.discardedAt = tx.tx.now;
    // Nobody can ask for it any more.
    file.content = '';
    emitEvent(tx, 'kml_file.discarded', file);
  });
}
