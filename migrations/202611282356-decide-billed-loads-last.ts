import { Migration } from '@mikro-orm/migrations';

/** A transaction that moves loads to another part of a bill writes the new lines before it removes the others. */
export class DecideBilledLoadsLast extends Migration {
  override up(): void {
    this.addSql(
      'alter table invoice_line_item add constraint invoice_line_item_billed_key unique using index invoice_line_item_billed_key deferrable initially deferred',
    );
  }
}
