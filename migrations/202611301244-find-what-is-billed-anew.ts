import { Migration } from '@mikro-orm/migrations';

/** Has the few invoices at hand that a settlement bills anew at another rate. */
export class FindWhatIsBilledAnew extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists settlement_invoice_rebilled_idx');
    this.addSql(`
      -- The few invoices that are billed anew at another rate: a sum over all invoices of a company asks of each whether it is one.
      create index concurrently settlement_invoice_rebilled_idx on settlement_invoice (invoice_id) where live and rebill_rate_value is not null`);
  }
}
