import { Migration } from '@mikro-orm/migrations';

/** What came into sight with a change is announced to each program that reads this change, and each time that it is read. */
export class NoteWhenSightsCame extends Migration {
  override up(): void {
    // The position at which a reader began to see the record. Null of what was seen before this was noted, and of what the version before notes.
    this.addSql('alter table change_sight add column came_at bigint');
  }
}
