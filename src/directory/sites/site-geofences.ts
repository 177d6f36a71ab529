import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorCollector, Invalid, Missing } from '../../platform/errors.ts';
import type { ContactInput } from '../contacts/contact.inputs.ts';
import { lockMaster } from '../master-data/master-data.ts';
import { RoutingGeofence } from './geofence.entity.ts';
import type { RoutingGeofenceInput } from './geofence.inputs.ts';
import { applyGeofence, type GeofencedSite, removeGeofence } from './geofences.ts';
import { MovingSite } from './moving-site.entity.ts';
import type { Site } from './site.entity.ts';
import { syncSiteContacts } from './site-parts.ts';
import { sites } from './sites.ts';

/** The most geofences of one request. */
const MOST_FENCES = 100;

/** Sets contacts of a site: new, changed and removed ones; those that are not named stay. @throws Missing, Denied, Invalid */
export function assignSiteContacts(ctx: Context, path: RecordPath, contacts: readonly ContactInput[]): Promise<Site> {
  return change(ctx, path, 'Site', async (tx, { site }, to) => syncSiteContacts(tx, site, contacts, to));
}

/** Adds a geofence to a site. @throws Missing, Denied, Invalid */
export async function addSiteGeofence(ctx: Context, path: RecordPath, input: RoutingGeofenceInput): Promise<RoutingGeofence> {
  let made: RoutingGeofence | undefined;
  await change(ctx, path, 'RoutingGeofence', async (tx, place, to) => {
    made = await applyGeofence(tx, place, undefined, input, '', to);
    made.siteId = place.site.id;
  });
  return made!;
}

/** Changes an additional geofence, or removes it (`_destroy`). @throws Missing, Denied, Invalid */
export async function updateSiteGeofence(ctx: Context, path: RecordPath & { siteId: string }, input: RoutingGeofenceInput): Promise<void> {
  await change(ctx, { ...path, id: path.siteId }, 'RoutingGeofence', async (tx, place, to) => {
    const known = (await additional(tx, place.site)).get(path.id.toLowerCase());
    if (!known) throw new Missing();
    if (input._destroy) await removeGeofence(tx, known);
    else await applyGeofence(tx, place, known, input, '', to);
  });
}

/**
 * Sets several additional geofences: an id names one to change, `_destroy` removes it, those that are not named stay. @throws Missing,
 * Denied, Invalid
 */
export async function assignSiteGeofences(ctx: Context, path: RecordPath, inputs: readonly RoutingGeofenceInput[]): Promise<void> {
  await change(ctx, path, 'RoutingGeofence', async (tx, place, to) => {
    const known = await additional(tx, place.site);
    if (inputs.length > MOST_FENCES)
      throw new Invalid([{ model: 'RoutingGeofence', field: 'additionalGeofences', key: 'too_many_items', params: { max: MOST_FENCES } }]);
    for (const [i, input] of inputs.entries()) {
      const field = `additionalGeofences.${i}.`;
      const fence = input.id ? known.get(input.id.toLowerCase()) : undefined;
      if (input._destroy) {
        if (fence) await removeGeofence(tx, fence);
        else if (input.id) to.items.push({ model: to.model, field: `${field}id`, key: 'not_of_this_site' });
      } else (await applyGeofence(tx, place, fence, input, field, to)).siteId = place.site.id;
    }
  });
}

/** A change of a site's parts: the site locked, all problems at once, an event of the site. */
function change(
  ctx: Context,
  path: RecordPath,
  model: string,
  work: (tx: TxContext, place: GeofencedSite, to: ErrorCollector) => Promise<void>,
): Promise<Site> {
  return transact(ctx, async (tx) => {
    const site = await lockMaster(tx, sites, path, sites.permissions.edit);
    const moves = (await tx.em.count(MovingSite, { siteId: site.id }, { filters: { tenant: false } })) > 0;
    const to: ErrorCollector = { model, items: [] };
    await work(tx, { site, moves }, to);
    if (to.items.length > 0) throw new Invalid(to.items);
    emitEvent(tx, 'site.updated', site);
    return site;
  });
}

async function additional(tx: TxContext, site: Site): Promise<Map<string, RoutingGeofence>> {
  const geofences = await tx.em.find(RoutingGeofence, { siteId: site.id }, { filters: { tenant: false } });
  return new Map(geofences.map((fence) => [fence.id, fence]));
}
