import { Migration } from '@mikro-orm/migrations';

/** No load is billed twice (BILLING B1, B-I2). It is decided at the end of a transaction, because one that moves loads to another part writes these first. */
export class BillLoadsOnce extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a failed run has left: the constraint, or an index that is not valid.
    this.addSql('alter table invoice_line_item drop constraint if exists invoice_line_item_billed_key');
    this.addSql('drop index concurrently if exists invoice_line_item_billed_key');
    this.addSql(`
      -- A load has one live line of a kind, and one for each band of its rate, on a side and link of a company's books; also the lines of a load.
      create unique index concurrently invoice_line_item_billed_key on invoice_line_item (load_id, company_id, books, line_item_type, part)`);
    this.addSql(
      'alter table invoice_line_item add constraint invoice_line_item_billed_key unique using index invoice_line_item_billed_key deferrable initially deferred',
    );
    this.addSql('drop index concurrently if exists invoice_line_item_load_idx');
  }
}
