import { Migration } from '@mikro-orm/migrations';

/** Invoices say what should be looked at of the fuel that they charge. */
export class WarnOfFuel extends Migration {
  override up(): void {
    this.addSql(`alter table invoice add column fuel_warnings text[] not null default '{}'`);
  }
}
