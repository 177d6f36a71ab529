import { Migration } from '@mikro-orm/migrations';

/** What stays out of a period that is closed although something of it is not approved is noted with it; null of periods that were closed before. */
export class NoteWhatPeriodsLeftOut extends Migration {
  override up(): void {
    this.addSql('alter table billing_period add column left_out_invoices_count integer, add column left_out_settlements_count integer');
  }
}
