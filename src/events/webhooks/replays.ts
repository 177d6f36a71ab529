import type { TxContext } from '../../platform/commands/transact.ts';
import { wakeWorkers } from '../../platform/commands/wake-workers.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { TEST_EVENT } from './triggers.ts';

/** Deliveries that are looked through at a time: their update is over in a moment. */
const REPLAY_BATCH = 5_000;
/** SQL: longer than any transaction that writes events takes. What begins earlier may be written later, so the log has events of a record in another order. */
const LONGEST = `interval '5 minutes'`;

// Along the log of the subscription, so that nothing of it is read twice. Tests are no events. Of a record, what happened before the last event of a batch is of that batch, also if it
// comes after it in the log: otherwise the later event would be sent first. What was sent since it was asked for is not sent once more.
const STEP = `with asked as (
    select id, created_at, subscription_id, from_time, until_time, after_time, after_id, ends_at from webhook_replay
    order by created_at, id limit 1 for update skip locked),
  page as (
    select d.* from asked a cross join lateral (
      select d.id, d.created_at, d.subject_id, d.sequence from webhook_delivery d
      where d.subscription_id = a.subscription_id and (d.created_at, d.id) > (a.after_time, a.after_id) and d.created_at <= a.ends_at
      order by d.created_at, d.id limit $1) d),
  last as (select created_at, id from page order by created_at desc, id desc limit 1),
  late as (
    select d.id from asked a cross join last l cross join (select subject_id, max(sequence) as sequence from page group by subject_id) p
      join webhook_delivery d on d.subject_id = p.subject_id and d.sequence < p.sequence
    where d.subscription_id = a.subscription_id and (d.created_at, d.id) > (l.created_at, l.id) and d.created_at < l.created_at + ${LONGEST}),
  again as (
    update webhook_delivery d set state = 'pending', due_at = now(), delivered_at = null, tries_from = d.attempts, updated_at = now()
    from asked a, (select id from page union all select id from late) of
    where d.id = of.id and d.trigger <> '${TEST_EVENT}' and d.due_at is null and d.event_time >= a.from_time and d.event_time < a.until_time and d.updated_at < a.created_at),
  further as (
    update webhook_replay r set after_time = l.created_at, after_id = l.id from asked a cross join last l
    where r.id = a.id and (select count(*) from page) = $1),
  done as (delete from webhook_replay r using asked a where r.id = a.id and (select count(*) from page) < $1)
  select id from asked`;

/** Has a batch of what somebody wants to have sent again sent. @returns whether there was any */
export const replaySome = async (ask: (sql: string, values: unknown[]) => Promise<object[]>): Promise<boolean> =>
  (await ask(STEP, [REPLAY_BATCH])).length > 0;

/** Deliveries that one request has sent at once. Those behind them keep their times. */
const MOST_HURRIED = 50_000;
/** Seconds within which a delivery may be under way: the lease of an attempt (webhook-worker.ts), and some more. It is left to that attempt. */
const UNDER_WAY = 35;

// Rows that somebody settles at this moment are left to them, so that neither waits for the other.
const HURRY = `update webhook_delivery set due_at = now(), tries_from = case when $2 then attempts else tries_from end where id = any(array(
  select id from webhook_delivery where subscription_id = $1 and due_at > now() + interval '${UNDER_WAY} seconds'
  order by due_at, sequence limit ${MOST_HURRIED} for update skip locked))`;

/**
 * Has what waits to be tried again tried now, that of a record in its order: whoever says that an endpoint works should not wait a day for it.
 * @param isMoved it has another address, at which nothing was tried yet
 */
export async function sendWaiting(tx: TxContext, subscriptionId: string, isMoved = false): Promise<void> {
  await queryIn(tx.em, HURRY, [subscriptionId, isMoved]);
  wakeWorkers(tx);
}
