import { Migration } from '@mikro-orm/migrations';

/** When an imported record last changed, for those who poll for it. Of those that are there already, the time of this migration is noted. */
export class NoteChangesOfImports extends Migration {
  override up(): void {
    this.addSql('alter table imported_record add column updated_at timestamptz(6) default now()');
  }
}
