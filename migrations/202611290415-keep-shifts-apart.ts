import { Migration } from '@mikro-orm/migrations';

/** A driver who was merged with another one may have two shifts on a date. */
export class KeepShiftsApart extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists driver_day_shift_key');
    this.addSql(`
      -- One shift of a date for each driver, and one for each who was merged into them; also the days of a driver.
      create unique index concurrently driver_day_shift_key on driver_day (driver_id, driver_day_date, merged_driver_id) nulls not distinct`);
    this.addSql('drop index concurrently if exists driver_day_key');
  }
}
