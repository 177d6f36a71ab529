import type { Departures } from '../../dispatch/assignment/truck-starts.ts';
import { followOrders, type KeptOnJob } from '../../dispatch/orders/follow-orders.ts';
import { fullDaysOf, MOVING } from '../../dispatch/orders/moved-order.ts';
import { decidesRates, noteFollowing } from '../../dispatch/pricing/rate-source.ts';
import type { Change } from '../apply/change.ts';
import type { BatchTx } from '../importer.ts';
import { fieldOf } from '../payload/sent-fields.ts';
import type { Item } from './order-item.ts';

/** What a payload changes of the order it matched. */
export interface OrderChange {
  item: Item;
  change: Change;
}

/** Brings what changed on orders to their jobs that have not left yet, and tells the senders what came of it there. */
export async function bringToJobs(tx: BatchTx, changes: readonly OrderChange[]): Promise<void> {
  const { query } = tx;
  await warnOfFullDays(tx, changes);
  const stayed = await followOrders(
    query,
    changes.flatMap(({ change }) => {
      const columns = [...Object.keys(change.set), ...(change.audit.waypoints ? ['route_id'] : [])];
      return columns.length > 0 ? [{ id: change.known.id, columns }] : [];
    }),
    tx.now,
  );
  for (const { change } of changes) warnOfKeptOnJobs(change, stayed);
  await noteFollowing(
    query,
    changes.flatMap(({ change, item }) => (item.existing!.noted && decidesRates(Object.keys(change.audit)) ? [change.known.id] : [])),
  );
}

/** Jobs on which somebody set something themselves do not follow their order; one warning for each field that they keep. */
function warnOfKeptOnJobs({ known, record, warnings }: Change, stayed: readonly KeptOnJob[]): void {
  const jobs = new Map<string, string[]>();
  for (const { orderId, jobId, columns } of stayed)
    if (orderId === known.id)
      for (const column of columns) {
        const field = column === 'route_id' ? 'sites' : fieldOf(column).slice(1);
        jobs.set(field, [...(jobs.get(field) ?? []), jobId]);
      }
  for (const [field, kept] of jobs)
    warnings.push({ code: 'job_edit_kept', pointer: `/${field}`, given: record.payload[field], used: { jobs: kept } });
}

/** An import moves work as its sender does; where that is more than a vendor has trucks on a day, somebody must see to it. */
async function warnOfFullDays({ query, company }: BatchTx, changes: readonly OrderChange[]): Promise<void> {
  const moved = changes.filter(
    ({ item, change }) => item.draft.state !== 'canceled' && MOVING.some((field) => COLUMN[field] in change.set),
  );
  const full = await fullDaysOf(
    query,
    company,
    moved.map(({ change: { known, set } }) => ({
      before: departuresOf(known.columns),
      after: { id: known.id, ...departuresOf({ ...known.columns, ...set }) },
    })),
  );
  const days = Map.groupBy(full, ({ orderId }) => orderId);
  for (const { change } of moved)
    for (const { vendor, date, trucks, field } of days.get(change.known.id) ?? []) {
      const given = change.record.payload[COLUMN[field]];
      change.warnings.push({ code: 'vendor_day_full', pointer: `/${COLUMN[field]}`, given, used: { vendor, date, trucks } });
    }
}

/** Columns by which trucks start, and what a payload calls them. */
const COLUMN = { loadAt: 'load_at', jobStartAt: 'job_start_at', truckDelay: 'truck_delay', trucksPerDelay: 'trucks_per_delay' } as const;

function departuresOf({ load_at, job_start_at, truck_delay, trucks_per_delay }: Readonly<Record<string, unknown>>): Departures {
  const at = (value: unknown) => new Date(String(value));
  const whole = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    loadAt: at(load_at),
    jobStartAt: job_start_at ? at(job_start_at) : null,
    truckDelay: whole(truck_delay),
    trucksPerDelay: whole(trucks_per_delay),
  };
}
