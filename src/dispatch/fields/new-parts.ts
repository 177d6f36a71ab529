import { type Ref, ref } from '@mikro-orm/core';
import { Contact } from '../../directory/contacts/contact.entity.ts';
import type { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { contactValuesOf } from '../../directory/contacts/contacts.ts';
import type { Site } from '../../directory/sites/site.entity.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Phase } from '../model/phase.entity.ts';
import { collectUnusable } from './field-table.ts';
import { CONTACTS, placeOf } from './order-parts.ts';
import type { CreateWaypointInput, PhaseInput } from './part.inputs.ts';
import type { ContactRow, PhaseRow, StopRow } from './write-parts.ts';

/** The parts of a new order or project that have rows of their own. They are written with it (insert-work.ts). */
export interface NewParts {
  contacts: readonly ContactRow[];
  stops: readonly StopRow[];
  phases: readonly PhaseRow[];
}

/**
 * Sets the contacts of a new order or project. Absent ones are kept as they are; null and `_destroy` clear them.
 * @returns their rows, which are written before the record's row
 */
export function newContacts<N extends string>(
  owner: { [K in N]?: Ref<Contact> | null },
  names: readonly N[],
  input: { readonly [K in N]?: ContactInput | null },
  to: ErrorCollector,
): ContactRow[] {
  return names.flatMap((name) => {
    const given = input[name];
    if (given === undefined) return [];
    const isGiven = given !== null && !given._destroy;
    if (isGiven && given.id) to.items.push({ model: to.model, field: `${name}.id`, key: 'not_of_this_order' });
    const row = isGiven && !given.id ? { id: newId(), ...contactValuesOf(given, name, to) } : null;
    Object.assign(owner, { [name]: row && ref(Contact, row.id) });
    return row ?? [];
  });
}

/** Copies the contacts of a project or of another order to a new order, so that each can be changed alone. @returns the rows of the copies */
export async function copyContacts(
  owner: { [K in (typeof CONTACTS)[number]]?: Ref<Contact> | null },
  from: { [K in (typeof CONTACTS)[number]]?: Ref<Contact> | null },
  names: readonly (typeof CONTACTS)[number][] = CONTACTS,
): Promise<ContactRow[]> {
  const rows: ContactRow[] = [];
  for (const name of names) {
    const contact = await from[name]?.load();
    if (!contact) continue;
    const row = { id: newId(), name: contact.name ?? null, email: contact.email ?? null, phone: contact.phone ?? null };
    rows.push(row);
    owner[name] = ref(Contact, row.id);
  }
  return rows;
}

/** The stops of a new route, and their contacts. */
export interface NewRoute {
  routeId: string;
  stops: StopRow[];
  contacts: ContactRow[];
}

/** Makes the rows of a new route. @param sites the caller has loaded them, in the order of the inputs */
export function newStops(
  inputs: readonly CreateWaypointInput[],
  sites: readonly (Site | null | undefined)[],
  to: ErrorCollector,
): NewRoute {
  const routeId = newId();
  const places = new Set<string>();
  const contacts: ContactRow[] = [];
  const stops = inputs.flatMap((input, i) => {
    if (places.has(placeOf(input))) to.items.push({ model: to.model, field: `waypoints.${i}.ordinality`, key: 'stop_taken' });
    places.add(placeOf(input));
    const site = sites[i];
    if (!site) return [];
    collectUnusable(site, `waypoints.${i}.siteId`, to);
    const contact = input.contact ? { id: newId(), ...contactValuesOf(input.contact, `waypoints.${i}.contact`, to) } : null;
    if (contact) contacts.push(contact);
    const { type, ordinality } = input;
    return { id: newId(), route_id: routeId, type, ordinality, site_id: site.id, contact_id: contact?.id ?? null };
  });
  return { routeId, stops, contacts };
}

/** Makes the rows of the phases of a new order or project. At most one of them is primary (SPEC). @param field of the request, for errors */
export function newPhases(inputs: readonly PhaseInput[], to: ErrorCollector, field = 'phases'): PhaseRow[] {
  if (inputs.filter((input) => input.primary && !input._destroy).length > 1) {
    to.items.push({ model: to.model, field, key: 'one_primary_phase' });
    return [];
  }
  return inputs.flatMap((input, i) => {
    const at = field === 'phase' ? 'phase' : `${field}.${i}`;
    if (input.id) to.items.push({ model: to.model, field: `${at}.id`, key: 'not_of_this_order' });
    else if (!input._destroy && !input.name) to.items.push({ model: to.model, field: `${at}.name`, key: 'required' });
    if (input.id || input._destroy || !input.name) return [];
    return { id: newId(), name: input.name, code: input.code ?? null, primary: input.primary ?? false };
  });
}

/** Copies phases of a project or of another order. */
export const copyPhases = (phases: readonly Phase[]): PhaseRow[] =>
  phases.map(({ name, code, primary }) => ({ id: newId(), name, code: code ?? null, primary }));
