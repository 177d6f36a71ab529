import { Migration } from '@mikro-orm/migrations';

/** Reviews of loads: one for each load, tasks of the worker that makes them, and the limits of each company. */
export class ReviewLoads extends Migration {
  override up(): void {
    this.addSql(`
      delete from ai_review r using ai_review newer
        where newer.load_id = r.load_id and (newer.created_at, newer.id) > (r.created_at, r.id);
      drop index ai_review_load_idx;
      -- A load has one review, which its reads join.
      create unique index ai_review_load_key on ai_review (load_id)`);

    this.addSql(`
      create table load_review_task (
        -- Of the load.
        id uuid primary key references load (id) on delete cascade,
        company_id uuid not null references company (id),
        due_at timestamptz(6) not null,
        attempts integer not null default 0,
        asked integer not null default 1
      );
      -- What the worker looks for: a handful of rows.
      create index load_review_task_due_idx on load_review_task (due_at)`);

    this.addSql(`
      alter table company_settings
        add column review_over_capacity_percent integer not null default 10,
        add column review_outlier_deviations integer not null default 4,
        add column review_near_duplicate_minutes integer not null default 5,
        add column review_shortest_on_site_minutes integer not null default 2,
        add column review_longest_on_site_minutes integer not null default 90,
        add column review_flag_below_percent integer not null default 70`);
  }
}
