import { Migration } from '@mikro-orm/migrations';

/** Indexes of what is exported, and taken back, of invoices by themselves. */
export class FindExportsOfInvoices extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that failed in the middle leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists invoice_export_key');
    this.addSql(`
      -- An invoice has one export, and one that takes it back.
      create unique index concurrently invoice_export_key on settlement_export (invoice_id, reverses) where invoice_id is not null`);
    this.addSql('drop index concurrently if exists settlement_export_company_idx');
    this.addSql(`
      -- Rows of a sandbox that is over are found by it, since a settlement may be missing.
      create index concurrently settlement_export_company_idx on settlement_export (company_id)`);
    this.addSql('drop index concurrently if exists invoice_reversal_idx');
    this.addSql(`
      -- What was taken back on the days of a period, of which there is little.
      create index concurrently invoice_reversal_idx on invoice (company_id, reversal_date) where reversal_date is not null`);
  }
}
