import { Migration } from '@mikro-orm/migrations';

/** Subscriptions to what happens to records, and what is sent to them (src/events/webhooks). */
export class CreateWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_subscription (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text,
        url text not null,
        -- Such as Order::create.
        trigger_names text[] not null default '{}',
        include_children boolean not null default false,
        header_names text[] not null default '{}',
        public_key text not null,
        secret_made_at timestamptz(6) not null default now(),
        previous_secret_expires_at timestamptz(6),
        paused_at timestamptz(6),
        disabled_at timestamptz(6),
        disabled_reason text,
        -- When the administrators got a mail about it.
        notified_at timestamptz(6),
        -- The first failure since something was delivered.
        failing_since timestamptz(6),
        last_delivered_at timestamptz(6)
      );
      -- Those of a company are looked up by every command that changes one of its records; lists are in the order of creation.
      create index webhook_subscription_company_idx on webhook_subscription (company_id, created_at, id);

      -- Those of which the administrators are still to be notified.
      create index webhook_subscription_notify_idx on webhook_subscription (disabled_at) where disabled_at is not null and notified_at is null;

      create table webhook_secret (
        subscription_id uuid primary key references webhook_subscription (id) on delete cascade,
        -- Secrets, the signing key and the values of the headers.
        sealed text not null
      );`);
    this.addSql(`
      create table webhook_record (
        subject_id uuid primary key,
        company_id uuid not null references company (id) on delete cascade,
        -- Of the record's last event.
        sequence bigint not null
      );
      -- The foreign key of a company that is deleted.
      create index webhook_record_company_idx on webhook_record (company_id);

      create table webhook_delivery (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- The company that subscribed.
        company_id uuid not null references company (id),
        subscription_id uuid not null references webhook_subscription (id) on delete cascade,
        event_id uuid not null,
        event_time timestamptz(6) not null,
        trigger text not null,
        -- The company to which the record belongs.
        source_company_id uuid not null,
        subject_id uuid not null,
        sequence bigint not null,
        -- As text, because what is signed keeps the order of its fields.
        payload json not null default '{}',
        change json,
        state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
        attempts integer not null default 0,
        -- When it is to be tried next, and the lease of the worker; null when it is done.
        due_at timestamptz(6) default now(),
        delivered_at timestamptz(6),
        check ((state = 'pending') = (due_at is not null))
      );
      -- The worker takes the oldest of each subscription.
      create index webhook_delivery_due_idx on webhook_delivery (subscription_id, due_at) where due_at is not null;
      -- What is sent of a record waits for what happened to it before.
      create index webhook_delivery_record_idx on webhook_delivery (subscription_id, subject_id, sequence) where due_at is not null;
      -- The log of a subscription, newest first.
      create index webhook_delivery_log_idx on webhook_delivery (subscription_id, created_at, id);
      -- The tenant condition, and what is deleted after its time.
      create index webhook_delivery_company_idx on webhook_delivery (company_id, created_at, id);

      create table webhook_attempt (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        delivery_id uuid not null references webhook_delivery (id) on delete cascade,
        attempt integer not null,
        started_at timestamptz(6) not null,
        duration_ms integer not null,
        request_headers jsonb not null,
        request_body text not null,
        response_status integer,
        response_headers jsonb,
        response_body text,
        error text
      );
      -- The attempts of a delivery in their order.
      create index webhook_attempt_delivery_idx on webhook_attempt (delivery_id, created_at, id);
      -- The tenant condition.
      create index webhook_attempt_company_idx on webhook_attempt (company_id, created_at, id)`);
  }
}
