import { Migration } from '@mikro-orm/migrations';

/** A bill that came to a vendor who has another one of its number says whose it was, so that the undo gives it back. */
export class NoteMergedVendors extends Migration {
  override up(): void {
    this.addSql('alter table vendor_bill add column merged_vendor_account_id uuid');
  }
}
