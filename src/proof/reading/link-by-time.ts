import { ref } from '@mikro-orm/core';
import { Load } from '../../dispatch/model/load.entity.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import type { Ticket } from '../ticket.entity.ts';

/** Minutes by which the clock of a scale may be wrong. */
const SCALE_CLOCK = 5;

// The loads of a job that lack a ticket and were under way at a moment.
const FITTING = `select l.id from load l
  where l.job_id = $1 and l.state not in ('created', 'canceled') and l.approved_at is null
    and not exists (select from ticket k where k.load_id = l.id and k.voided_at is null)
    and l.summary_arrived_pickup_at <= $2::timestamptz + ${SCALE_CLOCK} * interval '1 minute'
    and coalesce(l.summary_load_completed_at, present_time()) >= $2::timestamptz - ${SCALE_CLOCK} * interval '1 minute'
  limit 2`;

/**
 * Links a picture that came without a load to the one load of its job that was under way when the ticket was served (PROOF A4). If several fit,
 * or none, a person decides. The order must be locked.
 */
export async function linkByTime({ query }: SetTx, ticket: Ticket): Promise<void> {
  const sent = ticket.source === 'driver_app' || ticket.source === 'agent';
  if (!sent || ticket.state !== 'pending' || !ticket.job || ticket.load || !ticket.serviceDate) return;
  const [load, another] = await query<{ id: string }>(FITTING, [ticket.job.id, ticket.serviceDate.toISOString()]);
  if (load && !another) ticket.load = ref(Load, load.id);
}
