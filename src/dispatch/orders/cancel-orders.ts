import type { AuditRecord } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { cancelJobs, openJobsOf } from '../jobs/cancel-jobs.ts';
import type { InNameOf } from '../jobs/job-effects.ts';
import { type OrderJobFacts, orderMachine } from '../model/order.machine.ts';
import type { OrderState } from '../model/states.ts';

/** A locked order that is to be canceled. */
export interface OrderToCancel {
  id: string;
  companyId: string;
  state: OrderState;
  heldFrom: OrderState | null;
  /** The facts that the machine's condition reads. They must be known here. */
  facts: Pick<OrderJobFacts, 'billingApproved'>;
  by: InNameOf;
}

/**
 * Cancels orders with their open jobs and loads (DOMAIN 1.1), in five statements for any number of them. Transitions, outbox, audit and job
 * events of all are written. People and imports are subject to the same conditions, those of the machine (DOMAIN section 5: an import "runs
 * the cancel event with its guard"). The caller has checked permissions before: the order's policy for a person, the sender's permissions
 * at the time of the payload for an import. A person who cancels a canceled order gets a conflict; an import that repeats the payload
 * changes nothing.
 * @throws Conflict if the state of one, or an approved load, forbids it; then nothing was written
 */
export async function cancelOrders(tx: SetTx, orders: readonly OrderToCancel[]): Promise<void> {
  if (orders.length === 0) return;
  const before = orderMachine.fireMany(
    ({ by }) => by.records,
    orders,
    'cancel',
    ({ facts }) => facts,
  );
  for (const [at, { id, companyId, state, heldFrom, by }] of orders.entries()) {
    const changes: AuditRecord['changes'] = { state: [before[at], state] };
    if (heldFrom) changes.held_from = [heldFrom, null];
    by.records.audits.push({ event: 'update', type: 'Order', id, companyId, changes });
  }
  await tx.query(CANCEL, [orders.map(({ id }) => id), orders.map(({ state }) => state), tx.now]);
  const byId = new Map(orders.map(({ id, by }) => [id, by]));
  await cancelJobs(tx, await openJobsOf(tx, [...byId.keys()]), 'OrderCanceled', ({ orderId }) => byId.get(orderId)!);
}

const CANCEL = `update orders o set state = c.state, held_from = null, updated_at = $3::timestamptz, version = o.version + 1
  from unnest($1::uuid[], $2::text[]) c(id, state) where o.id = c.id`;
