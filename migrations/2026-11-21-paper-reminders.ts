import { Migration } from '@mikro-orm/migrations';

/** Telling administrators of papers that run out (src/directory/compliance/reminders.ts). */
export class PaperReminders extends Migration {
  override up(): void {
    this.addSql('alter table compliance_document add column reminded_days smallint');
    // What is looked for every few minutes: the papers of all companies that run out within some days.
    this.addSql('create index compliance_document_expiring_idx on compliance_document (expires_at, id) where discarded_at is null');
  }
}
