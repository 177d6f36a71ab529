import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn, writeIn } from '../../platform/database/sql.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { acceptForVendors } from '../assignment/auto-accept.ts';
import { TRUCKS_OF_ORDER } from '../fields/limits.ts';
import { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import { billingApprovedSql, type OrderJobFacts } from '../model/order.machine.ts';
import { HAULING, NOT_STARTED } from '../model/states.ts';
import { noteRates } from '../pricing/rate-source.ts';
import { addTrucks } from './add-trucks.ts';

/** Adds trucks to an order that is flushed. @returns ids of the jobs */
export async function addTrucksTo(tx: TxContext, order: Order, firstNumber: number, count: number): Promise<string[]> {
  const { loadsPerTruck, jobUnitOfMeasure, jobQuantity } = order;
  const trucks = { orderId: order.id, firstNumber, count, hasVendor: Boolean(order.vendor), loadsPerTruck, jobUnitOfMeasure, jobQuantity };
  const ids = await addTrucks((sql, parameters) => writeIn(tx.em, sql, parameters), [trucks], { now: tx.tx.now, by: viewerOf(tx) });
  // For all others, rates are matched once somebody is assigned (DOMAIN 3.3).
  if (order.driver || order.vendor || order.equipment) noteRates(tx, ids);
  await acceptForVendors(tx, order);
  return ids;
}

/**
 * Counts one more truck of an order, or reports that it has as many as an order may have. The order is locked, so that no two requests take
 * the last place. A canceled truck frees its place, and the count stays within what a client may send.
 */
export async function addOneTruck(tx: TxContext, order: Order, items: ErrorItem[]): Promise<void> {
  const live = await tx.em.count(Job, { order: order.id, state: { $ne: 'canceled' } });
  if (live >= TRUCKS_OF_ORDER)
    items.push({ model: 'Order', field: 'truckCount', key: 'trucks_of_order', params: { limit: TRUCKS_OF_ORDER } });
  order.truckCount = Math.min((order.truckCount ?? 0) + 1, TRUCKS_OF_ORDER);
}

const INACTIVE = `select x.name from orders o cross join lateral (
    select p.name from project p where p.id = o.project_id and p.state = 'inactive'
    union all select m.name from material m where m.id = o.material_id and (m.state = 'inactive' or m.discarded_at is not null)
    union all select s.name from waypoint w join site s on s.id = w.site_id where w.route_id = o.route_id and (s.state = 'inactive' or s.discarded_at is not null)) x
  where o.id = $1 order by x.name limit 1`;

/**
 * Reports that something of an order takes no new work (DOMAIN 1.9): the trucks that it has go on, and people give it no more. Somebody who takes over a load
 * under way is no new work.
 */
export async function collectInactive(tx: TxContext, order: Order, items: ErrorItem[]): Promise<void> {
  const [inactive] = await queryIn<{ name: string }>(tx.em, INACTIVE, [order.id]);
  if (inactive) items.push({ model: 'Order', field: 'truckCount', key: 'order_takes_no_truck', params: { name: inactive.name } });
}

/** Returns the facts about jobs and loads that the order machine's conditions read; call with the order locked. */
export async function jobFactsOf(tx: TxContext, order: Order): Promise<OrderJobFacts> {
  const [facts] = await queryIn<{ started: boolean; hauling: boolean; approved: boolean; discarded: boolean }>(
    tx.em,
    `select exists (select 1 from job j where j.order_id = $1 and not j.state = any($2)) as started,
            exists (select 1 from job j where j.order_id = $1 and j.state = any($3)) as hauling,
            (select ${billingApprovedSql('o')} from orders o where o.id = $1) as approved,
            exists (select 1 from account a where a.id = $4 and a.discarded_at is not null) as discarded`,
    [order.id, NOT_STARTED, HAULING, order.account.id],
  );
  return {
    jobsStarted: facts!.started,
    jobsHauling: facts!.hauling,
    billingApproved: facts!.approved,
    accountDiscarded: facts!.discarded,
  };
}
