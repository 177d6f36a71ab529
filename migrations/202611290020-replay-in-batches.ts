import { Migration } from '@mikro-orm/migrations';

/** Events of a long time are sent again in batches by the worker, and not by the one statement of a request. */
export class ReplayInBatches extends Migration {
  override up(): void {
    this.addSql(`
      -- What somebody wants to have sent again, as long as there is something left of it.
      create table webhook_replay (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        subscription_id uuid not null references webhook_subscription (id) on delete cascade,
        -- When it happened.
        from_time timestamptz(6) not null,
        until_time timestamptz(6) not null,
        -- The log was looked through up to this delivery, and is to be up to the time at which the last of it can have been written.
        after_time timestamptz(6) not null,
        after_id uuid not null default '00000000-0000-0000-0000-000000000000',
        ends_at timestamptz(6) not null
      );
      -- What is deleted with its subscription.
      create index webhook_replay_subscription_idx on webhook_replay (subscription_id)`);
  }
}
