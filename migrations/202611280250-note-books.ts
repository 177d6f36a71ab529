import { Migration } from '@mikro-orm/migrations';

/** Periods of books, vendors' bills and what is compared of loads are in the feed of changes, like every record that is found by its id. */
export class NoteBooks extends Migration {
  override up(): void {
    for (const [table, type] of [
      ['billing_period', 'BillingPeriod'],
      ['vendor_bill', 'VendorBill'],
      ['load_match', 'LoadMatch'],
    ] as const)
      this.addSql(`select watch_changes('${table}', $sql$'${type}'$sql$, '(select r.id)', 'r.company_id', null, true, array[]::text[])`);
  }
}
