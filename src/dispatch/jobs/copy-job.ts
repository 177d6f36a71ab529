import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type Query, queryIn, writeIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayWithJob } from '../access/job.policy.ts';
import { acceptForVendors } from '../assignment/auto-accept.ts';
import { assignToSharedDriver } from '../assignment/copy-crew.ts';
import { validateAssignee } from '../assignment/validate-assignee.ts';
import { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { orderMachine } from '../model/order.machine.ts';
import { Waypoint } from '../model/route.entity.ts';
import { lockOrder } from '../orders/order-progress.ts';
import { noteRates } from '../pricing/rate-source.ts';
import { addTrucks, TERMS } from './add-trucks.ts';

import { addOneTruck, collectInactive } from './order-work.ts';

/** The fields that a copy takes from its original in addition to the terms. Contacts still belong to the order. */
const COPIED = [
  ...Object.keys(TERMS).filter((column) => !column.endsWith('_contact_id')),
  'job_start_at',
  'priority',
  'requested_equipment_type_name',
  'requested_equipment_type_accounting_id',
  'equipment_type_gross_capacity',
  'equipment_type_gross_capacity_unit_of_measure',
  'additional_equipment_ids',
];

/**
 * Adds one more truck to the order, on the terms of this job: same start, loads, stops and rates. Nobody is assigned to it except the
 * order's driver or vendor (D-DISPATCH-36).
 * @throws Missing, Denied without `create_job`, Conflict on a closed order
 */
export function copyJob(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Job, path.id, { companyId: path.companyId });
    mayWithJob(tx, seen, 'create_job');
    const order = await lockOrder(tx, seen.order.id);
    if (orderMachine.isTerminal(order)) throw conflict('Order', order, 'add_job', 'order_closed');
    const original = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    const items: ErrorItem[] = [];
    await collectInactive(tx, order, items);
    if (items.length > 0) throw new Invalid(items);
    const id = await addTruckLike(tx, order, original);
    if (order.driver || order.vendor || order.equipment) noteRates(tx, [id]);
    await acceptForVendors(tx, order);
    await assignToSharedDriver(tx, order, [id], '');
    emitEvent(tx, 'job.created', Object.assign(new Job(), { id, company: order.company }), { copied_from: original.id });
    return { id };
  });
}

/**
 * Adds a truck on the terms of a job of its order, which is locked. It begins with nobody but the order's driver or vendor.
 * @param loads that it is asked for; by default as many as the original
 * @returns the id of the job
 * @throws Invalid when the order has as many trucks as it may, or its driver or vendor cannot take one more
 */
export async function addTruckLike(
  tx: TxContext,
  order: Order,
  original: Job,
  loads: number | null | undefined = original.requestedLoadsCount,
): Promise<string> {
  const query: Query = (sql, parameters) => queryIn(tx.em, sql, parameters);
  // A vendor that hands its job over sees its own jobs of the order only.
  const [last] = await tx.em.find(Job, { order: order.id }, { orderBy: { number: 'desc' }, limit: 1, filters: { tenant: false } });
  const first = (last?.number ?? 0) + 1;
  const items: ErrorItem[] = [];
  await validateAssignee(tx, order, { first, count: 1, later: true }, items, '');
  await addOneTruck(tx, order, items);
  if (items.length > 0) throw new Invalid(items);
  const trucks = {
    orderId: order.id,
    firstNumber: first,
    count: 1,
    hasVendor: Boolean(order.vendor),
    loadsPerTruck: loads ?? order.loadsPerTruck,
    jobUnitOfMeasure: original.unitOfMeasure,
    jobQuantity: original.quantity,
  };
  const [id] = await addTrucks((sql, parameters) => writeIn(tx.em, sql, parameters), [trucks], { now: tx.tx.now, by: viewerOf(tx) });
  const route = original.routeId === order.routeId ? order.routeId : await copyRoute(tx, original);
  const columns = COPIED.join(', ');
  // Fields that were set on the original itself are set on the copy as well. Contacts and phases are those of the order.
  await query(
    `update job set (${columns}, phase_id, own_terms) = (select ${columns},
       (select p.id from phase p where p.id = o.phase_id and p.order_id = o.order_id),
       (select array_agg(x) from unnest(o.own_terms) x where x not like '%_contact_id') from job o where o.id = $2), route_id = $3, requested_loads_count = $4 where id = $1`,
    [id, original.id, route, loads ?? null],
  );
  await query(
    `update load l set unit_of_measure = j.load_unit_of_measure, material_id = j.material_id, phase_id = j.phase_id, foreman_ids = j.foreman_ids,
       material_sell_price = j.material_sell_price, material_buy_price = j.material_buy_price, material_rate_unit_of_measure = j.material_rate_unit_of_measure,
       material_rate_site_id = j.material_rate_site_id, material_rate_supplier_account_id = j.material_rate_supplier_account_id, route_id = j.route_id
     from job j where j.id = l.job_id and j.id = $1`,
    [id],
  );
  return id!;
}

async function copyRoute(tx: TxContext, original: Job): Promise<string> {
  const routeId = newId();
  for (const { companyId, type, ordinality, site, contact } of await tx.em.find(
    Waypoint,
    { routeId: original.routeId },
    { filters: { tenant: false } },
  ))
    tx.em.persist(Object.assign(new Waypoint(), { routeId, companyId, type, ordinality, site, contact }));
  return routeId;
}
