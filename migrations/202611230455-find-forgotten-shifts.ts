import { Migration } from '@mikro-orm/migrations';

/** Shifts that nobody ended are ended by the system. */
export class FindForgottenShifts extends Migration {
  override up(): void {
    this.addSql(`
      -- The sweeper of forgotten shifts looks for days that began long ago and have not ended: a handful of rows.
      create index driver_day_open_idx on driver_day (started_shift_at) where ended_shift_at is null and started_shift_at is not null;`);
  }
}
