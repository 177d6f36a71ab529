import { Migration } from '@mikro-orm/migrations';

/** Lists of loads by the time of their unloading and completion, orders of a customer, and what has changed since a moment. */
export class FindLoadsByTime extends Migration {
  override up(): void {
    this.addSql(`
      -- The loads that were unloaded in a span, such as an hour.
      create index load_unloaded_idx on load (company_id, summary_unloaded_at) where summary_unloaded_at is not null;
      -- The loads that were completed in a span.
      create index load_completed_idx on load (company_id, summary_load_completed_at) where summary_load_completed_at is not null;
      -- The orders of a customer, newest first.
      create index orders_account_idx on orders (account_id, created_at, id);
      -- What has changed since a moment. A BRIN index leaves updates in their page (HOT), which any other index on this column would end.
      create index load_updated_idx on load using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same of jobs.
      create index job_updated_idx on job using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same of orders.
      create index orders_updated_idx on orders using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same of tickets.
      create index ticket_updated_idx on ticket using brin (updated_at) with (pages_per_range = 16, autosummarize = on);`);
  }
}
