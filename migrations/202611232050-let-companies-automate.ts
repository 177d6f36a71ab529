import { Migration } from '@mikro-orm/migrations';

/** Companies say what their jobs and reviews do by themselves, and an approval names the review that it rests on. */
export class LetCompaniesAutomate extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings
        add column auto_approve_reviewed boolean not null default false,
        add column auto_complete_job boolean not null default false,
        add column driver_require_all_permissions boolean not null default false`);
    this.addSql('alter table approval_assignment add column review_id uuid');
  }
}
