import { loadsOf } from '../../dispatch/jobs/job-effects.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import type { JobState, LoadState, OrderState } from '../../dispatch/model/states.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { STAMPS, type Stamp } from './decide.ts';

/** States and times of a job and its loads before automation changed them, as JSON. */
export interface Snapshot {
  state: JobState;
  state_changed_at: string | null;
  driver_day_id: string | null;
  order_state: OrderState;
  loads: {
    id: string;
    state: LoadState;
    needs_review: boolean;
    loaded_inferred: boolean;
    stamps: Record<Stamp, string | null>;
  }[];
}

export async function snapshotOf(tx: TxContext, job: Job): Promise<Snapshot> {
  const [order] = await queryIn<{ state: OrderState }>(tx.em, 'select state from orders where id = $1', [job.order.id]);
  return {
    state: job.state,
    state_changed_at: iso(job.stateChangedAt),
    driver_day_id: job.driverDayId ?? null,
    order_state: order!.state,
    loads: (await loadsOf(tx, job)).map(({ id, state, needsReview, loadedInferred, loadSummary }) => ({
      ...{ id, state, needs_review: needsReview, loaded_inferred: loadedInferred },
      stamps: Object.fromEntries(STAMPS.map((stamp) => [stamp, iso(loadSummary[stamp])])) as Record<Stamp, string | null>,
    })),
  };
}

const iso = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;
