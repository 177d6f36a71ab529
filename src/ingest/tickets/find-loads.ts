import { addLoads, type NewLoad } from '../../dispatch/loads/add-loads.ts';
import { JOB_TERMINAL } from '../../dispatch/model/states.ts';
import { newId } from '../../platform/ids.ts';
import { localDate } from '../../platform/time.ts';
import { seenBy } from '../apply/visible-to-sender.ts';
import type { Warning } from '../importer.ts';
import type { Truck, Trucks } from './find-trucks.ts';
import type { LinkTx, Sender } from './link-tx.ts';
import { type JobRow, keyOf, lockJobs, lockOrders, type Naming, type OrderRow } from './lock-jobs.ts';
import type { TicketDraft } from './ticket-draft.ts';

/** The record to which a ticket was matched; without a load it stays `new`. */
export interface Place {
  orderId?: string;
  jobId?: string;
  loadId?: string;
  equipmentId?: string;
  /** `platform_order_id` names no order. */
  unknownOrder?: true;
}

/** A ticket that is matched. What could not be found, or was guessed, is added to its warnings. */
export interface Sought {
  record: Sender;
  draft: Naming & Pick<TicketDraft, 'truckId' | 'warnings'>;
  /** It takes no load that would be a guess: a ticket that waits cannot fail any more, as its sender would want. */
  strict?: boolean;
}

/**
 * Finds each ticket's load. The order is the one of `platform_order_id`, otherwise the one of `order_external_id`; if the ticket has neither,
 * the jobs of the `dispatch_number` that start on the local day of `service_date` are taken. Of these the jobs of the same truck are chosen,
 * and of these the earliest load without a ticket; a job with recurring loads gets one more. Tickets that are looked at together take their loads in the order of
 * their service, as they were hauled: scales export the newest first.
 */
export async function findLoads(tx: LinkTx, read: readonly Sought[], trucks: Trucks, work: Work): Promise<Map<Sender, Place>> {
  const added: NewLoad[] = [];
  const served = read.toSorted((one, other) => one.draft.serviceDate.getTime() - other.draft.serviceDate.getTime());
  const places = new Map(served.map((ticket) => [ticket.record, placeOf(tx, ticket, trucks(ticket.record), work, added)]));
  await addLoads(tx, tx.company.id, added);
  return places;
}

/** The orders and jobs that tickets may belong to, by the names in tickets. */
export interface Work {
  byKey: Map<string, OrderRow>;
  byExternalId: Map<string, OrderRow>;
  named: Map<string, OrderRow[]>;
  ofOrder: Map<string, JobRow[]>;
  seen: Seen;
}

/** The orders and jobs that the sender of a record may see. */
type Seen = Record<'order' | 'job', Awaited<ReturnType<typeof seenBy>>>;

/**
 * Finds and locks the orders and jobs that tickets may belong to, until the batch ends, so that no two tickets take one load, even from
 * different batches. What else tickets name is looked up afterwards: an order that was waited for may have brought it.
 * @param expects orders that are being made are waited for, because a ticket that does not find its order will wait for it
 */
export async function lockWork(tx: LinkTx, read: readonly Sought[], expects: boolean): Promise<Work> {
  const orders = await lockOrders(
    tx,
    read.map(({ draft }) => draft),
    expects,
  );
  const orderIds = orders.map(({ id }) => id);
  const jobs = await lockJobs(tx, orderIds);
  const jobIds = jobs.map(({ id }) => id);
  const senders = read.map(({ record }) => record);
  const seen = { order: await seenBy(tx, 'orders', senders, orderIds), job: await seenBy(tx, 'job', senders, jobIds) };
  const byKey = new Map(orders.map((order) => [order.order_id, order]));
  // An id is never taken for a friendly number: numbers are short.
  for (const order of orders) byKey.set(order.id, order);
  const byExternalId = new Map(orders.flatMap((order) => (order.external_id === null ? [] : [[order.external_id, order] as const])));
  const numbered = orders.filter((order) => order.dispatch_number !== null && order.state !== 'canceled');
  return {
    byKey,
    byExternalId,
    named: Map.groupBy(numbered, (order) => order.dispatch_number!),
    ofOrder: Map.groupBy(jobs, (job) => job.order_id),
    seen,
  };
}

function placeOf(tx: LinkTx, ticket: Sought, trucks: readonly Truck[], known: Work, added: NewLoad[]): Place {
  const place: Place = {};
  const candidates = candidatesOf(tx, ticket, known, place);
  if (trucks.length === 1) place.equipmentId = trucks[0]!.equipmentId;
  const job = candidates && jobOf(ticket, candidates, trucks);
  if (!job) return place;
  const loadId = job.free.shift() ?? addLoad(tx, ticket.record, job, added);
  const used = trucks.find((one) => job.equipment_ids.includes(one.equipmentId));
  return { orderId: job.order_id, jobId: job.id, loadId, equipmentId: used?.equipmentId };
}

