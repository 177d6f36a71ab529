import { Migration } from '@mikro-orm/migrations';

/** What still follows the work is asked for when something changes by which it is priced. */
export class FindWhatFollows extends Migration {
  override up(): void {
    this.addSql(`
      -- The invoices of a company that follow: little of all that was ever billed.
      create index invoice_following_idx on invoice (company_id) where state in ('created', 'in_progress', 'pending')`);
  }
}
