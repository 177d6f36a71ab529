import { setTimeout as sleep } from 'node:timers/promises';
import { planLookUps } from '../../platform/database/planned-once.ts';
import { bound } from '../../platform/database/sql.ts';
import type { Attempt, Sent } from './attempt-delivery.ts';
import { waitsOf } from './webhook-delivery.entity.ts';

/** An event that its endpoint took. */
export interface Taken {
  delivery: Sent;
  made: Attempt;
}

/** Events that are settled by one statement at most: each is locked until it ends. */
const MOST = 100;
/** Milliseconds from the beginning of one statement to that of the next one at least: it costs nearly as much for one event as for dozens. */
const REST = 20;

// Subscriptions are locked in the order of their ids: processes that settle events of the same ones wait for each other in one direction.
const DELIVERED = planLookUps(`with made as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::timestamptz[], $7::integer[], $8::text[], $9::text[], $10::integer[], $11::text[], $12::text[],
      $13::uuid[], $14::bigint[]) m(id, subscription_id, attempt_id, company_id, attempt, started_at, duration_ms, request_headers, request_body, response_status, response_headers, response_body,
      subject_id, sequence)),
  attempted as (
    insert into webhook_attempt (id, company_id, delivery_id, attempt, started_at, duration_ms, request_headers, request_body, response_status, response_headers, response_body)
    select attempt_id, company_id, id, attempt, started_at, duration_ms, request_headers::jsonb, request_body, response_status, response_headers::jsonb, response_body from made),
  delivered as (
    update webhook_delivery d set state = 'delivered', due_at = null, delivered_at = now(), updated_at = now()
    from made m where d.id = m.id and d.attempts = m.attempt),
  next as (
    update webhook_delivery set due_at = now() where id = any(array(select w.id from made m, lateral (
      select d.id from webhook_delivery d where ${waitsOf('d', 'm')} and d.sequence > m.sequence offset 0) w))
      and due_at > now() and attempts = tries_from),
  noted as (
    select s.id from webhook_subscription s where s.id = any($2::uuid[])
      -- Not for each of many: it is one row.
      and (s.failing_since is not null or s.last_delivered_at is null or s.last_delivered_at < now() - interval '10 seconds')
    order by s.id for no key update)
  update webhook_subscription s set failing_since = null, last_delivered_at = now() from noted where s.id = noted.id`);

type Ask = (sql: string, values: unknown[]) => Promise<unknown>;

/**
 * Settles events that were taken: those that are taken while a statement settles others, or just did, are settled together by the next one. So an
 * endpoint that takes few is settled at once, and one that takes hundreds in a second with a few statements.
 */
export class DeliveredSettler {
  readonly #ask: Ask;
  #waiting: { taken: Taken; done: () => void; fail: (error: unknown) => void }[] = [];
  #settling = false;
  #began = Number.NEGATIVE_INFINITY;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Resolves when it is settled. */
  settle(taken: Taken): Promise<void> {
    return new Promise((done, fail) => {
      this.#waiting.push({ taken, done, fail });
      if (!this.#settling) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#settling = true;
    while (this.#waiting.length > 0) {
      const rest = this.#began + REST - performance.now();
      if (rest > 0) await sleep(rest);
      this.#began = performance.now();
      const some = this.#waiting.splice(0, MOST);
      const all = some.map(({ taken }) => taken);
      try {
        await this.#settleAll(all);
        for (const { done } of some) done();
      } catch (error) {
        // A refusal of one of them says nothing of the others.
        if (some.length === 1) some[0]!.fail(error);
        else for (const { taken, done, fail } of some) await this.#settleAll([taken]).then(done, fail);
      }
    }
    this.#settling = false;
  }

  #settleAll(all: readonly Taken[]): Promise<unknown> {
    const of = (value: (taken: Taken) => unknown) => all.map(value);
    const json = (value: object | undefined) => (value ? JSON.stringify(value) : null);
    const values = [
      of(({ delivery }) => delivery.id),
      of(({ delivery }) => delivery.subscriptionId),
      of(({ made }) => made.id),
      of(({ delivery }) => delivery.companyId),
      of(({ delivery }) => delivery.attempt),
      of(({ made }) => made.startedAt.toISOString()),
      of(({ made }) => made.durationMs),
      of(({ made }) => json(made.requestHeaders)),
      of(({ made }) => made.requestBody),
      of(({ made }) => made.status ?? null),
      of(({ made }) => json(made.responseHeaders)),
      of(({ made }) => made.responseBody ?? null),
      of(({ delivery }) => delivery.subjectId),
      of(({ delivery }) => delivery.sequence),
    ];
    return this.#ask(DELIVERED, bound(DELIVERED, values));
  }
}
