import { loadsOf } from '../../dispatch/jobs/job-effects.ts';
import { LOAD_STAMPS, type LoadStamp } from '../../dispatch/loads/stamp-load.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import type { JobState, LoadState, OrderState } from '../../dispatch/model/states.ts';
import { lockOrder } from '../../dispatch/orders/order-progress.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** States and times of a job and its loads before automation changed them, as JSON. */
export interface Snapshot {
  state: JobState;
  state_changed_at: string | null;
  driver_day_id: string | null;
  order_state: OrderState;
  /** Whether the rates that apply were noted. */
  rates_noted: boolean;
  loads: {
    id: string;
    state: LoadState;
    needs_review: boolean;
    loaded_inferred: boolean;
    stamps: Record<LoadStamp, string | null>;
  }[];
}

/** Returns a job with its loads and its order as they are, so that what follows from a crossing can be undone. */
export async function snapshotOf(tx: TxContext, job: Job): Promise<Snapshot> {
  const [order] = await queryIn<{ state: OrderState; noted: boolean }>(
    tx.em,
    'select o.state, j.rate_source is not null as noted from job j join orders o on o.id = j.order_id where j.id = $1',
    [job.id],
  );
  return {
    state: job.state,
    state_changed_at: iso(job.stateChangedAt),
    driver_day_id: job.driverDayId ?? null,
    order_state: order!.state,
    rates_noted: order!.noted,
    loads: (await loadsOf(tx, job)).map(({ id, state, doubted, loadedInferred, loadSummary }) => ({
      ...{ id, state, needs_review: doubted, loaded_inferred: loadedInferred },
      stamps: Object.fromEntries(LOAD_STAMPS.map((stamp) => [stamp, iso(loadSummary[stamp])])) as Record<LoadStamp, string | null>,
    })),
  };
}

const iso = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;

/** Puts a locked job, its loads and its order back to what they were. Loads that automation added and nobody drove are removed. */
export async function restore(tx: TxContext, job: Job, before: Snapshot): Promise<void> {
  const known = new Map(before.loads.map((load) => [load.id, load]));
  const moved = (model: 'Job' | 'Load' | 'Order', id: string, from: string, to: string) => {
    if (from !== to) tx.tx.transitions.push({ type: model, id, companyId: job.company.id, event: 'undo', from, to });
  };
  for (const load of await loadsOf(tx, job)) {
    const was = known.get(load.id);
    if (!was) {
      if (load.state === 'created') tx.em.remove(load);
      continue;
    }
    moved('Load', load.id, load.state, was.state);
    Object.assign(load, { state: was.state, doubted: was.needs_review, loadedInferred: was.loaded_inferred });
    for (const stamp of LOAD_STAMPS) load.loadSummary[stamp] = dateOf(was.stamps[stamp]);
  }
  moved('Job', job.id, job.state, before.state);
  Object.assign(job, { state: before.state, stateChangedAt: dateOf(before.state_changed_at), driverDayId: before.driver_day_id });
  emitEvent(tx, 'job.updated', job);
  await tx.em.flush();
  // A job that completed itself had the rates noted that apply then.
  if (!before.rates_noted) await queryIn(tx.em, 'update job set rate_source = null where id = $1 and rate_source is not null', [job.id]);
  await restoreOrder(tx, job, before, moved);
}

/** The first truck that left had started the order; if it is the only one, nobody has left now. The last one that was done had completed it. */
async function restoreOrder(
  tx: TxContext,
  job: Job,
  before: Snapshot,
  moved: (model: 'Order', id: string, from: string, to: string) => void,
): Promise<void> {
  if (before.order_state !== 'accepted' && before.order_state !== 'in_progress') return;
  const order = await lockOrder(tx, job.order.id);
  if (order.state !== 'in_progress' && order.state !== 'completed') return;
  const state = before.order_state === 'accepted' && !(await hasStarted(tx, order.id)) ? 'accepted' : 'in_progress';
  moved('Order', order.id, order.state, state);
  order.state = state;
}

const hasStarted = async (tx: TxContext, orderId: string): Promise<boolean> => {
  const started = await queryIn(
    tx.em,
    `select id from job where order_id = $1 and state not in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled') limit 1`,
    [orderId],
  );
  return started.length > 0;
};

const dateOf = (at: string | null): Date | null => (at === null ? null : new Date(at));
