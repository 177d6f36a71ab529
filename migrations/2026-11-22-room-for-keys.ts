import { Migration } from '@mikro-orm/migrations';

/** A key is twice as long once it tells what was applied to it: a third of them still moved to another page, and touched the index again. */
export class RoomForKeys extends Migration {
  override up(): void {
    this.addSql('alter table import_key set (fillfactor = 30)');
  }
}
