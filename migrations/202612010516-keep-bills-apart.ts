import { Migration } from '@mikro-orm/migrations';

/** A vendor who was merged with another one may have two bills of one number. */
export class KeepBillsApart extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists vendor_bill_apart_key');
    this.addSql(`
      -- A bill that is entered twice would be compared twice. Each vendor who was merged into another one has numbers of their own.
      create unique index concurrently vendor_bill_apart_key
        on vendor_bill (vendor_account_id, fold_text(number), merged_vendor_account_id) nulls not distinct`);
    this.addSql('drop index concurrently if exists vendor_bill_number_key');
    this.addSql('alter index vendor_bill_apart_key rename to vendor_bill_number_key');
  }
}
