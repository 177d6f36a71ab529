import type { JobState } from '../../dispatch/model/states.ts';
import { lockArrivals } from '../../files/parked-files.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { isUuid } from '../../platform/ids.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import type { LinkTx } from './link-tx.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** An order that tickets may belong to. */
export interface OrderRow {
  id: string;
  order_id: string;
  external_id: string | null;
  dispatch_number: string | null;
  state: string;
}
/** A job of such an order. */
export interface JobRow {
  id: string;
  order_id: string;
  state: JobState;
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

/** The fields by which tickets name their orders. */
export type Naming = Pick<TicketDraft, 'platformOrderId' | 'orderExternalId' | 'dispatchNumber' | 'serviceDate'>;

/** The names of orders in a batch of tickets. */
interface Names {
  ids: string[];
  numbers: number[];
  externalIds: string[];
  days: { key: string; name: string; start: Date; end: Date }[];
}

/**
 * Returns the orders that the tickets may belong to, locked in the order of their ids: every command that moves loads locks the order
 * first.
 * @param expects tickets without an order will wait for it: orders that are being made at this moment are waited for, so that either the
 * ticket finds the order or the order finds the ticket. If an order is not there, it takes the lock of arrivals as a file does. Orders that
 * get a dispatch number hold its row by their foreign key, and so it is locked here.
 */
export async function lockOrders(tx: LinkTx, tickets: readonly Naming[], expects: boolean): Promise<OrderRow[]> {
  const names = namesIn(tx, tickets);
  const { ids, numbers, externalIds, days } = names;
  if (ids.length + numbers.length + externalIds.length + days.length === 0) return [];
  let found = await find(tx, names);
  if (expects && days.length + externalIds.length > 0) {
    const there = new Set(found.map(({ name }) => name));
    const isMissing = externalIds.some((id) => !there.has(id)) || days.some(({ key }) => !there.has(key));
    if (isMissing) await lockArrivals(tx.query, tx.company.id, 'file');
    if (days.length > 0) await tx.query(LOCK_NUMBERS, [tx.company.id, [...new Set(days.map(({ name }) => name))].sort()]);
    if (isMissing || days.length > 0) found = await find(tx, names);
  }
  if (found.length === 0) return [];
  return tx.query<OrderRow & Record<string, unknown>>(
    namedStatement(`select o.id, o.order_id, o.external_id, o.state, (select d.name from dispatch_number d where d.id = o.dispatch_number_id) as dispatch_number
     from orders o where o.id = any($1::uuid[]) order by o.id for update of o`),
    [[...new Set(found.map(({ id }) => id))]],
  );
}

function namesIn({ company }: LinkTx, tickets: readonly Naming[]): Names {
  const keys = new Set<string>();
  const externalIds = new Set<string>();
  const days = new Map<string, Names['days'][number]>();
  for (const { platformOrderId, orderExternalId, dispatchNumber: name, serviceDate } of tickets) {
    if (platformOrderId !== undefined) keys.add(keyOf(platformOrderId));
    else if (orderExternalId !== undefined) externalIds.add(orderExternalId);
    else if (name !== undefined) {
      const day = localDate(serviceDate, company.timeZone);
      const key = JSON.stringify([name, day]);
      days.set(key, { key, name, ...dayBounds(day, company.timeZone) });
    }
  }
  const all = [...keys];
  return {
    ids: all.filter(isUuid),
    numbers: all.filter((key) => /^[1-9]\d{0,8}$/.test(key)).map(Number),
    externalIds: [...externalIds],
    days: [...days.values()],
  };
}

const find = (tx: LinkTx, { ids, numbers, externalIds, days }: Names) =>
  tx.query<{ id: string; name: string | null }>(NAMED_ORDERS, [tx.company.id, ids, numbers, JSON.stringify(days), externalIds]);

// The locking statement is separate: it finds the orders by their ids, without reading all orders of the company. `offset 0` and `limit 1`
// keep each step an index lookup, because the planner cannot estimate the length of the JSON.
const NAMED_ORDERS = namedStatement(`
select x.id, null as name from orders x where x.company_id = $1 and x.id = any($2::uuid[])
union select x.id, null from orders x where x.company_id = $1 and x.number = any($3::int[])
union select x.id, w.key from json_to_recordset($4::json) w(key text, name text, start timestamptz, "end" timestamptz),
  lateral (select d.id from dispatch_number d where d.company_id = $1 and d.name = w.name offset 0) d,
  lateral (select o.id from orders o where o.dispatch_number_id = d.id and o.company_id = $1 offset 0) x,
  lateral (select from job j where j.order_id = x.id and j.job_start_at >= w.start and j.job_start_at < w."end" limit 1) j
union select x.id, x.external_id from unnest($5::text[]) w(external_id),
  lateral (select o.id, o.external_id from orders o where o.company_id = $1 and o.external_id = w.external_id offset 0) x`);

const LOCK_NUMBERS = namedStatement(
  `select from dispatch_number d where d.company_id = $1 and d.name = any($2::text[]) order by d.name for update of d`,
);

/** Returns the jobs of orders, locked as well, the earliest first. */
export async function lockJobs(tx: LinkTx, orderIds: string[]): Promise<JobRow[]> {
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
