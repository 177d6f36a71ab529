import { Migration } from '@mikro-orm/migrations';

/** A shift that came to a driver who has another one on its date says whose it was, so that the undo gives it back. */
export class NoteMergedDrivers extends Migration {
  override up(): void {
    this.addSql('alter table driver_day add column merged_driver_id uuid');
  }
}
