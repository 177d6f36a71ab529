import { Migration } from '@mikro-orm/migrations';

/** Materials have a density, and an add-on may count the time that trucks waited. */
export class CountWaiting extends Migration {
  override up(): void {
    this.addSql(`
      alter table material add column density numeric(18,4);
      alter table add_on
        add column wait_counted_in text,
        add column wait_free_minutes integer,
        add column wait_increment_minutes integer`);
  }
}
