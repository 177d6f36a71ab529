import { viewerOfCompany } from '../../identity/access/viewer.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planLookUps, planOnceForFew } from '../../platform/database/planned-once.ts';
import { currentWork } from '../../platform/database/request-work.ts';
import { asCompanies, definePurpose, runAsPurpose, withPartnerVisibility } from '../../platform/database/scope.ts';
import { askAhead, writeIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { traceParent } from '../../platform/tracing/spans.ts';
import { type Carried, type Happened, happenedIn, withCarried } from './happened.ts';
import { recordDocuments } from './record-documents.ts';
import { TOPICS, type Trigger } from './triggers.ts';
import { waitsOf } from './webhook-delivery.entity.ts';

/**
 * Finds who subscribed to what a transaction changed, and leaves what is to be sent to them. It reads what `viewerOfCompany` needs, and which
 * jobs and loads an order has: the records themselves are read as the company that subscribed.
 */
export const NOTING_WEBHOOKS = definePurpose('webhook_notes', {
  webhook_subscription: ['select (id, company_id, trigger_names, include_children)'],
  webhook_record: ['select (subject_id, sequence)', 'insert', 'update (sequence)'],
  webhook_delivery: ['select (subscription_id, subject_id, state, due_at)', 'insert'],
  company: ['select (id, parent_company_id, legal_name, permission_toggles, discarded_at)'],
  merged_record: ['select (company_id)'],
  account: ['select (id, company_id, connected_company_id, account_types)'],
  job_assignment: ['select (vendor_company_id, customer_company_id)'],
  job: ['select (id, company_id, order_id, created_at, updated_at)'],
  load: ['select (id, company_id, order_id, created_at, updated_at)'],
});

/** A subscription, and the company of whose records it is informed. */
interface Subscriber {
  id: string;
  companyId: string;
  triggers: string[];
  source: string;
}

const FIND = namedStatement(`with recursive above (source, id) as (
    select c.id, c.id from company c where c.id = any($1::uuid[])
    union
    select a.source, c.parent_company_id from above a join company c on c.id = a.id where c.parent_company_id is not null)
  select s.id, s.company_id as "companyId", s.trigger_names as triggers, a.source
  from above a join webhook_subscription s on s.company_id = a.id and (a.source = a.id or s.include_children)`);
const subscribersOf = (companies: readonly string[]): string => planOnceForFew(FIND, companies.length);

// Counters are locked in the order of ids, and by the last statement of the transaction: nobody waits for one who waits for them.
const NOTE = namedStatement(`with events as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[]) with ordinality as e(id, subject_id, company_id, trigger, change, place)),
  counted as (
    insert into webhook_record (subject_id, company_id, sequence)
    select subject_id, min(company_id::text)::uuid, count(*) from events group by subject_id order by subject_id
    on conflict (subject_id) do update set sequence = webhook_record.sequence + excluded.sequence
    returning subject_id, sequence),
  numbered as (
    select e.*, c.sequence - count(*) over (partition by e.subject_id) + row_number() over (partition by e.subject_id order by e.place) as sequence
    from events e join counted c using (subject_id))
  insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, payload, change, trace_parent, due_at)
  select d.id, d.company_id, d.subscription_id, n.id, $6::timestamptz, n.trigger, n.company_id, n.subject_id, n.sequence, d.payload::json, n.change::json, $12::text,
    -- Where something of the record waits for a repetition, what follows is not looked at before: for an hour at most, because that may end sooner.
    coalesce((select least(e.due_at, now() + interval '1 hour') from webhook_delivery e
      where ${waitsOf('e', 'd', 'n')} and coalesce(e.due_at, '-infinity') > now() + interval '35 seconds'
      order by coalesce(e.due_at, '-infinity') desc limit 1), now())
  from unnest($7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::text[]) as d(id, event_id, subscription_id, company_id, payload)
    join numbered n on n.id = d.event_id`);

// The changes that orders carry to their jobs and loads have the time of the transaction.
const carriedOf = (table: string, topic: string): string =>
  `select id, company_id as "companyId", '${topic}' as topic, created_at = $2::timestamptz as made from ${table}
   where order_id = any($1::uuid[]) and $2::timestamptz in (created_at, updated_at)`;
const CARRIED = namedStatement(`${carriedOf('job', 'Job')} union all ${carriedOf('load', 'Load')} order by topic, id`);
/** Of which subscribers may be informed by a change of an order. */
const OF_ORDERS: readonly Trigger[] = ['Job::create', 'Job::update', 'Load::create', 'Load::update'];

/**
 * Notes for each subscription what happened to records, in the transaction in which it happened: with the record as that transaction leaves
 * it, as the subscribing company may see it. Without a subscription it costs one statement, which reads an index
 * and was sent as the transaction began.
 * @param note sends the statement that writes; by default at once
 */
export async function noteHappened(
  tx: SetTx,
  happened: readonly Happened[],
  note: (sql: string, values: unknown[]) => Promise<unknown> = tx.query,
): Promise<void> {
  if (happened.length === 0) return;
  const companies = [...new Set(happened.map(({ companyId }) => companyId))];
  const orders = [...new Set(happened.flatMap(({ topic, id }) => (topic === 'Order' ? [id] : [])))];
  const triggers = [...new Set([...happened.map(triggerOf), ...(orders.length > 0 ? OF_ORDERS : [])])];
  const found = await runAsPurpose(NOTING_WEBHOOKS, () => tx.query<Subscriber>(subscribersOf(companies), [companies]));
  const subscribers = found.filter((one) => triggers.some((trigger) => one.triggers.includes(trigger)));
  if (subscribers.length === 0) return;
  const follows = orders.length > 0 && subscribers.some((one) => OF_ORDERS.some((trigger) => one.triggers.includes(trigger)));
  const carried = follows ? await runAsPurpose(NOTING_WEBHOOKS, () => tx.query<Carried>(CARRIED, [orders, tx.now.toISOString()])) : [];
  const events = withCarried(happened, carried).map((one) => ({ ...one, eventId: newId(), trigger: triggerOf(one) }));
  const wanted = events.flatMap((event) =>
    subscribers
      .filter(({ source, triggers: of }) => source === event.companyId && of.includes(event.trigger))
      .map((subscriber) => ({ event, subscriber })),
  );
  const payloads = new Map<string, Map<string, string>>();
  for (const [companyId, of] of Map.groupBy(wanted, ({ subscriber }) => subscriber.companyId))
    payloads.set(
      companyId,
      await payloadsFor(
        tx,
        companyId,
        of.map(({ event }) => event),
      ),
    );
  const deliveries = wanted.flatMap(({ event: { eventId, id }, subscriber }) => {
    const payload = payloads.get(subscriber.companyId)!.get(id);
    if (payload === undefined) return [];
    const delivery = { eventId, subscriber, payload };
    return currentWork()?.sendsTwice ? [delivery, delivery] : [delivery];
  });
  const sent = new Set(deliveries.map(({ eventId }) => eventId));
  const noted = events.filter(({ eventId }) => sent.has(eventId));
  if (noted.length === 0) return;
  await runAsPurpose(NOTING_WEBHOOKS, () =>
    note(planOnceForFew(NOTE, Math.max(noted.length, deliveries.length), planLookUps), [
      noted.map(({ eventId }) => eventId),
      noted.map(({ id }) => id),
      noted.map(({ companyId }) => companyId),
      noted.map(({ trigger }) => trigger),
      noted.map(({ change }) => (change ? JSON.stringify(change) : null)),
      tx.now.toISOString(),
      deliveries.map(() => newId()),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ subscriber }) => subscriber.id),
      deliveries.map(({ subscriber }) => subscriber.companyId),
      deliveries.map(({ payload }) => payload),
      traceParent() ?? null,
    ]),
  );
}

