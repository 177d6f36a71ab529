import { Migration } from '@mikro-orm/migrations';

/** What automation knows of a load and what it does not. */
export class MarkAutomaticLoads extends Migration {
  override up(): void {
    this.addSql(`
      alter table load add column needs_review boolean not null default false, add column loaded_inferred boolean not null default false;
      -- The loads that somebody should look at, newest first.
      create index load_needs_review_idx on load (company_id, created_at) where needs_review;`);
  }
}