/**
 * Returns the job whose load the ticket takes; undefined, with a warning, if the truck drives none, all of its loads have tickets, or it would be
 * a guess that is not wanted.
 */
function jobOf({ draft, strict }: Sought, candidates: readonly JobRow[], trucks: readonly Truck[]): JobRow | undefined {
  const warn = (code: Warning['code']) => void draft.warnings.push({ code, pointer: '/truck_id', given: draft.truckId });
  const driven = candidates.filter((job) => trucks.some((truck) => drives(truck, job)));
  const free = driven.filter((one) => one.free.length > 0);
  const open = free.length > 0 ? free : driven.filter((one) => one.recurring_loads && !JOB_TERMINAL.includes(one.state));
  // Among jobs of one order the earliest is meant; among several orders it is a guess, or nothing decides.
  const orders = new Set([open, driven, candidates].find(({ length }) => length > 0)?.map((job) => job.order_id)).size;
  if (orders > 1)
    draft.warnings.push({ code: 'ambiguous_match', pointer: '/dispatch_number', given: draft.dispatchNumber, used: { found: orders } });
  if (driven.length === 0) warn(trucks.length === 0 ? 'unknown_truck' : 'truck_not_on_order');
  else if (open.length === 0) warn('no_load_left');
  return strict && orders > 1 ? undefined : open[0];
}

/** A vendor's name for a truck counts only on that vendor's jobs, once the job has a vendor. */
const drives = ({ equipmentId, accountId }: Truck, { equipment_ids: equipment, vendor_ids: vendors }: JobRow): boolean =>
  equipment.includes(equipmentId) && (accountId === undefined || vendors.length === 0 || vendors.includes(accountId));

/** @returns the id of one more load of a job with recurring loads */
function addLoad(tx: LinkTx, record: Sender, job: JobRow, added: NewLoad[]): string {
  const load = { id: newId(), jobId: job.id, ordinality: ++job.last, records: tx.recordsOf(record) };
  added.push(load);
  return load.id;
}

/** Returns the jobs that the ticket may belong to; undefined if no order is named or found. */
function candidatesOf(tx: LinkTx, ticket: Sought, known: Work, place: Place): JobRow[] | undefined {
  const { platformOrderId, orderExternalId, dispatchNumber, warnings } = ticket.draft;
  if (platformOrderId !== undefined) {
    const jobs = jobsOfOrder(tx, ticket.record, known.byKey.get(keyOf(platformOrderId)), 'platform_order_id', known, place);
    if (!jobs) place.unknownOrder = true;
    return jobs;
  }
  if (orderExternalId !== undefined) {
    const jobs = jobsOfOrder(tx, ticket.record, known.byExternalId.get(orderExternalId), 'order_external_id', known, place);
    if (!jobs) warnings.push({ code: 'unknown_order', pointer: '/order_external_id', given: orderExternalId });
    return jobs;
  }
  if (dispatchNumber !== undefined) return jobsOfNumber(tx, ticket, dispatchNumber, known, place);
  warnings.push({ code: 'no_order_named', pointer: '' });
  return undefined;
}

/** Returns the jobs of the order that a ticket names; undefined if there is none that its sender sees. */
function jobsOfOrder(
  tx: LinkTx,
  record: Sender,
  order: OrderRow | undefined,
  field: 'platform_order_id' | 'order_external_id',
  known: Work,
  place: Place,
): JobRow[] | undefined {
  if (!order || !known.seen.order(record, order.id)) return undefined;
  place.orderId = order.id;
  tx.matched(record, {
    pointer: `/${field}`,
    model: 'Order',
    id: order.id,
    by: field === 'order_external_id' ? 'external_id' : field,
  });
  return (known.ofOrder.get(order.id) ?? []).filter((job) => known.seen.job(record, job.id));
}

/** Returns the jobs of a dispatch number on the day of the ticket. */
function jobsOfNumber(tx: LinkTx, { record, draft }: Sought, number: string, known: Work, place: Place): JobRow[] | undefined {
  const day = localDate(draft.serviceDate, tx.company.timeZone);
  const jobs = (known.named.get(number) ?? [])
    .flatMap((order) => known.ofOrder.get(order.id) ?? [])
    .filter((job) => known.seen.job(record, job.id))
    .filter((job) => localDate(new Date(job.start), tx.company.timeZone) === day)
    .sort((a, b) => a.start - b.start);
  if (jobs.length === 0) {
    draft.warnings.push({ code: 'unknown_dispatch_number', pointer: '/dispatch_number', given: number });
    return undefined;
  }
  // If the number has several orders, the truck decides.
  if (new Set(jobs.map((job) => job.order_id)).size === 1) {
    place.orderId = jobs[0]!.order_id;
    tx.matched(record, { pointer: '/dispatch_number', model: 'Order', id: place.orderId, by: 'dispatch_number' });
  }
  return jobs;
}
