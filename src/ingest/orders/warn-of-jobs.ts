import type { Departures } from '../../dispatch/assignment/truck-starts.ts';
import type { KeptOnJob } from '../../dispatch/orders/follow-orders.ts';
import { fullDaysOf, MOVING } from '../../dispatch/orders/moved-order.ts';
import type { Change } from '../apply/change.ts';
import type { BatchTx } from '../importer.ts';
import { fieldOf } from '../payload/sent-fields.ts';
import type { Item } from './order-item.ts';

/** The changes of a payload to the order it matched. */
export interface OrderChange {
  item: Item;
  change: Change;
}

/** Fields that somebody set on a job itself do not follow the order. Adds one warning for each field that jobs keep. */
export function warnOfKeptOnJobs({ known, record, warnings }: Change, stayed: readonly KeptOnJob[]): void {
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

/** An import moves work as its sender asks. If a vendor then has more jobs than trucks on a day, the sender gets a warning. */
export async function warnOfFullDays({ query, company }: BatchTx, changes: readonly OrderChange[]): Promise<void> {
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

/** Columns that decide when trucks start, by their names in payloads. */
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
