import { Migration } from '@mikro-orm/migrations';

/** No load is billed twice (BILLING B1, B-I2). The next migration has it decided at the end of a transaction. */
export class BillLoadsOnce extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists invoice_line_item_billed_key');
    this.addSql(`
      -- A load has one live line of a kind, and one for each band of its rate, on a side and link of a company's books; also the lines of a load.
      create unique index concurrently invoice_line_item_billed_key on invoice_line_item (load_id, company_id, books, line_item_type, part)`);
    this.addSql('drop index concurrently if exists invoice_line_item_load_idx');
  }
}
