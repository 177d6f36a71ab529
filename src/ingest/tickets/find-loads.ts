import { insertLoads } from '../../dispatch/add-trucks.ts';
import { planOnce } from '../../platform/database/plan-once.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';
import { seenBy } from '../seen.ts';
import type { Trucks } from './find-trucks.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** What a ticket was matched to; without a load it stays `new`. */
export interface Place {
  orderId?: string;
  jobId?: string;
  loadId?: string;
  equipmentId?: string;
  /** `platform_order_id` names no order. */
  unknownOrder?: true;
}

interface OrderRow {
  id: string;
  order_id: string;
  dispatch_number: string | null;
  state: string;
}
interface JobRow {
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

/** A job in one of these takes no further load; see `createLoad`. */
const CLOSED = ['completed', 'ended', 'in_review', 'flagged', 'signed_off', 'paid'];

/**
 * Finds each ticket's load: the order by `platform_order_id`, else jobs by `dispatch_number` that start on the local day of
 * `service_date`; of these the same truck's; of these the earliest load without a ticket; a job with recurring loads gets one more.
 * The orders and jobs stay locked until the batch ends, so that no two tickets take one load, whichever batch they come in.
 */
export async function findLoads(
  tx: BatchTx,
  read: { record: ClaimedRecord; draft: TicketDraft }[],
  trucks: Trucks,
): Promise<Map<ClaimedRecord, Place>> {
  const orders = await lockOrders(tx, read);
  const jobs = await lockJobs(tx, [...new Set(orders.map((order) => order.id))]);
  const senders = read.map(({ record }) => record);
  const seen: Seen = {
    order: await seenBy(
      tx,
      'orders',
      senders,
      orders.map(({ id }) => id),
    ),
    job: await seenBy(
      tx,
      'job',
      senders,
      jobs.map(({ id }) => id),
    ),
  };
  const ofOrder = Map.groupBy(jobs, (job) => job.order_id);
  const byKey = new Map(orders.flatMap((order) => [[order.order_id, order] as const]));
  // An id is never taken for a friendly number: numbers are short.
  for (const order of orders) byKey.set(order.id, order);
  const named = Map.groupBy(
    orders.filter((order) => order.dispatch_number !== null && order.state !== 'canceled'),
    (order) => order.dispatch_number!,
  );
  const places = new Map<ClaimedRecord, Place>();
  const added: { id: string; jobId: string; ordinality: number }[] = [];
  for (const { record, draft } of read) {
    const place: Place = {};
    places.set(record, place);
    const candidates = candidatesOf(tx, record, draft, { byKey, named, ofOrder, seen }, place);
    const truck = trucks(record);
    if (truck.length === 1) place.equipmentId = truck[0]!.equipmentId;
    if (!candidates) continue;
    const driven = candidates.filter((job) =>
      truck.some(
        (one) =>
          job.equipment_ids.includes(one.equipmentId) &&
          // A vendor's own name for a truck only counts on that vendor's jobs, once the job has a vendor.
          (one.accountId === undefined || job.vendor_ids.length === 0 || job.vendor_ids.includes(one.accountId)),
      ),
    );
    if (driven.length === 0) {
      const code = truck.length === 0 ? 'unknown_truck' : 'truck_not_on_order';
      draft.warnings.push({ code, pointer: '/truck_id', given: draft.truckId });
      continue;
    }
    const job = driven.find((one) => one.free.length > 0) ?? driven.find((one) => one.recurring_loads && !CLOSED.includes(one.state));
    if (!job) {
      draft.warnings.push({ code: 'no_load_left', pointer: '/truck_id', given: draft.truckId });
      continue;
    }
    let loadId = job.free.shift();
    if (loadId === undefined) {
      loadId = newId();
      added.push({ id: loadId, jobId: job.id, ordinality: ++job.last });
      const at = { type: 'Load', id: loadId, companyId: tx.company.id };
      tx.event(record, { name: 'load.created', ...at });
      tx.audit(record, { event: 'create', ...at, changes: { job_id: [null, job.id], ordinality: [null, job.last] } });
    }
    const used = truck.find((one) => job.equipment_ids.includes(one.equipmentId));
    Object.assign(place, { orderId: job.order_id, jobId: job.id, loadId, equipmentId: used?.equipmentId });
  }
  await insertLoads((sql, parameters) => tx.query(sql, parameters), added, tx.now);
  return places;
}

interface Known {
  byKey: Map<string, OrderRow>;
  named: Map<string, OrderRow[]>;
  ofOrder: Map<string, JobRow[]>;
  seen: Seen;
}

/** What is there for the sender of a record. */
type Seen = Record<'order' | 'job', Awaited<ReturnType<typeof seenBy>>>;

/** Jobs the ticket may be of; undefined when no order is named or found. */
function candidatesOf(tx: BatchTx, record: ClaimedRecord, draft: TicketDraft, known: Known, place: Place): JobRow[] | undefined {
  if (draft.platformOrderId !== undefined) {
    const order = known.byKey.get(keyOf(draft.platformOrderId));
    if (!order || !known.seen.order(record, order.id)) {
      place.unknownOrder = true;
      return undefined;
    }
    place.orderId = order.id;
    tx.matched(record, { pointer: '/platform_order_id', model: 'Order', id: order.id, by: 'platform_order_id' });
    return (known.ofOrder.get(order.id) ?? []).filter((job) => known.seen.job(record, job.id));
  }
  if (draft.dispatchNumber === undefined) {
    draft.warnings.push({ code: 'no_order_named', pointer: '' });
    return undefined;
  }
  const day = localDate(draft.serviceDate, tx.company.timeZone);
  const jobs = (known.named.get(draft.dispatchNumber) ?? [])
    .flatMap((order) => known.ofOrder.get(order.id) ?? [])
    .filter((job) => known.seen.job(record, job.id))
    .filter((job) => localDate(new Date(job.start), tx.company.timeZone) === day)
    .sort((a, b) => a.start - b.start);
  const orderIds = new Set(jobs.map((job) => job.order_id));
  if (jobs.length === 0) {
    draft.warnings.push({ code: 'unknown_dispatch_number', pointer: '/dispatch_number', given: draft.dispatchNumber });
    return undefined;
  }
  // Of several orders under one number the truck decides.
  if (orderIds.size === 1) {
    place.orderId = jobs[0]!.order_id;
    tx.matched(record, { pointer: '/dispatch_number', model: 'Order', id: place.orderId, by: 'dispatch_number' });
  }
  return jobs;
}

const keyOf = (text: string) => (isUuid(text) ? text.toLowerCase() : text);

/** Orders the tickets may be of, locked in the order of their ids: everybody who moves loads locks the order first. */
async function lockOrders(tx: BatchTx, read: { draft: TicketDraft }[]): Promise<OrderRow[]> {
  const keys = [...new Set(read.flatMap(({ draft }) => (draft.platformOrderId ? keyOf(draft.platformOrderId) : [])))];
  const days = new Map<string, { name: string; start: Date; end: Date }>();
  for (const { draft } of read) {
    if (draft.platformOrderId !== undefined || draft.dispatchNumber === undefined) continue;
    const day = localDate(draft.serviceDate, tx.company.timeZone);
    days.set(JSON.stringify([draft.dispatchNumber, day]), { name: draft.dispatchNumber, ...dayBounds(day, tx.company.timeZone) });
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
    planOnce(`select o.id, o.order_id, o.state, (select d.name from dispatch_number d where d.id = o.dispatch_number_id) as dispatch_number
     from orders o where o.id = any($1::uuid[]) order by o.id for update of o`),
    [ids.map(({ id }) => id)],
  );
}

// A statement of its own: what locks them finds them by their ids, not by reading all orders of the company. `offset 0` and `limit 1`
// keep each step a probe of an index, because nobody can estimate how much the JSON holds.
const NAMED_ORDERS = planOnce(`
select x.id from orders x where x.company_id = $1 and x.id = any($2::uuid[])
union select x.id from orders x where x.company_id = $1 and x.number = any($3::int[])
union select x.id from json_to_recordset($4::json) w(name text, start timestamptz, "end" timestamptz),
  lateral (select d.id from dispatch_number d where d.company_id = $1 and d.name = w.name offset 0) d,
  lateral (select o.id from orders o where o.dispatch_number_id = d.id and o.company_id = $1 offset 0) x,
  lateral (select from job j where j.order_id = x.id and j.job_start_at >= w.start and j.job_start_at < w."end" limit 1) j`);

async function lockJobs(tx: BatchTx, orderIds: string[]): Promise<JobRow[]> {
  if (orderIds.length === 0) return [];
  // A statement of its own: what it sees of loads and tickets must be what others committed before they gave the orders up.
  await tx.query(planOnce(`select 1 from job j where j.order_id = any($1::uuid[]) order by j.id for update of j`), [orderIds]);
  return tx.query<JobRow & Record<string, unknown>>(
    planOnce(`select j.id, j.order_id, j.state, (extract(epoch from j.job_start_at) * 1000)::float8 as start, j.recurring_loads,
       array_remove(array[j.equipment_id] || j.additional_equipment_ids, null)::text[] as equipment_ids,
       array(select a.vendor_account_id::text from job_assignment a where a.job_id = j.id and a.vendor_account_id is not null) as vendor_ids,
       array(select l.id::text from load l where l.job_id = j.id and l.state <> 'canceled'
             and not exists (select 1 from ticket k where k.load_id = l.id) order by l.ordinality, l.id) as free,
       (select greatest(max(l.ordinality), j.last_load_number, 0)::int from load l where l.job_id = j.id) as last
     from job j where j.order_id = any($1::uuid[]) and j.state <> 'canceled' order by j.job_start_at, j.number, j.id`),
    [orderIds],
  );
}
