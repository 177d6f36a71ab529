import { Migration } from '@mikro-orm/migrations';

/** What a company chose for the time that it pays is kept with what was billed by it (src/billing/invoices/job-facts.ts). */
export class KeepTimeTerms extends Migration {
  override up(): void {
    this.addSql('alter table invoice add column time_terms jsonb');
  }
}
