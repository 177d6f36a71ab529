import { ref } from '@mikro-orm/core';
import { resolveReference } from '../../platform/authz/references.ts';
import { changePart } from '../../platform/commands/change-part.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { Contact } from '../contacts/contact.entity.ts';
import type { ContactInput } from '../contacts/contact.inputs.ts';
import { changeContact, makeContact } from '../contacts/contacts.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import type { MovingSiteInput, RoutingGeofenceInput } from './geofence.inputs.ts';
import { applyGeofence, removeGeofence } from './geofences.ts';
import { MovingSite } from './moving-site.entity.ts';
import type { Site } from './site.entity.ts';

/** Contacts of a site: an id names one to change, without an id it is new, `_destroy` removes; those that are not named stay. */
export async function syncSiteContacts(tx: TxContext, site: Site, inputs: readonly ContactInput[], to: ErrorCollector): Promise<void> {
  const known = new Map(
    (await tx.em.find(Contact, { siteId: site.id }, { filters: { tenant: false } })).map((contact) => [contact.id, contact]),
  );
  for (const [i, input] of inputs.entries()) {
    const field = `contacts.${i}`;
    const contact = input.id ? known.get(input.id.toLowerCase()) : undefined;
    if (input.id && !contact) to.items.push({ model: to.model, field: `${field}.id`, key: 'not_of_this_site' });
    else if (input._destroy) {
      if (contact) tx.em.remove(contact);
    } else {
      const kept = contact ?? makeContact(tx.em, site.company.id, input, field, to);
      if (contact) changePart(tx, site, contact, () => changeContact(contact, input, field, to));
      else kept.siteId = site.id;
      if (!kept.name?.trim() && !kept.email && !kept.phone) to.items.push({ model: to.model, field: `${field}.name`, key: 'required' });
    }
  }
}

/** Which truck a site follows; null and `_destroy` end it. @returns whether it follows one now */
export async function syncMovingSite(
  tx: TxContext,
  site: Site,
  input: MovingSiteInput | null | undefined,
  to: ErrorCollector,
): Promise<boolean> {
  const known = await tx.em.findOne(MovingSite, { siteId: site.id }, { filters: { tenant: false } });
  if (input === undefined) return known !== null;
  if (input === null || input._destroy) {
    if (known) tx.em.remove(known);
    return false;
  }
  if (input.id && input.id.toLowerCase() !== known?.id) to.items.push({ model: to.model, field: 'movingSite.id', key: 'not_of_this_site' });
  const moving = known ?? Object.assign(new MovingSite(), { companyId: site.company.id, siteId: site.id });
  const at = { model: to.model, path: 'movingSite.', companyId: site.company.id, shared: true, items: to.items };
  const equipment = await resolveReference(tx, Equipment, input, 'equipmentId', at);
  if (equipment) moving.equipmentId = equipment.id;
  if (equipment?.discardedAt || equipment?.state === 'inactive')
    to.items.push({ model: to.model, field: 'movingSite.equipmentId', key: 'equipment_unusable' });
  if (equipment === null || !moving.equipmentId) to.items.push({ model: to.model, field: 'movingSite.equipmentId', key: 'required' });
  if (input.pollingIntervalSeconds) moving.pollingIntervalSeconds = input.pollingIntervalSeconds;
  tx.em.persist(moving);
  return true;
}

/** The main geofence of a site; null and `_destroy` remove it. */
export async function syncMainGeofence(
  tx: TxContext,
  site: Site,
  moves: boolean,
  input: RoutingGeofenceInput | null | undefined,
  to: ErrorCollector,
): Promise<void> {
  const known = await site.routingGeofence?.load();
  if (input === null || input?._destroy) {
    site.routingGeofence = null;
    if (known) await removeGeofence(tx, known);
  } else if (input) site.routingGeofence = ref(await applyGeofence(tx, { site, moves }, known, input, 'routingGeofence.', to));
  else if (known?.movingGeofence && !moves)
    // Nothing is left that it could follow.
    to.items.push({ model: to.model, field: 'movingSite', key: 'needs_moving_site' });
}
