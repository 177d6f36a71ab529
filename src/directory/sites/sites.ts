import { ref } from '@mikro-orm/core';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { changePart } from '../../platform/commands/change-part.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Denied, type ErrorCollector, Invalid } from '../../platform/errors.ts';
import { addressLine, changeAddress, makeAddress } from '../contacts/addresses.ts';
import type { MasterKind } from '../master-data/master-data.ts';
import { Department } from '../master-data/named.entities.ts';
import { nameOf } from '../master-data/named-kinds.ts';
import { giveExternalId } from '../master-data/taken.ts';
import { Site } from './site.entity.ts';
import type { CreateSiteInput, UpdateSiteInput } from './site.inputs.ts';
import { isAt, moveCircles } from './site-circles.ts';
import { syncMainGeofence, syncMovingSite, syncSiteContacts } from './site-parts.ts';

/** The rules of sites. */
export const sites: MasterKind<Site, CreateSiteInput, UpdateSiteInput> & { entity: typeof Site } = {
  entity: Site,
  event: 'site',
  matchedBy: ['externalId'],
  permissions: { create: 'create_site', edit: 'edit_site', delete: 'delete_site' },
  async fill(tx, site, input) {
    // A caller who is limited to some sites would make one that they cannot see.
    if (site.name === undefined && viewerOf(tx).siteIds) throw new Denied('create_site', 'permission_beyond_sites');
    const to: ErrorCollector = { model: 'Site', items: [] };
    await applySiteFields(tx, site, input, to);
    if (to.items.length > 0) throw new Invalid(to.items);
  },
};

async function applySiteFields(tx: TxContext, site: Site, input: CreateSiteInput | UpdateSiteInput, to: ErrorCollector): Promise<void> {
  if (input.name === null) to.items.push({ model: 'Site', field: 'name', key: 'required' });
  else if (input.name !== undefined) site.name = nameOf(input.name, 'Site', to.items);
  if (input.siteType !== undefined) site.siteType = input.siteType ?? 'Other';
  if (input.notes !== undefined) site.notes = input.notes || null;
  await giveExternalId(tx, 'site', site, input.externalId, to);
  const at = { model: 'Site', companyId: site.company.id, items: to.items };
  const department = await resolveReference(tx, Department, input, 'departmentId', at);
  if (department?.discardedAt) to.items.push({ model: 'Site', field: 'departmentId', key: 'must_exist' });
  if (department !== undefined) site.department = department && ref(department);
  const before = { lat: site.lat, lon: site.lon };
  await placeSite(tx, site, input, to);
  await moveCircles(tx, site, before);
  if (input.contacts) await syncSiteContacts(tx, site, input.contacts, to);
  const moves = await syncMovingSite(tx, site, input.movingSite, to);
  await syncMainGeofence(tx, site, moves, input.routingGeofence, to);
}

/** Sets address and coordinates: missing ones are derived from each other. */
async function placeSite(tx: TxContext, site: Site, input: CreateSiteInput | UpdateSiteInput, to: ErrorCollector): Promise<void> {
  const { address } = input;
  if (address !== undefined) {
    const known = await site.address?.load();
    const line = known ? addressLine(known) : null;
    const before = { lat: known?.lat, lon: known?.lon };
    if (address === null || ('_destroy' in address && address._destroy)) site.address = null;
    else if (known) changePart(tx, site, known, () => changeAddress(known, address, 'address', to));
    else site.address = ref(makeAddress(tx.em, site.company.id, address, 'address', to));
    const now = await site.address?.load();
    // A text that somebody wrote stays; a text that was composed follows the address.
    if (!site.fullAddress || site.fullAddress === line) site.fullAddress = now ? addressLine(now) : null;
    // Coordinates that somebody set on the site are kept, too.
    if (now?.lat && now.lon && input.lat === undefined && input.lon === undefined && (!site.lat || isAt(site, before))) {
      site.lat = now.lat;
      site.lon = now.lon;
    }
  }
  if (input.fullAddress !== undefined) site.fullAddress = input.fullAddress?.trim() || null;
  if (input.lat !== undefined) site.lat = input.lat;
  if (input.lon !== undefined) site.lon = input.lon;
  for (const [given, other] of [
    ['lat', 'lon'],
    ['lon', 'lat'],
  ] as const)
    if (site[given] && !site[other]) to.items.push({ model: 'Site', field: other, key: 'one_coordinate' });
  site.routable = Boolean(site.lat && site.lon);
}
