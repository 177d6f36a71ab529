import { ref } from '@mikro-orm/core';
import type { Ref } from '@mikro-orm/postgresql';
import type { Contact } from '../../directory/contacts/contact.entity.ts';
import type { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { changeContact, makeContact } from '../../directory/contacts/contacts.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { changePart } from '../../platform/commands/change-part.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { tenantParams } from '../../platform/database/tenant.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { DispatchNumber } from '../model/dispatch-number.entity.ts';
import { Waypoint } from '../model/route.entity.ts';
import { collectUnusable } from './field-table.ts';
import type { CreateWaypointInput, UpdateWaypointInput } from './part.inputs.ts';

export const CONTACTS = ['salesContact', 'foremanContact', 'supervisorContact', 'collaboratorContact'] as const;
type Contacted = { [K in (typeof CONTACTS)[number]]?: Ref<Contact> | null };
type Dated = { updatedAt: Date };

/**
 * Sets, changes or removes (null, or `_destroy`) the four contacts of an order, a job or a project; absent ones are kept.
 * @param lender the record whose contacts the owner uses (a job uses its order's): when changed, they become the owner's own
 */
export async function syncContacts(
  tx: TxContext,
  owner: Contacted & Dated,
  companyId: string,
  input: Partial<Record<keyof Contacted, ContactInput | null>>,
  to: ErrorCollector,
  lender?: Contacted,
): Promise<void> {
  for (const name of CONTACTS) await syncContact(tx, owner, { name, companyId, given: input[name], inheritedId: lender?.[name]?.id }, to);
}

interface GivenContact<N extends string> {
  /** The property of the owner. */
  name: N;
  companyId: string;
  given: ContactInput | null | undefined;
  /** The contact that is used from another record, if any. */
  inheritedId?: string | undefined;
}

/** The same for one contact. */
export async function syncContact<N extends string>(
  tx: TxContext,
  owner: { [K in N]?: Ref<Contact> | null } & Dated,
  { name, companyId, given, inheritedId }: GivenContact<N>,
  to: ErrorCollector,
): Promise<void> {
  if (given === undefined) return;
  const before = owner[name];
  const set = (contact: Ref<Contact> | null) => Object.assign(owner, { [name]: contact });
  if (given === null || given._destroy) {
    set(null);
    return;
  }
  const known = before && (!given.id || before.id === given.id.toLowerCase()) ? await before.load() : null;
  if (given.id && !known) to.items.push({ model: to.model, field: `${name}.id`, key: 'not_of_this_order' });
  else if (known && isSameContact(known, given)) return;
  else if (!known || known.id === inheritedId) set(ref(makeContact(tx.em, companyId, changedContact(known, given), name, to)));
  else changePart(tx, owner, known, () => changeContact(known, given, name, to));
}

/** Returns the known contact with the changes of the input. */
const changedContact = (known: Contact | null | undefined, given: ContactInput): ContactInput => ({
  name: given.name === undefined ? known?.name : given.name,
  email: given.email === undefined ? known?.email : given.email,
  phone: given.phone === undefined ? known?.phone : given.phone,
});

export const placeOf = ({ type, ordinality }: Pick<CreateWaypointInput, 'type' | 'ordinality'>): string => `${type} ${ordinality}`;

/** All places of stops with their sites, in any order. */
const placesOf = (stops: Iterable<Waypoint>): string =>
  [...stops]
    .map((stop) => `${placeOf(stop)} ${stop.site.id}`)
    .sort()
    .join();

/** The id of the route that holds stops after a change, whether they are others than before, and whether they are at other places. */
export interface SyncedStops {
  routeId: string;
  isChanged: boolean;
  isMoved: boolean;
}

interface RouteToSync {
  routeId: string;
  companyId: string;
  /** Makes a copy of the route first, because others use this one; not if nothing changes. */
  copy?: boolean;
  /** How many stops there must be in the end; by default, one. */
  least?: number;
}

/**
 * Changes the waypoints of a route. An input with an id changes that waypoint; one
 * without changes the waypoint of its type and place, or adds one; `_destroy` removes it; those not named are kept. So a bulk change of the
 * pickup, which has no ids, does not leave a job with two. Within a waypoint absent fields are kept, and required ones cannot be cleared.
 */
export async function syncWaypoints(
  tx: TxContext,
  { routeId, companyId, copy = false, least = 1 }: RouteToSync,
  inputs: readonly UpdateWaypointInput[],
  to: ErrorCollector,
): Promise<SyncedStops> {
  // The caller may change the record of the route. Stops of a load that was passed on are those of the company that passed it on.
  const known = await tx.em.find(Waypoint, { routeId }, { orderBy: { ordinality: 'asc' }, filters: { tenant: false } });
  if (await sayNothingNew(tx, known, inputs)) return { routeId, isChanged: false, isMoved: false };
  const before = placesOf(known);
  const own = copy ? newId() : routeId;
  const stops = new Map(known.map((stop) => [stop.id, copy ? copyOf(tx, stop, { routeId: own, companyId }) : stop]));
  const route = { routeId: own, companyId, sites: await sitesOf(tx, companyId, inputs) };
  const named = new Set(inputs.map((input) => input.id?.toLowerCase()));
  const byPlace = new Map([...stops].flatMap(([id, stop]) => (named.has(id) ? [] : [[placeOf(stop), stop]])));
  const touched: Touched[] = [];
  let added = 0;
  for (const [at, input] of inputs.entries()) {
    const id = input.id?.toLowerCase() ?? '';
    const stop = stops.get(id) ?? (input.id || input._destroy ? undefined : stopAt(tx, input, (place) => byPlace.get(place)));
    if (input.id && !stop) to.items.push({ model: to.model, field: `waypoints.${at}.id`, key: 'not_of_this_order' });
    else if (input._destroy) {
      // Without an id there is none to remove.
      if (!stop || !stops.delete(id)) continue;
      if (copy) tx.em.getUnitOfWork().unsetIdentity(stop);
      tx.em.remove(stop);
    } else {
      const written = await writeStop(tx, stop, input, { ...route, at }, to);
      if (!written) continue;
      if (!stop) added++;
      touched.push([at, written]);
    }
  }
  const all = new Set([...stops.values(), ...touched.map(([, stop]) => stop)]);
  collectTaken(all, touched, to);
  if (stops.size + added < least) to.items.push({ model: to.model, field: 'waypoints', key: 'at_least_one' });
  return { routeId: own, isChanged: true, isMoved: placesOf(all) !== before };
}

/** A stop that an input has changed or added, and the place of the input. */
type Touched = [at: number, stop: Waypoint];

/** Copies a stop into another route. */
function copyOf(tx: TxContext, { type, ordinality, site, contact }: Waypoint, into: Pick<RouteToSync, 'routeId' | 'companyId'>): Waypoint {
  const copied = Object.assign(new Waypoint(), { ...into, type, ordinality, site, contact });
  tx.em.persist(copied);
  return copied;
}

interface StopToWrite extends Pick<RouteToSync, 'routeId' | 'companyId'> {
  /** Those that inputs name. */
  sites: ReadonlyMap<string, Site>;
  /** The place of the input. */
  at: number;
}

/** Changes a stop as an input says, or makes one without. @returns undefined if too little is said of a new one */
async function writeStop(
  tx: TxContext,
  stop: Waypoint | undefined,
  input: UpdateWaypointInput,
  { routeId, companyId, sites, at }: StopToWrite,
  to: ErrorCollector,
): Promise<Waypoint | undefined> {
  const report = (field: string, key: string) => to.items.push({ model: to.model, field: `waypoints.${at}.${field}`, key });
  const site = input.siteId ? sites.get(input.siteId.toLowerCase()) : undefined;
  if (input.siteId && !site) report('siteId', 'must_exist');
  if (site && site.id !== stop?.site.id) collectUnusable(site, `waypoints.${at}.siteId`, to);
  for (const field of ['type', 'siteId', 'ordinality'] as const) {
    if (input[field] === null || (!stop && input[field] === undefined)) report(field, 'required');
  }
  if (!stop && (!input.type || !site || typeof input.ordinality !== 'number')) return undefined;
  const target = stop ?? Object.assign(new Waypoint(), { routeId, companyId });
  if (input.type && !(stop && isTypeOf(tx, stop, input.type))) target.type = input.type;
  if (site) target.site = ref(site);
  if (typeof input.ordinality === 'number') target.ordinality = input.ordinality;
  if (input.contact === null) target.contact = null;
  else if (input.contact) {
    // Copies of a route share contacts: what is absent is taken over, and the other copies keep theirs.
    const before = await target.contact?.load();
    const contact = changedContact(before, input.contact);
    if (!isSameContact(before, input.contact)) target.contact = ref(makeContact(tx.em, companyId, contact, `waypoints.${at}.contact`, to));
  }
  if (!stop) tx.em.persist(target);
  return target;
}

/** Collects the inputs whose stops are at the place of another one. */
function collectTaken(stops: Iterable<Waypoint>, touched: readonly Touched[], to: ErrorCollector): void {
  const all = [...stops];
  for (const [at, stop] of touched)
    if (all.some((other) => other !== stop && placeOf(other) === placeOf(stop)))
      to.items.push({ model: to.model, field: `waypoints.${at}.ordinality`, key: 'stop_taken' });
}

/** Returns the sites that inputs name, by their ids, among those that the company and the caller may use. */
async function sitesOf(tx: TxContext, companyId: string, inputs: readonly UpdateWaypointInput[]): Promise<Map<string, Site>> {
  const ids = inputs.flatMap(({ siteId }) => (isUuid(siteId) ? [siteId.toLowerCase()] : []));
  if (ids.length === 0) return new Map();
  const filters = { tenant: tenantParams({ companyIds: [companyId], receivesWork: false, shared: true, siteIds: viewerOf(tx).siteIds }) };
  const found = await tx.em.find(Site, { id: { $in: ids } }, { filters });
  return new Map(found.map((site) => [site.id, site]));
}

/**
 * Whether inputs say of stops only what is so. Clients send a record back as they read it, with one field changed: its stops stay the same rows then, and a
 * job or load goes on to share those of its order.
 */
async function sayNothingNew(tx: TxContext, known: readonly Waypoint[], inputs: readonly UpdateWaypointInput[]): Promise<boolean> {
  for (const { id, _destroy, type, siteId, ordinality, contact } of inputs) {
    const stop = id
      ? known.find((one) => one.id === id.toLowerCase())
      : stopAt(tx, { type, ordinality }, (place) => known.find((one) => placeOf(one) === place));
    if (!stop || _destroy || !isTypeOf(tx, stop, type)) return false;
    if (siteId !== undefined && siteId?.toLowerCase() !== stop.site.id) return false;
    if (ordinality !== undefined && ordinality !== stop.ordinality) return false;
    if (contact !== undefined && !isSameContact(await stop.contact?.load(), contact)) return false;
  }
  return true;
}

/** The stop that an input without an id means. A client of the contract was answered a weigh point where a staging area is, and means that one by it. */
function stopAt(
  tx: TxContext,
  { type, ordinality }: Pick<UpdateWaypointInput, 'type' | 'ordinality'>,
  find: (place: string) => Waypoint | undefined,
): Waypoint | undefined {
  const placeAs = (as: UpdateWaypointInput['type']) => find(placeOf({ type: as, ordinality } as CreateWaypointInput));
  return placeAs(type) ?? (tx.contractWords && type === 'weigh_point' ? placeAs('staging') : undefined);
}

/** Whether a stop is of a type, or none is said. A client of the contract was answered a weigh point where a staging area is. */
const isTypeOf = (tx: TxContext, stop: Waypoint, type: UpdateWaypointInput['type']): boolean =>
  type === undefined || type === stop.type || (tx.contractWords === true && type === 'weigh_point' && stop.type === 'staging');

/** Whether a contact has what is given of it already; no contact has nothing. */
function isSameContact(known: Contact | null | undefined, given: ContactInput | null): boolean {
  if (!known || !given) return !known && !given;
  const fields = ['name', 'email', 'phone'] as const;
  return !given._destroy && fields.every((field) => given[field] === undefined || given[field] === (known[field] ?? null));
}

/** Returns the company's dispatch number of this name, and creates it if it does not exist. Two concurrent requests get the same one. */
export async function dispatchNumberNamed(tx: TxContext, companyId: string, name: string): Promise<DispatchNumber> {
  await queryIn(tx.em, 'insert into dispatch_number (id, company_id, name) values ($1, $2, $3) on conflict (company_id, name) do nothing', [
    newId(),
    companyId,
    name,
  ]);
  return tx.em.findOneOrFail(DispatchNumber, { company: companyId, name });
}
