import { Migration } from '@mikro-orm/migrations';

/** The hours of a vendor's day as its customer approved them, so that both see when they change afterwards. */
export class KeepHoursThatCustomersApproved extends Migration {
  override up(): void {
    this.addSql('alter table approval_state add column approved_totals jsonb');
  }
}
