import { Migration } from '@mikro-orm/migrations';

/** The list that says why work is in no settlement has what was exported by itself, too. */
export class FindWhatIsNotSettled extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists invoice_by_itself_idx');
    this.addSql(`
      -- Approved invoices that nobody settles any more, for the list of blockers; those that are paid are not among them.
      create index concurrently invoice_by_itself_idx on invoice (company_id, service_date, id) where state in ('exported', 'customer_paid')`);
  }
}
