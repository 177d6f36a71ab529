import { Migration } from '@mikro-orm/migrations';

/** A scheduled export says since when its list is complete: what is older is archived. */
export class NoteArchivedExports extends Migration {
  override up(): void {
    this.addSql('alter table export_run add column archived_before timestamptz(6)');
  }
}
