import type { Ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { tenantParams } from '../../platform/database/tenant.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { clockTime, isDate, localDate, localToInstant } from '../../platform/time.ts';
import { mayAssignNew, mayCopyOrder } from '../access/order.policy.ts';
import { handsOf } from '../assignment/copy-crew.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { collectUnusable, PEOPLE } from '../fields/field-table.ts';
import { TRUCKS_OF_ORDER } from '../fields/limits.ts';
import { copyContacts, copyPhases } from '../fields/new-parts.ts';
import { zoneOf } from '../model/company-day.ts';
import { Order } from '../model/order.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import { Waypoint } from '../model/route.entity.ts';
import type { CopyOrderInput } from './order.inputs.ts';
import { expectArrivals } from './order-arrival.ts';
import { sendTrucksOf, writeOrder } from './place-order.ts';

/** Fields that a copy does not take over: what happened to the original, and what must be unique. */
const OWN = [
  'id',
  'createdAt',
  'updatedAt',
  'version',
  'number',
  'orderId',
  'state',
  'heldFrom',
  'externalId',
  'rejectReason',
  'rejectedBy',
  'rejectedAt',
  'routeId',
];

/** Relations of a new order, which must not be discarded or inactive. */
const USED = [
  'account',
  'project',
  'service',
  'serviceClass',
  'material',
  'equipment',
  'equipmentType',
  'customerRate',
  'vendorRate',
  'driverRate',
  'materialRateSite',
  'materialRateSupplierAccount',
] as const;

/**
 * Copies an order (DOMAIN 1.1): same terms, same local time, on another day; closed orders are repeated in this way. With assignees, each
 * truck goes to the driver or vendor that had the truck of the same place (D-DISPATCH-37).
 */
export function copyOrder(ctx: Context, path: RecordPath, input: CopyOrderInput): Promise<Order> {
  return transact(ctx, async (tx) => {
    const original = await find(tx, Order, path.id, { companyId: path.companyId, readable: true });
    mayCopyOrder(tx, original);
    if (original.dispatchNumber) await expectArrivals(setTxOf(tx), original.company.id);
    const { companyIds, receivesWork } = viewerOf(tx);
    const waypoints = await tx.em.find(
      Waypoint,
      { routeId: original.routeId },
      {
        populate: ['site'],
        orderBy: { ordinality: 'asc' },
        // All stops of a visible order are copied: shared sites, and for people who are limited to some sites the others, too.
        filters: { tenant: tenantParams({ companyIds, receivesWork, shared: true }) },
      },
    );
    const items = await unusable(original, waypoints, input);
    const companyId = original.company.id;
    const times = timesOn(input.date, original, await zoneOf(tx, companyId));
    if (!times) items.push({ model: 'Order', field: 'date', key: 'date_invalid' });
    if (items.length > 0) throw new Invalid(items);
    const order = new Order();
    const meta = tx.em.getMetadata().get(Order);
    for (const name of Object.keys(meta.properties)) {
      if (!OWN.includes(name)) (order as unknown as Record<string, unknown>)[name] = (original as unknown as Record<string, unknown>)[name];
    }
    Object.assign(order, times);
    await leaveOut(tx, order);
    // One all of whose trucks were deleted is copied with one.
    order.truckCount = input.truckCount ?? (original.truckCount || 1);
    if (!input.includeAssignee) Object.assign(order, { driver: null, sharedDriver: null, vendor: null });
    else if (order.driver || order.sharedDriver || order.vendor) mayAssignNew(tx);
    // An order from before the limit may have more trucks than a new one.
    if ((order.truckCount ?? 1) > TRUCKS_OF_ORDER)
      items.push({ model: 'Order', field: 'truckCount', key: 'trucks_of_order', params: { limit: TRUCKS_OF_ORDER } });
    const hands = input.includeAssignee ? await handsOf(tx, original) : [];
    const given = new Set([...hands.keys()].filter((place) => hands[place]));
    await validateAssignee(tx, order, { first: 1, count: order.truckCount ?? 1, given }, items);
    if (items.length > 0) throw new Invalid(items);
    const routeId = newId();
    const parts = {
      contacts: await copyContacts(order, original),
      stops: waypoints.map(({ type, ordinality, site, contact }) => ({
        ...{ id: newId(), route_id: routeId, type, ordinality },
        ...{ site_id: site.id, contact_id: contact?.id ?? null },
      })),
      phases: copyPhases(await tx.em.find(Phase, { orderId: original.id })),
    };
    order.routeId = routeId;
    await writeOrder(tx, order, parts, { copied_from: original.id });
    await sendTrucksOf(tx, order, hands);
    return order;
  });
}

/** Reports relations of the copy that take no new work any more (DOMAIN 1.9). */
async function unusable(original: Order, waypoints: readonly Waypoint[], input: CopyOrderInput): Promise<ErrorItem[]> {
  const to: ErrorCollector = { model: 'Order', items: [] };
  const used = Object.fromEntries(USED.map((name) => [`${name}Id`, original[name]]));
  const assignee = input.includeAssignee ? { driverId: original.driver, vendorId: original.vendor } : {};
  for (const [field, reference] of Object.entries({ ...used, ...assignee })) {
    const record = await (reference as Ref<Account> | null | undefined)?.load();
    if (record) collectUnusable(record, field, to);
  }
  for (const [i, { site }] of waypoints.entries()) collectUnusable(site.getEntity(), `waypoints.${i}.siteId`, to);
  return to.items;
}

/** Removes people who have left, because they cannot be added to new work. */
async function leaveOut(tx: TxContext, order: Order): Promise<void> {
  const ids = [...PEOPLE.flatMap((list) => order[list]), ...(order.requester ? [order.requester.id] : [])];
  const gone = new Set(
    (await tx.em.find(User, { id: { $in: ids }, discardedAt: { $ne: null } }, { filters: { tenant: false } })).map(({ id }) => id),
  );
  for (const list of PEOPLE) order[list] = order[list].filter((id) => !gone.has(id));
  if (order.requester && gone.has(order.requester.id)) order.requester = null;
}

type Times = Pick<Order, 'loadAt' | 'jobStartAt'>;

/** Returns when the copy loads and starts; undefined for an invalid day, or one beyond the calendar's end. */
function timesOn(date: string | null | undefined, { loadAt, jobStartAt }: Times, zone: string): Times | undefined {
  if (!date) return { loadAt, jobStartAt };
  if (!isDate(date)) return undefined;
  const moved = { loadAt: sameTimeOn(date, loadAt, loadAt, zone), jobStartAt: jobStartAt && sameTimeOn(date, jobStartAt, loadAt, zone) };
  return moved.loadAt && (moved.jobStartAt || !jobStartAt) ? (moved as Times) : undefined;
}

/**
 * Returns the same local time on another day, to the second; a start on the day after the load date stays on the day after. On the same day it is the
 * same instant, which matters in the hour that is there twice. Undefined outside of the calendar.
 */
function sameTimeOn(date: string, instant: Date, anchor: Date, zone: string): Date | undefined {
  const from = localDate(instant, zone);
  const days = Math.round((Date.parse(from) - Date.parse(localDate(anchor, zone))) / 86_400_000);
  const day = new Date(Date.parse(date) + days * 86_400_000).toISOString().replace(/T.*/, '');
  if (day === from) return instant;
  // Zones differ from UTC by whole minutes.
  const seconds = instant.toISOString().slice(-8, -1);
  return localToInstant(`${day}T${clockTime(instant, zone)}${seconds}`, zone);
}
