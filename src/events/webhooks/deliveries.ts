import { find } from '../../platform/authz/authorization.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { wakeWorkers } from '../../platform/commands/wake-workers.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { traceParent } from '../../platform/tracing/spans.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
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
    wakeWorkers(tx);
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
    wakeWorkers(tx);
    emitEvent(tx, 'webhook_delivery.repeated', delivery);
  });
}

// Events are written when they happen, but for a moment; those of a sandbox in the time of its clock.
const REPLAY = `insert into webhook_replay (id, company_id, subscription_id, from_time, until_time, after_time, ends_at)
  values ($1, $2, $3, $4, $5, case when $6 then '-infinity' else $4::timestamptz - interval '1 hour' end,
    case when $6 then 'infinity' else $5::timestamptz + interval '1 hour' end)`;

/** Has all events of a time sent again by the worker, those of a record in their order. @throws Missing, Denied, Invalid */
export function replayWebhooks(ctx: Context, path: RecordPath, { from, to }: ReplayWebhooksInput): Promise<void> {
  return transact(ctx, async (tx) => {
    const subscription = await lockSubscription(tx, path);
    const until = to ?? tx.tx.now;
    const refuse = (field: string, key: string) => new Invalid([{ model: 'WebhookSubscription', field, key }]);
    if (to && to <= from) throw refuse('to', 'ends_before_it_begins');
    // Whatever the end is: the log has nothing of that time, and what happens then is sent anyway.
    if (from >= tx.tx.now) throw refuse('from', 'replay_begins_later');
    const companyId = subscription.company.id;
    const sought = [newId(), companyId, subscription.id, from.toISOString(), until.toISOString(), isSandbox(companyId)];
    await queryIn(tx.em, REPLAY, sought);
    noteAsked(tx, subscription, { replayed: [null, { from: from.toISOString(), to: until.toISOString() }] });
    wakeWorkers(tx);
    emitEvent(tx, 'webhook_subscription.replayed', subscription, { from: from.toISOString(), to: until.toISOString() });
  });
}

/** Writes to the audit log what somebody had sent, which changes nothing of the subscription. */
const noteAsked = (tx: TxContext, { id, company }: WebhookSubscription, changes: AuditRecord['changes']): void =>
  void tx.tx.audits.push({ event: 'update', type: 'WebhookSubscription', id, companyId: company.id, changes });
