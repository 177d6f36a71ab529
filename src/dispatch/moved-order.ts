import { Account } from '../directory/account.entity.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import type { ErrorItem } from '../platform/errors.ts';
import { dayBounds, localDate } from '../platform/time.ts';
import { zoneOf } from './company-day.ts';
import { FOLLOWING } from './follow-orders.ts';
import type { Order } from './order.entity.ts';
import type { UpdateOrderInput } from './order.inputs.ts';
import { kept } from './own-terms.ts';
import { trucksOfDay, trucksOn } from './pass-on.ts';
import { startsOf } from './truck-starts.ts';
import { guardTrucks } from './vendor-trucks.ts';

/** Fields of an order by which its trucks start, the one that is told first. */
const MOVING = ['loadAt', 'jobStartAt', 'truckDelay', 'trucksPerDelay'] as const;
/** The same as columns. */
export const MOVING_COLUMNS: readonly string[] = ['load_at', 'job_start_at', 'truck_delay', 'trucks_per_delay'];

/** Jobs that follow their order and are with somebody: what a vendor's trucks of a day are counted by. */
const GIVEN = FOLLOWING.filter((state) => state !== 'created' && state !== 'rejected');

interface Hired {
  vendorId: string;
  number: number;
  start: Date | string;
}

/**
 * What speaks against an order whose trucks start on other days now: the vendors that its owner hired need to have a truck then, for each
 * that follows the order, as for a job that is moved by itself (full-day.ts). Call before the jobs follow.
 */
export async function tellFullDays(tx: TxContext, order: Order, input: UpdateOrderInput, items: ErrorItem[]): Promise<void> {
  const field = MOVING.find((name) => input[name] !== undefined);
  if (!field) return;
  const zone = await zoneOf(tx, order.company.id);
  const hired = await queryIn<Hired>(tx.em, HIRED, [order.id, order.company.id, GIVEN]);
  const moves = hired.map(({ vendorId, number, start }) => ({
    vendorId,
    from: localDate(new Date(start), zone),
    to: localDate(startsOf(order, number, 1)[0]!, zone),
  }));
  for (const [vendorId, all] of Map.groupBy(moves, (move) => move.vendorId)) {
    const dates = [...new Set(all.flatMap(({ from, to }) => (from === to ? [] : [to])))];
    if (dates.length === 0) continue;
    const vendor = await tx.em.findOneOrFail(Account, vendorId, { filters: { tenant: false } });
    const days = dates.map((date) => dayBounds(date, zone));
    const params = { name: vendor.name, count: vendor.truckCount };
    const full: ErrorItem = { model: 'Order', field, key: 'vendor_day_full', params };
    const counts = await trucksOn(tx, vendor, days);
    const on = (date: string, side: 'from' | 'to') => all.filter((move) => move[side] === date).length;
    if (dates.some((date, i) => counts[i]! - on(date, 'from') + on(date, 'to') > vendor.truckCount)) items.push(full);
    else guardTrucks(tx, vendor, days, full);
  }
}

const HIRED = `select a.vendor_account_id as "vendorId", t.number, t.job_start_at as start
  from job t join job_assignment a on a.job_id = t.id and a.customer_company_id = $2 join account v on v.id = a.vendor_account_id
  where t.order_id = $1 and t.state = any($3::text[]) and v.truck_count > 0 and not ${kept('t', 'job_start_at')}
  order by a.vendor_account_id, t.number`;

/** A day on which a vendor has more work than trucks. */
export interface FullDay {
  orderId: string;
  vendor: string;
  date: string;
  trucks: number;
}

/** Days on which vendors have more work than trucks, trucks of these orders of a company among it: for an import, which moves them all the same. */
export async function fullDaysOf(
  query: (sql: string, parameters: unknown[]) => Promise<unknown>,
  orderIds: readonly string[],
): Promise<FullDay[]> {
  return orderIds.length === 0 ? [] : ((await query(FULL, [orderIds, GIVEN])) as FullDay[]);
}

const FULL = `with d as (
    select j.order_id, v.id as vendor, v.name, v.truck_count, c.time_zone, (j.job_start_at at time zone c.time_zone)::date as date
    from job j join company c on c.id = j.company_id join job_assignment a on a.job_id = j.id and a.customer_company_id = j.company_id
    join account v on v.id = a.vendor_account_id
    where j.order_id = any($1::uuid[]) and j.state = any($2::text[]) and v.truck_count > 0
    group by 1, 2, 3, 4, 5, 6)
  select d.order_id as "orderId", d.name as vendor, d.date::text as date, d.truck_count as trucks from d
  where ${trucksOfDay('d.vendor', 'd.date::timestamp at time zone d.time_zone', '(d.date + 1)::timestamp at time zone d.time_zone')} > d.truck_count
  order by d.date, d.name`;
