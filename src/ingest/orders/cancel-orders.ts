import { cancelLoadsOf } from '../../dispatch/loads/cancel-loads.ts';
import { jobMachine } from '../../dispatch/model/job.machine.ts';
import { loadMachine } from '../../dispatch/model/load.machine.ts';
import { JOB_TERMINAL, orderMachine } from '../../dispatch/model/order.machine.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';
import type { Item } from './order-item.ts';

const MACHINES = { Order: orderMachine, Job: jobMachine, Load: loadMachine };

interface CanceledJob {
  id: string;
  orderId: string;
  /** Before they were canceled. */
  state: string;
  /** As PostgreSQL writes it. */
  stateChangedAt: string | null;
  pausedAt: string | null;
}

/**
 * The cancel event of orders with its effects (DOMAIN 1.1): open jobs and loads go with them. Leaves the trace a person's cancel
 * leaves: transitions, outbox, audit and job events of every job and load.
 */
export async function cancelOrders(tx: BatchTx, items: Item[]): Promise<void> {
  if (items.length === 0) return;
  const ids = items.map((item) => item.existing!.id);
  await tx.query(
    `update orders set state = 'canceled', held_from = null, updated_at = $2, version = version + 1 where id = any($1::uuid[])`,
    [ids, tx.now],
  );
  const jobs = await tx.query<CanceledJob>(
    `with open as (
       select id, state, state_changed_at, paused_at from job where order_id = any($1::uuid[]) and state <> all($2::text[]) order by id for update),
     canceled as (
       update job j set state = 'canceled', state_changed_at = $3::timestamptz, paused_at = null, updated_at = $3::timestamptz, version = j.version + 1
       from open where open.id = j.id
       returning j.id, j.order_id, j.number, open.state, open.state_changed_at, open.paused_at)
     select id, order_id as "orderId", state, state_changed_at as "stateChangedAt", paused_at as "pausedAt" from canceled order by order_id, number`,
    [ids, JOB_TERMINAL, tx.now],
  );
  const loads = await cancelLoadsOf(
    (sql, parameters) => tx.query(sql, parameters),
    jobs.map((job) => job.id),
    tx.now,
  );
  const recordOf = new Map(items.map((item) => [item.existing!.id, item.record]));
  const events: object[] = [];
  for (const { record, existing } of items) trace(tx, record, 'Order', { id: existing!.id, state: existing!.state });
  for (const job of jobs) {
    const record = recordOf.get(job.orderId)!;
    for (const load of loads.get(job.id) ?? []) {
      trace(tx, record, 'Load', load);
      events.push(jobEvent(tx, record, job.id, 'LoadCanceled', job.state, load.id));
    }
    trace(tx, record, 'Job', job, {
      state_changed_at: [instant(job.stateChangedAt), tx.now],
      ...(job.pausedAt ? { paused_at: [instant(job.pausedAt), null] } : {}),
    });
    events.push(jobEvent(tx, record, job.id, 'OrderCanceled', 'canceled', null));
  }
  await insertRows(tx.em, 'job_event', events);
}

const instant = (text: string | null) => (text === null ? null : new Date(text));

/** Transition, outbox and audit row of one canceled record. */
function trace(
  tx: BatchTx,
  record: ClaimedRecord,
  type: 'Order' | 'Job' | 'Load',
  before: { id: string; state: string },
  changes: Record<string, [unknown, unknown]> = {},
): void {
  const at = { type, id: before.id, companyId: tx.company.id };
  tx.transition(record, { ...at, event: 'cancel', from: before.state, to: 'canceled' });
  const payload = { previous_state: before.state, state: 'canceled', state_event: 'cancel' };
  tx.event(record, { ...at, name: MACHINES[type].eventName('cancel'), payload });
  tx.audit(record, { ...at, event: 'update', changes: { state: [before.state, 'canceled'], ...changes } });
}

function jobEvent(tx: BatchTx, { createdBy }: ClaimedRecord, jobId: string, name: string, state: string, loadId: string | null): object {
  return {
    id: newId(),
    created_at: tx.now,
    updated_at: tx.now,
    occurred_at: tx.now,
    company_id: tx.company.id,
    job_id: jobId,
    load_id: loadId,
    event_name: name,
    state,
    event_source: 'automation',
    created_by_type: createdBy.type,
    created_by_id: createdBy.id,
    created_by_name: createdBy.name,
  };
}
