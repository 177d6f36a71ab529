import { planLookUps } from '../../platform/database/planned-once.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { queryAs } from '../../platform/database/sql.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { type Leased, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { type Attempt, attemptDelivery, type Sent } from './attempt-delivery.ts';
import { EndpointLoad, KINDS } from './endpoint-load.ts';
import { replaySome } from './replays.ts';
import { DeliveredSettler } from './settle-delivered.ts';
import { notifyOfSwitchedOff } from './switched-off.ts';
import { TEST_EVENT } from './triggers.ts';
import { waitsOf } from './webhook-delivery.entity.ts';

/** Sends what is due to endpoints of all companies, and keeps the log of it. */
export const WEBHOOK_DELIVERIES = definePurpose('webhook_deliveries', {
  webhook_subscription: [
    'select (id, url, paused_at, disabled_at, disabled_reason, failing_since, last_delivered_at, updated_at)',
    'update (failing_since, last_delivered_at, disabled_at, disabled_reason, updated_at)',
  ],
  webhook_secret: ['select (subscription_id, sealed)'],
  webhook_delivery: [
    'select (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, payload, change, state, attempts, tries_from, due_at, trace_parent, created_at, updated_at)',
    'update (state, attempts, tries_from, due_at, delivered_at, updated_at)',
  ],
  webhook_attempt: ['insert'],
  webhook_replay: [
    'select (id, created_at, subscription_id, from_time, until_time, after_time, after_id, ends_at)',
    'update (after_time, after_id)',
    'delete',
  ],
});

/** Attempts at a time in this process, those included that have given their place back: each is a socket that waits for its endpoint. */
const MOST_UNDER_WAY = 1_000;
/**
 * Attempts that hold a place at a time. One that takes longer than `HOLDS_PLACE` gives it back, so that endpoints which begin to hang together, however
 * many, keep the others waiting for that long and no longer.
 */
const PLACES = 200;
/** Of these, for endpoints that never took anything: nobody knows of them whether they answer. */
const PLACES_OF_UNTRIED = 50;
/** Of these, for each kind of the others, before those that took something last: these may have something to take for as long as they like. */
const PLACES_FIRST = 5;
/** Attempts at a time, whether they hold a place or not: to endpoints that took something last, never took anything, take long or fail, and hang. */
const MOST_GOOD = 800;
const MOST_UNTRIED = 200;
const MOST_SLOW = 100;
const MOST_HANGING = 50;
/** Attempts at a time to one endpoint, so that one that hangs leaves places to others. To one that fails, or never took anything, there is one at a time. */
const MOST_AT_ONCE = 8;
/** The same to one that took what it was sent within a moment just now (`EndpointLoad`). */
const MOST_TO_QUICK = 25;
/** Milliseconds from one claim to the next at least: attempts end one by one, and the statement costs as much for one that follows as for dozens. */
const REST = 20;
/** Attempts to endpoints that took something last, and now have given their place back: beyond so many, there is one at a time to each. */
const MANY_LATE = 300;
/** Places that are for the first `FEW` attempts to an endpoint alone. */
const PLACES_FOR_FEW = 50;
const FEW = 2;
/** Tests of endpoints that are paused or switched off, to which nothing else is sent, at a time. */
const MOST_TESTS = 10;
/** Seconds after which an attempt is another process's; longer than it may take. */
const LEASE = 30;
/** Seconds until an attempt is repeated, by attempts made (DOMAIN section 6). After the last one the delivery has failed. */
const DELAYS = [30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400];
/** Seconds that an endpoint may ask us to wait. */
const LONGEST_WAIT = 86_400;
/** Days of nothing but failures after which an endpoint is switched off, by an event that has been tried so often by then. */
const DAYS_OF_FAILURES = 3;
const TRIES_BEFORE_OFF = 5;

/** `attempts` counts those since somebody asked for it last, `attempt` all. */
type Claimed = Sent & Leased & { kind: number; rank: number };

// Each subscription is asked for its own, so that one with many does not hide the others: the first attempts to each come before further ones to any
// (`place`, which counts those that run). Of these, a few of each kind are first (`$6`), so that none waits until all others have nothing to take. What is
// sent of a record waits for what happened to it before, unless that has failed for good. An endpoint with an attempt that has begun to take long gets no
// other one until it is known how that ends. A test is sent also where everything else waits. What is known of endpoints (`$3`) is one object by their ids: as
// rows, of which there are up to ten thousand, each subscription would walk through all of them, because nothing is hashed here (`planLookUps`).
const CLAIM = planLookUps(`with candidates as (
    select d.id, d.due_at, coalesce(w.running, 0) + row_number() over (partition by s.id order by d.due_at, d.sequence) as place,
      case when w.hung then ${KINDS.hanging} when w.slow or s.failing_since is not null then ${KINDS.slow}
        when s.last_delivered_at is null then ${KINDS.untried} else ${KINDS.good} end as kind
    from webhook_subscription s
    cross join lateral (select $3::jsonb -> s.id::text as known offset 0) k
    cross join lateral (
      select (k.known -> 0)::integer as running, (k.known -> 1)::boolean as slow, (k.known -> 2)::boolean as hung, (k.known -> 3)::boolean as stuck,
        (k.known -> 4)::boolean as quick) w
    cross join lateral (
      select d.id, d.due_at, d.sequence from webhook_delivery d
      where d.subscription_id = s.id and d.due_at <= now() and not exists (
        select from webhook_delivery e where ${waitsOf('e', 'd')} and e.sequence < d.sequence offset 0)
      order by d.due_at, d.sequence
      limit greatest(0, case when w.stuck then 0 when s.failing_since is not null or s.last_delivered_at is null then 1
        when w.quick and $7::integer > 1 then ${MOST_TO_QUICK} else $7::integer end
        - coalesce(w.running, 0)) for update skip locked) d
    where s.paused_at is null and s.disabled_at is null
    union all
    select t.id, t.due_at, 0, ${KINDS.good} from (
      select d.id, d.due_at from webhook_delivery d join webhook_subscription s on s.id = d.subscription_id
      where d.trigger = '${TEST_EVENT}' and d.due_at <= now() and (s.paused_at is not null or s.disabled_at is not null)
        and coalesce(($3::jsonb -> s.id::text -> 0)::integer, 0) = 0
      limit ${MOST_TESTS} for update of d skip locked) t),
  ranked as (
    select id, kind, place, due_at, row_number() over (partition by kind order by place, due_at) as among_alike from candidates),
  admitted as (
    select id, kind, place, row_number() over (order by place > ${FEW}, among_alike > ($6::integer[])[kind + 1], kind, place, due_at) as rank from ranked
    where among_alike <= ($4::integer[])[kind + 1]),
  due as (
    select id, kind, rank from admitted where place <= ${FEW} or rank <= $5 order by rank limit $1)
  update webhook_delivery d set due_at = now() + $2 * interval '1 second', attempts = d.attempts + 1
  from due, webhook_subscription s, webhook_secret k
  where d.id = due.id and s.id = d.subscription_id and k.subscription_id = s.id
  returning d.id, d.company_id as "companyId", d.subscription_id as "subscriptionId", d.event_id as "eventId", d.event_time as "eventTime", d.trigger,
    d.source_company_id as "sourceCompanyId", d.subject_id as "subjectId", d.sequence::text, d.payload::text, d.change::text, d.attempts as attempt, d.trace_parent as "traceParent",
    d.attempts - d.tries_from as attempts, s.url, k.sealed, due.kind, due.rank::integer`);

const LOG = `attempted as (insert into webhook_attempt (id, company_id, delivery_id, attempt, started_at, duration_ms, request_headers, request_body,
    response_status, response_headers, response_body, error)
  values ($3, $4, $1, $5, $6, $7, $8, $9, $10, $11, $12, $13))`;
// Failures follow each other as long as something waits to be repeated. An event that happens when nothing does begins anew: what failed for good before
// says nothing of how the endpoint is now.
const BEGINS_ANEW = `($18 = 1 and $19::timestamptz > now() - interval '1 hour' and not exists (
  select from webhook_delivery e where e.subscription_id = $2 and e.id <> $1 and e.due_at > now() and e.attempts > e.tries_from))`;
const IS_OVER = `($18 >= ${TRIES_BEFORE_OFF} and failing_since < now() - ${DAYS_OF_FAILURES} * interval '1 day')`;
const FAILED = `with ${LOG}, aimed as (
    -- Whoever moves the endpoint meanwhile is waited for. It is read before the subscription is changed: what a statement has changed itself it cannot lock any more.
    select url is distinct from $21 as moved from webhook_subscription where id = $2 for no key update),
  ended as (
    -- What an address did not take that another one took the place of meanwhile is sent to that at once, with all of its tries. What an endpoint that is gone did not take waits until the subscription is resumed, and then has all of its tries. A test does not ($20): it is sent
    -- also to an endpoint that is switched off, and would be sent there again at once, for ever.
    update webhook_delivery set state = case when $14::float is null and not ($20 or moved) then 'failed' else 'pending' end,
      due_at = case when $20 or moved then now() else now() + $14 * interval '1 second' end, tries_from = case when $20 or moved then attempts else tries_from end,
      updated_at = now() from aimed where id = $1 and attempts = $5),
  -- What happened to the record later is not looked at before its turn.
  waiting as (
    update webhook_delivery set due_at = greatest(due_at, now() + $14 * interval '1 second')
    from aimed where not moved and $14::float is not null and subject_id = $15 and state = 'pending' and (subscription_id = $2) is true and sequence > $16::bigint)
  update webhook_subscription set failing_since = case when failing_since is null or ${BEGINS_ANEW} then now() else failing_since end,
    updated_at = case when failing_since is null or $17 or ${IS_OVER} then now() else updated_at end,
    disabled_at = case when $17 or ${IS_OVER} then coalesce(disabled_at, now()) else disabled_at end,
    disabled_reason = case when $17 then 'gone' when ${IS_OVER} then 'failing' else disabled_reason end
  from aimed where id = $2 and not moved`;

/** Sends events to the endpoints that subscribed to them, at least once, and those of one record in their order. */
export function startWebhookWorker({ em, log, sweepEvery = 500 }: BackgroundWorkerOptions): Drainer {
  const ask = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(WEBHOOK_DELIVERIES, em, sql, values);
  const delivered = new DeliveredSettler(ask);
  const load = new EndpointLoad();
  /** Attempts for which the last claim had places. */
  let asked = 0;
  return startLeaseQueue<Claimed>({
    name: 'webhook',
    tracing: tracing.of(em),
    slots: MOST_UNDER_WAY,
    lease: LEASE,
    rest: REST,
    // One claim takes all that may be sent now, unless its places are fewer.
    more: ({ length }) => length >= asked,
    async claim(most, seconds) {
      const { known, placed, of } = load.now();
      const held = placed.reduce((sum, n) => sum + n, 0);
      const free = Math.min(most, PLACES - held);
      // The next look is the sweeper's, when the first of them have given their places back.
      if (free <= 0) return [];
      asked = free;
      const rooms = [MOST_GOOD - of[KINDS.good]!, Math.min(PLACES_OF_UNTRIED - placed[KINDS.untried]!, MOST_UNTRIED - of[KINDS.untried]!)];
      rooms.push(MOST_SLOW - of[KINDS.slow]!, MOST_HANGING - of[KINDS.hanging]!);
      const late = of[KINDS.good]! - placed[KINDS.good]!;
      const first = placed.map((n, kind) => (kind === KINDS.good ? 0 : PLACES_FIRST - n));
      const claimed = await ask<Claimed>(CLAIM, [
        ...[free, seconds, JSON.stringify(known)],
        ...[rooms.map((room) => Math.max(0, room)), Math.max(0, PLACES - PLACES_FOR_FEW - held)],
        ...[first.map((room) => Math.max(0, room)), late > MANY_LATE ? 1 : MOST_AT_ONCE],
      ]);
      for (const { id, subscriptionId, kind } of claimed) load.begin(subscriptionId, id, kind);
      // PostgreSQL returns them in any order. They begin one after the other, and on a busy machine that takes as long as everything else.
      return claimed.sort((a, b) => a.rank - b.rank);
    },
    async work(delivery, { signal }) {
      let failed: boolean | undefined;
      try {
        const made = await attemptDelivery(em, delivery, signal);
        failed = !made.taken;
        if (made.taken) await delivered.settle({ delivery, made });
        else await settleFailed(ask, delivery, made);
      } finally {
        load.end(delivery.subscriptionId, delivery.id, failed);
      }
    },
    // An attempt that was cut off is made again by whoever runs next.
    whenStopped: 'at once',
    // A fault of our own, such as a secret that cannot be opened, says nothing of the endpoint.
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: ({ id, attempt }, seconds) =>
      ask(`update webhook_delivery set due_at = now() + $3 * interval '1 second' where id = $1 and attempts = $2 and due_at is not null`, [
        id,
        attempt,
        seconds,
      ]),
    giveUp({ id, subscriptionId }) {
      // A delivery that is given up at once was never worked on.
      load.end(subscriptionId, id, undefined);
      return ask(`update webhook_delivery set state = 'failed', due_at = null, updated_at = now() where id = $1 and due_at is not null`, [
        id,
      ]);
    },
    async sweep() {
      await notifyOfSwitchedOff(em);
      await replaySome(ask);
    },
    failed: (error, { id, subscriptionId, attempt }, again) =>
      log.warn({ err: error, delivery: id, subscription: subscriptionId, attempt, again }, 'a webhook could not be sent'),
    sweepEvery,
    log,
  });
}

async function settleFailed(ask: (sql: string, values: unknown[]) => Promise<object[]>, delivery: Claimed, made: Attempt): Promise<void> {
  const { id, subscriptionId, companyId, attempt, attempts, trigger, subjectId, sequence, url } = delivery;
  const { startedAt, durationMs, requestHeaders, requestBody, status, responseHeaders, responseBody, error } = made;
  const log = [
    ...[id, subscriptionId, made.id, companyId, attempt, startedAt.toISOString(), durationMs, JSON.stringify(requestHeaders), requestBody],
    ...[status ?? null, responseHeaders ? JSON.stringify(responseHeaders) : null, responseBody ?? null, error ?? null],
  ];
  const delay = DELAYS[attempts - 1];
  const again = made.gone || delay === undefined ? null : Math.max(withJitter(delay), Math.min(made.retryAfter ?? 0, LONGEST_WAIT));
  const since = new Date(delivery.eventTime).toISOString();
  await ask(FAILED, [...log, again, subjectId, sequence, made.gone, attempts, since, made.gone && trigger !== TEST_EVENT, url]);
}

/** A tenth more or less, so that what failed together is not repeated together. */
const withJitter = (seconds: number): number => seconds * (0.9 + Math.random() / 5);
