import { Migration } from '@mikro-orm/migrations';

/** What an office did to many jobs at once, worked in the background (src/dispatch/bulk). */
export class BulkActions extends Migration {
  override up(): void {
    this.addSql(`create table bulk_action (
      id uuid primary key,
      company_id uuid not null references company (id),
      kind text not null,
      created_at timestamptz(6) not null default now(),
      created_by_type text not null,
      created_by_id uuid not null,
      created_by_name text not null,
      real_actor jsonb,
      grants text[] not null,
      scoped boolean not null,
      language text not null,
      request_id text not null,
      total_count integer not null check (total_count >= 0),
      next_at timestamptz(6) not null default now(),
      lease_until timestamptz(6),
      finished_at timestamptz(6)
    )`);
    // The list of a company, newest first.
    this.addSql('create index bulk_action_company_idx on bulk_action (company_id, created_at, id)');
    // What workers look for: a handful of rows, however many are finished.
    this.addSql('create index bulk_action_due_idx on bulk_action (next_at) where finished_at is null');
    this.addSql(`create table bulk_action_item (
      id uuid primary key,
      company_id uuid not null references company (id),
      bulk_action_id uuid not null references bulk_action (id),
      item_index integer not null,
      job_id uuid not null,
      input jsonb not null,
      state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
      attempts integer not null default 0,
      errors jsonb not null default '[]',
      created_at timestamptz(6) not null default now(),
      finished_at timestamptz(6)
    )`);
    // The items of an action in their order, and how many are in which state.
    this.addSql('create unique index bulk_action_item_place_key on bulk_action_item (bulk_action_id, item_index)');
    // What is left of an action.
    this.addSql(`create index bulk_action_item_open_idx on bulk_action_item (bulk_action_id, item_index) where state = 'pending'`);
  }
}
