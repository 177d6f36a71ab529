import { Migration } from '@mikro-orm/migrations';

/** An order remembers the shared driver that it was made for, so that trucks added later go there too. */
export class LentDrivers extends Migration {
  override up(): void {
    // Beside `driver_id`, which the statements that make jobs assign without hiring anybody. No index: users are discarded, not deleted.
    this.addSql('alter table orders add column lent_driver_id uuid references app_user (id)');
  }
}
