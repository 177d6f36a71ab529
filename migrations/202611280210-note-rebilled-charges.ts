import { Migration } from '@mikro-orm/migrations';

/** What charges come to where an invoice is billed anew, so that a supplement of it bills the difference to that. */
export class NoteRebilledCharges extends Migration {
  override up(): void {
    this.addSql('alter table settlement_invoice add column rebill_charges jsonb');
  }
}
