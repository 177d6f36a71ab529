import { namedStatement } from '../../platform/database/named-statements.ts';
import { isUuid } from '../../platform/ids.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import type { BatchTx } from '../importer.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** An order that tickets may belong to. */
export interface OrderRow {
  id: string;
  order_id: string;
  dispatch_number: string | null;
  state: string;
}
/** A job of such an order. */
export interface JobRow {
  id: string;
  order_id: string;
  state: string;
  /** Milliseconds of the epoch. */
  start: number;
  equipment_ids: string[];
  recurring_loads: boolean;
  vendor_ids: string[];
  /** Loads without a ticket, earliest first. */
  free: string[];
  last: number;
}

/** Returns a `platform_order_id` in the form in which orders have it. */
export const keyOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

/**
 * Returns the orders that the tickets may belong to, locked in the order of their ids: every command that moves loads locks the order
 * first.
 */
export async function lockOrders(tx: BatchTx, tickets: readonly TicketDraft[]): Promise<OrderRow[]> {
  const keys = [...new Set(tickets.flatMap(({ platformOrderId }) => (platformOrderId ? keyOf(platformOrderId) : [])))];
  const days = new Map<string, { name: string; start: Date; end: Date }>();
  for (const { platformOrderId, dispatchNumber: name, serviceDate } of tickets) {
    if (platformOrderId !== undefined || name === undefined) continue;
    const day = localDate(serviceDate, tx.company.timeZone);
    days.set(JSON.stringify([name, day]), { name, ...dayBounds(day, tx.company.timeZone) });
  }
  if (keys.length + days.size === 0) return [];
  const numbers = keys.filter((key) => /^[1-9]\d{0,8}$/.test(key)).map(Number);
  const ids = await tx.query<{ id: string }>(NAMED_ORDERS, [
    tx.company.id,
    keys.filter(isUuid),
    numbers,
    JSON.stringify([...days.values()]),
  ]);
  if (ids.length === 0) return [];
  return tx.query<OrderRow & Record<string, unknown>>(
    namedStatement(`select o.id, o.order_id, o.state, (select d.name from dispatch_number d where d.id = o.dispatch_number_id) as dispatch_number
     from orders o where o.id = any($1::uuid[]) order by o.id for update of o`),
    [ids.map(({ id }) => id)],
  );
}

// The locking statement is separate: it finds the orders by their ids, without reading all orders of the company. `offset 0` and `limit 1`
// keep each step an index lookup, because the planner cannot estimate the length of the JSON.
const NAMED_ORDERS = namedStatement(`
select x.id from orders x where x.company_id = $1 and x.id = any($2::uuid[])
union select x.id from orders x where x.company_id = $1 and x.number = any($3::int[])
union select x.id from json_to_recordset($4::json) w(name text, start timestamptz, "end" timestamptz),
  lateral (select d.id from dispatch_number d where d.company_id = $1 and d.name = w.name offset 0) d,
  lateral (select o.id from orders o where o.dispatch_number_id = d.id and o.company_id = $1 offset 0) x,
  lateral (select from job j where j.order_id = x.id and j.job_start_at >= w.start and j.job_start_at < w."end" limit 1) j`);

/** Returns the jobs of orders, locked as well, the earliest first. */
export async function lockJobs(tx: BatchTx, orderIds: string[]): Promise<JobRow[]> {
  if (orderIds.length === 0) return [];
  // The locking statement is separate, so that the next one sees the loads and tickets that others committed before they released the
  // orders.
  await tx.query(namedStatement(`select 1 from job j where j.order_id = any($1::uuid[]) order by j.id for update of j`), [orderIds]);
  return tx.query<JobRow & Record<string, unknown>>(
    namedStatement(`select j.id, j.order_id, j.state, (extract(epoch from j.job_start_at) * 1000)::float8 as start, j.recurring_loads,
       array_remove(array[j.equipment_id] || j.additional_equipment_ids, null)::text[] as equipment_ids,
       array(select a.vendor_account_id::text from job_assignment a where a.job_id = j.id and a.vendor_account_id is not null) as vendor_ids,
       array(select l.id::text from load l where l.job_id = j.id and l.state <> 'canceled'
             and not exists (select 1 from ticket k where k.load_id = l.id) order by l.ordinality, l.id) as free,
       (select greatest(max(l.ordinality), j.last_load_number, 0)::int from load l where l.job_id = j.id) as last
     from job j where j.order_id = any($1::uuid[]) and j.state <> 'canceled' order by j.job_start_at, j.number, j.id`),
    [orderIds],
  );
}
