import { Migration } from '@mikro-orm/migrations';

/** What is not billed yet is asked for by its day, and is little of all that was ever billed. */
export class FindBlockedInvoices extends Migration {
  override up(): void {
    this.addSql(`
      -- For the list of blockers, in the order of its pages.
      create index invoice_blocked_idx on invoice (company_id, service_date, id)
        where state in ('created', 'in_progress', 'pending') and blockers <> '{}'`);
  }
}
