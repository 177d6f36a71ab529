import type { TxContext } from '../../platform/commands/transact.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { type Departures, startsOf } from '../assignment/truck-starts.ts';
import { countTrucks, guardTrucks } from '../assignment/vendor-trucks.ts';
import { kept } from '../jobs/overridden-terms.ts';
import { zoneOf } from '../model/company-day.ts';
import { FOLLOWING } from '../model/job.machine.ts';
import type { Order } from '../model/order.entity.ts';
import type { UpdateOrderInput } from './order.inputs.ts';

/** Fields of an order that decide when its trucks start. The first of them that is to blame gets the error. */
export const MOVING = ['loadAt', 'jobStartAt', 'truckDelay', 'trucksPerDelay'] as const;

/** States of jobs that follow their order and are assigned: they count among a vendor's trucks of a day. */
const GIVEN = FOLLOWING.filter((state) => state !== 'created' && state !== 'rejected');

/** An order with the new starts of its trucks. */
export interface MovedOrder extends Departures {
  id: string;
}

/** A vendor's truck that an order moves to another day. */
interface Move {
  orderId: string;
  /** Place of the truck in its order, from 1. */
  number: number;
  vendor: { id: string; name: string; truckCount: number };
  from: string;
  to: string;
}

/** Returns the present fields of an order that decide when its trucks start. */
export const departuresOf = ({ loadAt, jobStartAt, truckDelay, trucksPerDelay }: Order): Departures => ({
  loadAt,
  jobStartAt,
  truckDelay,
  trucksPerDelay,
});

/**
 * Reports vendors without a truck left on the days to which an order's trucks move. It checks the vendors that the owner hired, for each
 * truck that follows the order, like a job that is moved by itself (full-day.ts). The error is put on the field that moves the truck. Call
 * it before the jobs follow.
 * @param before when the trucks were to start
 */
export async function collectFullDays(
  tx: TxContext,
  order: Order,
  before: Departures,
  input: UpdateOrderInput,
  items: ErrorItem[],
): Promise<void> {
  const sent = MOVING.filter((name) => input[name] !== undefined);
  if (sent.length === 0) return;
  const zone = await zoneOf(tx, order.company.id);
  const query: Query = (sql, parameters) => queryIn(tx.em, sql, parameters);
  const moves = await movesOf(query, order.company.id, zone, [order]);
  const full = new Set(await fullAmong(query, zone, moves));
  const moved = { before, after: departuresOf(order) };
  for (const all of Map.groupBy(moves, ({ vendor }) => vendor.id).values()) {
    const { vendor } = all[0]!;
    const params = { name: vendor.name, count: vendor.truckCount };
    const isFull = all.some((move) => full.has(move));
    const meant = isFull ? all.filter((move) => full.has(move)) : all;
    for (const [field, taken] of Map.groupBy(meant, (move) => causeOf(move, moved, zone, sent))) {
      const item: ErrorItem = { model: 'Order', field, key: 'vendor_day_full', params };
      const days = [...new Set(taken.map(({ to }) => to))].map((date) => dayBounds(date, zone));
      if (isFull) items.push(item);
      else guardTrucks(tx, vendor, days, item);
    }
  }
}

/** A day on which a vendor has more work than trucks. */
export interface FullDay {
  orderId: string;
  vendor: string;
  date: string;
  trucks: number;
  /** The field of the order that moves a truck there. */
  field: (typeof MOVING)[number];
}

/**
 * Returns the days to which a company's orders move trucks of vendors that have none left then. An import moves them all the same. Call it
 * before the jobs follow.
 * @param orders as they were and as they are to be
 * @returns one for each order, vendor and day, in the order of the days
 */
export async function fullDaysOf(
  query: Query,
  company: { id: string; timeZone: string },
  orders: readonly { before: Departures; after: MovedOrder }[],
): Promise<FullDay[]> {
  const zone = company.timeZone;
  const moved = new Map(orders.map((order) => [order.after.id, order]));
  const after = orders.map((order) => order.after);
  const full = await fullAmong(query, zone, await movesOf(query, company.id, zone, after));
  const days = new Map<string, FullDay>();
  for (const move of full) {
    const { orderId, vendor, to: date } = move;
    const key = `${orderId} ${vendor.id} ${date}`;
    if (!days.has(key))
      days.set(key, { orderId, vendor: vendor.name, date, trucks: vendor.truckCount, field: causeOf(move, moved.get(orderId)!, zone) });
  }
  return [...days.values()].sort((a, b) => a.date.localeCompare(b.date) || a.vendor.localeCompare(b.vendor));
}

/**
 * Returns the first field without whose change the truck would not start on that day; if it takes several, the first changed one.
 * @param sent fields that may be named
 */
function causeOf(
  { number, to }: Move,
  { before, after }: { before: Departures; after: Departures },
  zone: string,
  sent: readonly FullDay['field'][] = MOVING,
): FullDay['field'] {
  const changed = sent.filter((field) => Number(before[field] ?? 0) !== Number(after[field] ?? 0));
  return changed.find((field) => dayOfTruck({ ...after, [field]: before[field] }, number, zone) !== to) ?? changed[0] ?? sent[0]!;
}

/** Returns the local day on which a truck of an order starts. */
const dayOfTruck = (order: Departures, number: number, zone: string): string => localDate(startsOf(order, number, 1)[0]!, zone);

/** Returns the trucks that orders move to another day, of vendors with a limit. */
async function movesOf(query: Query, companyId: string, zone: string, orders: readonly MovedOrder[]): Promise<Move[]> {
  if (orders.length === 0) return [];
  const byId = new Map(orders.map((order) => [order.id, order]));
  const hired = await query<Hired>(HIRED, [[...byId.keys()], companyId, GIVEN]);
  return hired.flatMap(({ orderId, number, start, ...vendor }) => {
    const from = localDate(new Date(start), zone);
    const to = dayOfTruck(byId.get(orderId)!, number, zone);
    const { vendorId: id, name, truckCount } = vendor;
    return from === to ? [] : [{ orderId, number, vendor: { id, name, truckCount }, from, to }];
  });
}

interface Hired {
  orderId: string;
  vendorId: string;
  name: string;
  truckCount: number;
  number: number;
  start: Date | string;
}

const HIRED = `select t.order_id as "orderId", v.id as "vendorId", v.name, v.truck_count as "truckCount", t.number, t.job_start_at as start
  from job t join job_assignment a on a.job_id = t.id and a.customer_company_id = $2 join account v on v.id = a.vendor_account_id
  where t.order_id = any($1::uuid[]) and t.state = any($3::text[]) and v.truck_count > 0 and not ${kept('t', 'job_start_at')}
  order by a.vendor_account_id, t.number`;

/** Returns the moves to days on which a vendor would have more jobs than trucks once all moves are done. */
async function fullAmong(query: Query, zone: string, moves: readonly Move[]): Promise<Move[]> {
  const days = [...Map.groupBy(moves, ({ vendor, to }) => `${vendor.id} ${to}`).values()];
  const counts = await countTrucks(
    query,
    days.map(([first]) => ({ vendorId: first!.vendor.id, ...dayBounds(first!.to, zone) })),
  );
  return days.flatMap((coming, i) => {
    const { vendor, to } = coming[0]!;
    const going = moves.filter((move) => move.vendor.id === vendor.id && move.from === to).length;
    return counts[i]! - going + coming.length > vendor.truckCount ? coming : [];
  });
}
