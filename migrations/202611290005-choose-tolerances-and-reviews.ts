import { Migration } from '@mikro-orm/migrations';

/**
 * A company chooses what it tolerates between tickets and what else is known, whether a conflict keeps an invoice from being approved, and from when on
 * a week is reviewed. What was chosen for all before are the defaults.
 */
export class ChooseTolerancesAndReviews extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings
        add column match_report_percent numeric(18,4) not null default 1,
        add column match_report_least numeric(18,4) not null default 0.05,
        add column match_scale_percent numeric(18,4) not null default 1,
        add column match_time_percent numeric(18,4) not null default 10,
        add column ticket_conflict_blocks boolean not null default false,
        add column periods_reviewed boolean not null default false,
        add column work_review_minutes integer not null default 2520,
        add column billing_review_minutes integer not null default 3960`);
  }
}