const writeWith =
  ({ em }: SetTx) =>
  (sql: string, values: unknown[]): Promise<void> =>
    writeIn(em, sql, values);

const triggerOf = ({ topic, happening }: Happened): Trigger => `${topic}::${happening}`;

/**
 * Whether somebody subscribed to any of these of a company: for what is written by one statement if nobody did. It is asked in the transaction of that statement,
 * so that whoever subscribes meanwhile waits for its end (`untilReadersEnd`).
 */
export async function isSubscribed({ query }: Pick<SetTx, 'query'>, companyId: string, triggers: readonly Trigger[]): Promise<boolean> {
  const found = await runAsPurpose(NOTING_WEBHOOKS, () => query<Subscriber>(subscribersOf([companyId]), [[companyId]]));
  return found.some((one) => triggers.some((trigger) => one.triggers.includes(trigger)));
}

/** Records of one topic that are read together. */
const TOGETHER = 250;

/** The records as JSON, by id, without those that an administrator of the company does not see. */
async function payloadsFor({ em }: SetTx, companyId: string, events: readonly Happened[]): Promise<Map<string, string>> {
  const payloads = new Map<string, string>();
  const viewer = await runAsPurpose(NOTING_WEBHOOKS, () => viewerOfCompany(em, companyId));
  if (!viewer) return payloads;
  for (const [document, of] of Map.groupBy(events, ({ topic }) => TOPICS[topic])) {
    const ids = [...new Set(of.map(({ id }) => id))];
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const some = ids.slice(from, from + TOGETHER);
      const shown = await asCompanies(viewer.companyIds, () =>
        withPartnerVisibility(() => recordDocuments.of(em).show(em, viewer, document, some), 'off'),
      );
      for (const [id, record] of shown) payloads.set(id, JSON.stringify(record));
    }
  }
  return payloads;
}

/**
 * Drawn at the end, so that it sees what other consequences change; what it writes is sent with the last statement of the transaction. Whoever subscribes
 * while a command runs waits for it (`untilReadersEnd`).
 */
export const webhooksOfChanges = defineConsequence(
  'webhooks of changes',
  (tx, changes) => noteHappened(tx, happenedIn(changes), writeWith(tx)),
  {
    last: 'end',
    ahead: (em, companyId) => runAsPurpose(NOTING_WEBHOOKS, () => askAhead(em, subscribersOf([companyId]), [[companyId]])),
  },
);
