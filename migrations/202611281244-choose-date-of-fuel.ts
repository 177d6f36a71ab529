import { Migration } from '@mikro-orm/migrations';

/** A company may charge fuel by the date on which a job starts. */
export class ChooseDateOfFuel extends Migration {
  override up(): void {
    this.addSql(`alter table company_settings add column fuel_date text not null default 'order'`);
  }
}
