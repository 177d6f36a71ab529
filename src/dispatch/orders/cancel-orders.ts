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
  /** What the machine's guard asks; it must be known here. */
  facts: Pick<OrderJobFacts, 'loadsBillingApproved'>;
  by: InNameOf;
}

/**
 * Cancels orders with their jobs and loads that are not over (DOMAIN 1.1), in five statements for any number of them: transitions, outbox,
 * audit and job events of all. A person and an import obey the same guards, those of the machine (DOMAIN section 5: an import "runs the
 * cancel event with its guard"). Who may is asked before: of a person by the order's policy, of an import by the rights that its sender had
 * when the payload came. A person who cancels a canceled order gets a conflict; a payload that says so again asks for nothing.
 * @throws Conflict when the state of one, or an approved load, forbids it; then nothing was written
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
