import { find } from '../../platform/authz/authorization.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { traceParent } from '../../platform/tracing/spans.ts';
import { lockSubscription, manages } from './subscriptions.ts';
import { TEST_EVENT } from './triggers.ts';
import type { ReplayWebhooksInput } from './webhook.inputs.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import type { WebhookSubscription } from './webhook-subscription.entity.ts';

const TEST = `insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, payload, change, trace_parent)
  values ($1, $2, $3, $4, now(), '${TEST_EVENT}', $2, $4, 1, '{}', '{"test": true}', $5)`;

/** Has a test sent, on the way of all events, also while the subscription is paused or switched off. @returns the id of the delivery @throws Missing, Denied */
export function testWebhookSubscription(ctx: Context, path: RecordPath): Promise<string> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    const id = newId();
    await queryIn(tx.em, TEST, [id, subscription.company.id, subscription.id, newId(), traceParent() ?? null]);
    noteAsked(tx, subscription, { tested: [null, id] });
    emitEvent(tx, 'webhook_subscription.tested', subscription);
    return id;
  });
}

/** Sends an event again, whatever became of it, with all of its tries. @throws Missing, Denied */
export function redeliverWebhook(ctx: Context, { id, companyId }: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const delivery = await find(tx, WebhookDelivery, id, { companyId, lock: true });
    manages(tx);
    Object.assign(delivery, { state: 'pending', dueAt: worldTime(tx.tx), deliveredAt: null, triesFrom: delivery.attempts });
    emitEvent(tx, 'webhook_delivery.repeated', delivery);
  });
}

const REPLAY = `update webhook_delivery set state = 'pending', due_at = now(), delivered_at = null, tries_from = attempts, updated_at = now()
  where subscription_id = $1 and event_time >= $2 and event_time < $3 and due_at is null`;

/** Sends all events of a time again, those of a record in their order. @throws Missing, Denied, Invalid */
export function replayWebhooks(ctx: Context, path: RecordPath, { from, to }: ReplayWebhooksInput): Promise<void> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    const until = to ?? tx.tx.now;
    if (until <= from) throw new Invalid([{ model: 'WebhookSubscription', field: 'to', key: 'ends_before_it_begins' }]);
    await queryIn(tx.em, REPLAY, [subscription.id, from.toISOString(), until.toISOString()]);
    noteAsked(tx, subscription, { replayed: [null, { from: from.toISOString(), to: until.toISOString() }] });
    emitEvent(tx, 'webhook_subscription.replayed', subscription, { from: from.toISOString(), to: until.toISOString() });
  });
}

/** Writes to the audit log what somebody had sent, which changes nothing of the subscription. */
const noteAsked = (tx: TxContext, { id, company }: WebhookSubscription, changes: AuditRecord['changes']): void =>
  void tx.tx.audits.push({ event: 'update', type: 'WebhookSubscription', id, companyId: company.id, changes });
